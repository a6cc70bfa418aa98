/** How the service was towards an attempt. */
export type Health = "well" | "throttling" | "ill";

/** How the service has been since the gate was opened. */
export interface RecentHealth {
  /** What came of an attempt. */
  add(health: Health, now: number): void;
  /** Attempts fail, and not just one now and then. */
  readonly isFailing: boolean;
  /** The last attempts failed, all of them. */
  readonly isFailingAll: boolean;
  /** All attempts of some time were throttled: to be slower is no way out. */
  isThrottlingAll(now: number): boolean;
  /** The gate is open again. */
  restart(): void;
}

const severalFailed = 5;
/** So many failures for each good answer are what the budget of retries can carry. */
const failedPerWell = 0.1;
const severalThrottled = 10;
const longThrottledMs = 5000;

export function createRecentHealth(startedMs: number): RecentHealth {
  let failed = 0;
  let failedInARow = 0;
  let throttledInARow = 0;
  let lastWellMs = startedMs;
  return {
    add(health, now) {
      if (health === "well") {
        lastWellMs = now;
        failed = Math.max(0, failed - failedPerWell);
      } else failed++;
      failedInARow = health === "well" ? 0 : failedInARow + 1;
      throttledInARow = health === "throttling" ? throttledInARow + 1 : 0;
    },
    get isFailing() {
      return failed >= severalFailed;
    },
    get isFailingAll() {
      return failedInARow >= severalFailed;
    },
    isThrottlingAll: (now) =>
      throttledInARow >= severalThrottled && now - lastWellMs >= longThrottledMs,
    restart() {
      failed = 0;
    },
  };
}
