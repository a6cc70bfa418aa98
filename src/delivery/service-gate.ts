import type { StopSwitch } from "../domain/stop.ts";
import type { Clock } from "./clock.ts";
import type { DeliveryNotice, PauseReason } from "./notice.ts";
import { createRecentHealth, type Health } from "./recent-health.ts";
import { createRepeatLine } from "./repeat-line.ts";
import type { RetryBudget } from "./retry-budget.ts";

/**
 * What an attempt is for. Of some retries it is known that the service was up since the event first
 * failed: where those are repeated too often it is the events' own fault, and no reason to pause.
 */
export type Errand = "first" | "retry" | "retry_of_its_own";

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
  /** Why it is closed; a service that is seen to be down is told of as an outage. */
  readonly pausedBecause: PauseReason | undefined;
  /** Whether it was closed for an outage, and not only looks as if there were one. */
  readonly isOutage: boolean;
  /** Milliseconds until the next probe may leave; 0 where it is open. */
  pausedForMs(): number;
  /** Whether it is closed for a time that is known, and not until a probe is answered well. */
  readonly hasKnownEnd: boolean;
  /** Retries that wait for a place in the budget. */
  readonly retriesHeld: number;
  /** The same, with those that wait until it is open. */
  readonly retriesWaiting: number;
  /**
   * Waits for the right to make an attempt, in the order of asking; of the probes, every other one
   * is a first attempt if there is any. A retry also needs a place in the budget, and waits for it;
   * where there is none because attempts fail now, the gate closes.
   *
   * @returns nothing where the run stops
   */
  enter(errand: Errand): Promise<Pass | undefined>;
  /** Whether an attempt may leave now: not where the gate has closed since its pass was given. */
  lets(pass: Pass): boolean;
  /** The attempt was not made after all; another one may probe. */
  giveBack(pass: Pass): void;
  /** What came of an attempt; where it was a probe, that opens the gate or keeps it closed. */
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
/** After so many probes in vain the service was down, and did not just fail now and then. */
const severalProbes = 3;

/** The pass of every attempt that is made while the gate is open. */
export const openPass: Pass = { isProbe: false };

interface Closed {
  readonly since: number;
  reason: PauseReason;
  /** Why, as it is told: what began as too many repeats may turn out to be an outage. */
  told: PauseReason;
  /** When the next probe may leave. */
  opensAt: number;
  probe: Pass | undefined;
  probesFailed: number;
}

interface Waiting {
  readonly errand: Errand;
  readonly go: (pass: Pass | undefined) => void;
}

export function createServiceGate(ports: GatePorts, { maxOutageMs }: GateSettings): ServiceGate {
  const { clock, stop, budget, notify } = ports;
  let closed: Closed | undefined;
  let closings = 0;
  let waiting: Waiting[] = [];
  /** Retries that wait for the budget while the gate is open. */
  const repeats = createRepeatLine<Waiting>(clock, budget, ({ go }) => go(openPass));
  const recent = createRecentHealth(clock.now());
  let cancelTimer = () => {};

  /** Sends the next probe ahead, or sees to it that this is done in time. */
  const probe = () => {
    cancelTimer();
    if (closed === undefined || closed.probe !== undefined) return;
    const inMs = closed.opensAt - clock.now();
    if (inMs > 0) {
      cancelTimer = clock.schedule(inMs, probe);
      return;
    }
    // What fails by itself shows nothing of the service, and is no reason to keep it closed.
    const telling = waiting.findIndex(({ errand }) => errand !== "retry_of_its_own");
    if (telling < 0 && waiting.length > 0 && closed.reason !== "outage") return open();
    // Nor may all that was tried show anything.
    const untried = waiting.findIndex(({ errand }) => errand === "first");
    const isTurnOfUntried = closed.probesFailed % 2 === 1 && untried >= 0;
    const [next] = waiting.splice(Math.max(0, isTurnOfUntried ? untried : telling), 1);
    if (next === undefined) return;
    if (next.errand !== "first") budget.probe(clock.now());
    closed.probe = { isProbe: true };
    next.go(closed.probe);
  };

  const open = () => {
    if (closed === undefined) return;
    cancelTimer();
    notify({ kind: "open", pausedMs: clock.now() - closed.since, reason: closed.told });
    // It was down for a while. What that has left undone is done now, and not by the budget.
    const wasDown = closed.reason === "outage" || closed.probesFailed >= severalProbes;
    closed = undefined;
    recent.restart();
    const released = waiting;
    waiting = [];
    const isHeld = ({ errand }: Waiting) => errand !== "first" && !wasDown;
    for (const one of released) if (!isHeld(one)) one.go(openPass);
    repeats.add(released.filter(isHeld));
  };

  const close = (reason: PauseReason, waitMs: number, message: string) => {
    const now = clock.now();
    const opensAt = now + waitMs;
    if (closed === undefined) {
      closings++;
      closed = { since: now, reason, told: reason, opensAt, probe: undefined, probesFailed: 0 };
      waiting = repeats.takeAll();
    } else {
      if (reason === "outage") {
        closed.reason = reason;
        closed.told = reason;
      }
      closed.opensAt = Math.max(closed.opensAt, opensAt);
    }
    notify({ kind: "pause", reason: closed.told, durationMs: closed.opensAt - now, message });
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
    const isDown = recent.isFailingAll || failed.probesFailed >= severalProbes;
    if (failed.reason === "retry_budget" && health === "ill" && isDown) failed.told = "outage";
    const { told, opensAt } = failed;
    notify({ kind: "pause", reason: told, durationMs: opensAt - now, message });
    probe();
  };

  /** What came of an attempt while the gate is open, or of a probe that opens it. */
  const watch = (health: Health, message: string) => {
    const now = clock.now();
    recent.add(health, now);
    if (health === "well") {
      repeats.look();
    } else if (maxOutageMs > 0 && recent.isThrottlingAll(now)) close("asked", firstGapMs, message);
  };

  stop.onStop(() => {
    cancelTimer();
    for (const { go } of [...waiting.splice(0), ...repeats.takeAll()]) go(undefined);
  });

  return {
    get isOpen() {
      return closed === undefined;
    },
    get closings() {
      return closings;
    },
    get pausedBecause() {
      return closed?.told;
    },
    get isOutage() {
      return closed?.reason === "outage";
    },
    pausedForMs: () => (closed === undefined ? 0 : Math.max(0, closed.opensAt - clock.now())),
    get hasKnownEnd() {
      return closed?.reason === "asked" && closed.probesFailed === 0;
    },
    get retriesHeld() {
      return repeats.length;
    },
    get retriesWaiting() {
      return repeats.length + waiting.filter(({ errand }) => errand !== "first").length;
    },
    async enter(errand) {
      if (stop.reason !== undefined) return undefined;
      if (closed === undefined) {
        if (errand === "first") return openPass;
        if (repeats.length === 0 && budget.retry(clock.now())) return openPass;
        if (!recent.isFailing || errand === "retry_of_its_own") {
          return new Promise((go) => repeats.add([{ errand, go }]));
        }
        close("retry_budget", firstGapMs, "too many attempts had to be repeated");
      }
      return new Promise((go) => {
        waiting.push({ errand, go });
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
      if (closed === undefined) return watch(health, message);
      if (closed.probe !== pass) return;
      if (health !== "well") return probeFailed(closed, health, message);
      watch(health, message);
      closed.probe = undefined;
      // Somebody asked for more time meanwhile, perhaps this very answer.
      if (closed.opensAt > clock.now()) probe();
      else open();
    },
    close,
  };
}

function whyStopped(code: "throttled" | "outage", pausedMs: number, message: string): string {
  const seconds = Math.round(pausedMs / 1000);
  const long = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 6) / 10} min`;
  const nothing = `The service has taken nothing for ${long} (${message}): go on when it does`;
  return code === "throttled"
    ? `${nothing}.`
    : `${nothing}, or with a --max-outage of 0, so that what it never takes ends as failed.`;
}
