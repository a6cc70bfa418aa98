import type { Ordering } from "./ordering.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { SendingParts } from "./sending-limits.ts";

interface HeldPorts extends SendingParts {
  readonly ordering: Ordering;
  /** Whether the reader may bring another row. */
  readonly mayRowsCome: () => boolean;
  /** The event has failed. */
  readonly fail: (event: PendingEvent) => void;
  /** The event is sent again. */
  readonly retry: (event: PendingEvent, delayMs: number) => void;
}

/** How often to check whether rows come, if nothing else does. */
const checkAgainMs = 1000;

/**
 * Events whose attempts are exhausted, or that were refused, while nobody can tell whether the service is up. They fail
 * when another event succeeds that was sent later, and are retried if there is an outage.
 */
export function createHeldEvents(ports: HeldPorts) {
  const { queues, judge, limits, ordering, stop, mayRowsCome, fail, retry } = ports;
  const { breaker } = limits;

  const failAll = (isFault: (event: PendingEvent) => boolean) => {
    for (const event of queues.held.release(isFault)) fail(event);
  };

  /** No other event is left to show whether the service is up: they fail, or the breaker opens. */
  const decide = () => {
    const held = queues.held.events;
    const overtaken = held.find(({ refusal, row }) => refusal && ordering.wouldBeOvertaken(row));
    if (overtaken?.refusal !== undefined) stop.abort(overtaken.refusal);
    else if (judge.areOnlySuspectsLeft()) failAll(() => true);
    else limits.pause(held[0]?.error ?? "");
  };

  return {
    /** An event has succeeded: those fail that were sent before it. */
    succeeded: () => failAll(judge.isFault),
    /** Takes the step that is possible now. */
    advance() {
      const held = queues.held.events;
      if (held.length > 0 && breaker.isClosed) {
        if (queues.sendable <= held.length && !mayRowsCome()) decide();
      }
      if (!breaker.isClosed) {
        for (const event of queues.held.release(() => true)) {
          event.resetAttempts();
          retry(event, 0);
        }
      }
      if (breaker.reason === "outage" && judge.areOnlySuspectsLeft()) limits.resume();
    },
    /** Milliseconds until it is checked whether rows come; infinite if nothing waits for that. */
    dueInMs: () =>
      queues.held.events.length > 0 && mayRowsCome() ? checkAgainMs : Number.POSITIVE_INFINITY,
  };
}
