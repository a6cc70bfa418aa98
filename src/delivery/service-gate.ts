import type { StopSwitch } from "../domain/stop.ts";
import type { Clock } from "./clock.ts";
import type { DeliveryNotice, PauseReason } from "./notice.ts";
import type { RetryBudget } from "./retry-budget.ts";

/** How the service was towards an attempt. */
export type Health = "well" | "throttling" | "ill";

/** The right to make an attempt. */
export interface Pass {
  /** Whether it goes ahead of the others, to see how the service is. */
  readonly isProbe: boolean;
}

/**
 * Lets attempts through to the service while it copes. Closed, it lets one at a time go ahead as a
 * probe: the first when the wait is over, the next ones after growing gaps, until the service has
 * answered one of them well. So a service that comes back is not met by all that has waited.
 */
export interface ServiceGate {
  readonly isOpen: boolean;
  /** How often it has closed so far. */
  readonly closings: number;
  /** Why it is closed. */
  readonly pausedBecause: PauseReason | undefined;
  /** Milliseconds until the next probe may leave; 0 where it is open. */
  pausedForMs(): number;
  /**
   * Waits for the right to make an attempt, in the order of asking; of the probes, every other one
   * is a first attempt if there is any. A retry also needs a place in the budget; where there is
   * none, the gate closes.
   *
   * @returns nothing where the run stops
   */
  enter(isRetry: boolean): Promise<Pass | undefined>;
  /** Whether an attempt may leave now: not where the gate has closed since its pass was given. */
  lets(pass: Pass): boolean;
  /** The attempt was not made after all; another one may probe. */
  giveBack(pass: Pass): void;
  /** What came of an attempt; only a probe decides anything. */
  judge(pass: Pass, health: Health, message: string): void;
  /** Holds everything back; the longest wait counts, and an outage more than any other reason. */
  close(reason: PauseReason, waitMs: number, message: string): void;
}

export interface GateSettings {
  /** How long to go on probing before the run stops; 0 for not at all. */
  readonly maxOutageMs: number;
}

export interface GatePorts {
  readonly clock: Clock;
  readonly stop: StopSwitch;
  readonly budget: RetryBudget;
  readonly notify: (notice: DeliveryNotice) => void;
}

const firstGapMs = 1000;
const longestGapMs = 30_000;

/** The pass of every attempt that is made while the gate is open. */
export const openPass: Pass = { isProbe: false };

interface Closed {
  readonly since: number;
  reason: PauseReason;
  /** When the next probe may leave. */
  opensAt: number;
  probe: Pass | undefined;
  probesFailed: number;
}

interface Waiting {
  readonly isRetry: boolean;
  readonly go: (pass: Pass | undefined) => void;
}

export function createServiceGate(ports: GatePorts, { maxOutageMs }: GateSettings): ServiceGate {
  const { clock, stop, budget, notify } = ports;
  let closed: Closed | undefined;
  let closings = 0;
  let waiting: Waiting[] = [];
  let cancelTimer = () => {};

  const admit = (isRetry: boolean): boolean => {
    if (closed !== undefined) return false;
    if (!isRetry || budget.retry(clock.now())) return true;
    close("retry_budget", firstGapMs, "too many attempts had to be repeated");
    return false;
  };

  /** Sends the next probe ahead, or sees to it that this is done in time. */
  const probe = () => {
    cancelTimer();
    if (closed === undefined || closed.probe !== undefined) return;
    const inMs = closed.opensAt - clock.now();
    if (inMs > 0) {
      cancelTimer = clock.schedule(inMs, probe);
      return;
    }
    // Those that were tried may be such as the service cannot take, and show nothing of it.
    const untried = closed.probesFailed % 2 === 1 ? waiting.findIndex((one) => !one.isRetry) : 0;
    const [next] = waiting.splice(Math.max(0, untried), 1);
    if (next === undefined) return;
    if (next.isRetry) budget.probe(clock.now());
    closed.probe = { isProbe: true };
    next.go(closed.probe);
  };

  const open = () => {
    if (closed === undefined) return;
    cancelTimer();
    notify({ kind: "open", pausedMs: clock.now() - closed.since, reason: closed.reason });
    closed = undefined;
    const released = waiting;
    waiting = [];
    while (released.length > 0) {
      const [first] = released as [Waiting];
      if (!admit(first.isRetry)) break;
      released.shift();
      first.go(openPass);
    }
    // The budget was spent on the way: those who are left keep their places in the line.
    waiting = [...released, ...waiting];
    probe();
  };

  const close = (reason: PauseReason, waitMs: number, message: string) => {
    const now = clock.now();
    const opensAt = now + waitMs;
    if (closed === undefined) {
      closings++;
      closed = { since: now, reason, opensAt, probe: undefined, probesFailed: 0 };
    } else {
      if (reason === "outage") closed.reason = reason;
      closed.opensAt = Math.max(closed.opensAt, opensAt);
    }
    notify({ kind: "pause", reason: closed.reason, durationMs: closed.opensAt - now, message });
    probe();
  };

  const probeFailed = (failed: Closed, health: Health, message: string) => {
    failed.probe = undefined;
    if (maxOutageMs === 0) return open();
    const now = clock.now();
    const leftMs = failed.since + maxOutageMs - now;
    if (leftMs <= 0) {
      const code = health === "throttling" ? "throttled" : "outage";
      stop.request({ code, message: whyStopped(code, now - failed.since, message) });
      return;
    }
    const gapMs = Math.min(longestGapMs, firstGapMs * 2 ** failed.probesFailed, leftMs);
    failed.probesFailed++;
    failed.opensAt = Math.max(failed.opensAt, now + gapMs);
    const { reason, opensAt } = failed;
    notify({ kind: "pause", reason, durationMs: opensAt - now, message });
    probe();
  };

  stop.onStop(() => {
    cancelTimer();
    for (const { go } of waiting.splice(0)) go(undefined);
  });

  return {
    get isOpen() {
      return closed === undefined;
    },
    get closings() {
      return closings;
    },
    get pausedBecause() {
      return closed?.reason;
    },
    pausedForMs: () => (closed === undefined ? 0 : Math.max(0, closed.opensAt - clock.now())),
    async enter(isRetry) {
      if (stop.reason !== undefined) return undefined;
      if (admit(isRetry)) return openPass;
      return new Promise((go) => {
        waiting.push({ isRetry, go });
        if (waiting.length === 1) probe();
      });
    },
    lets: (pass) => closed === undefined || closed.probe === pass,
    giveBack(pass) {
      if (closed === undefined || closed.probe !== pass) return;
      closed.probe = undefined;
      probe();
    },
    judge(pass, health, message) {
      if (closed === undefined || closed.probe !== pass) return;
      if (health === "well") open();
      else probeFailed(closed, health, message);
    },
    close,
  };
}

function whyStopped(code: "throttled" | "outage", pausedMs: number, message: string): string {
  const minutes = Math.round(pausedMs / 6000) / 10;
  const nothing = `The service has taken nothing for ${minutes} min (${message}): go on when it does`;
  return code === "throttled"
    ? `${nothing}.`
    : `${nothing}, or with a --max-outage of 0, so that what it never takes ends as failed.`;
}
