import type { Ordering } from "./ordering.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { SendingParts } from "./sending-limits.ts";

interface HeldPorts extends SendingParts {
  readonly ordering: Ordering;
  readonly mayRowsCome: () => boolean;
  readonly fail: (event: PendingEvent) => void;
  readonly retry: (event: PendingEvent, delayMs: number) => void;
}

/** How often to check whether rows come, or an attempt is silent, if nothing else does. */
export const checkAgainMs = 1000;

/**
 * Decides about events whose attempts are exhausted, or that were refused, while nobody can tell whether the service is
 * up. They fail when another event succeeds that was sent later, and are retried after an outage.
 */
export function createHeldEvents(ports: HeldPorts) {
  const { queues, judge, limits, ordering, stop, mayRowsCome, fail, retry } = ports;
  const { held } = queues;
  const { breaker } = limits;

  const release = (use: (event: PendingEvent) => void, isReleased = (_: PendingEvent) => true) => {
    const released = [...held.events].filter(isReleased);
    for (const event of released) held.remove(event);
    released.forEach(use);
  };

  /** No other event is left to show whether the service is up: they fail, or the breaker opens. */
  const decide = () => {
    const [first] = held.events;
    const overtaken = [...held.events].find(
      ({ refusal, row }) => refusal && ordering.wouldBeOvertaken(row),
    );
    if (overtaken?.refusal !== undefined) stop.abort(overtaken.refusal);
    else if (judge.areOnlySuspectsLeft()) release(fail);
    else limits.pause(first?.error ?? "");
  };

  return {
    /** An event has succeeded: those fail that were sent before it. */
    succeeded() {
      if (held.events.size > 0) release(fail, judge.isFault);
    },
    /** Decides what can be decided. @returns milliseconds until more may be */
    advance(): number {
      const { size } = held.events;
      if (size > 0 && breaker.isClosed && queues.sendable <= size && !mayRowsCome()) decide();
      if (held.events.size > 0 && !breaker.isClosed) {
        release((event) => {
          event.resetAttempts();
          retry(event, 0);
        });
      }
      if (breaker.reason === "outage" && judge.areOnlySuspectsLeft()) limits.resume();
      return held.events.size > 0 && mayRowsCome() ? checkAgainMs : Infinity;
    },
  };
}
