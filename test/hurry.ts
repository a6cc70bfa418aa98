import { onTestFinished } from "vitest";
import { systemClock } from "../src/model/clock.ts";

/**
 * Lets the clock of the system go faster until the test ends, for waits that are nothing but waits. Deadlines come
 * sooner too: where a request takes time, give it a long one.
 */
export function hurry(times: number): void {
  const { now, schedule } = systemClock;
  const begun = now();
  systemClock.now = () => begun + (now() - begun) * times;
  systemClock.schedule = (delayMs, run) => schedule(delayMs / times, run);
  onTestFinished(() => {
    Object.assign(systemClock, { now, schedule });
  });
}
