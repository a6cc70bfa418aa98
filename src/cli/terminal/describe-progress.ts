import type { Clock } from "../../model/clock.ts";
import type { ImportProgress } from "../../run/import-options.ts";
import { describeCheckProgress } from "./describe-check-progress.ts";
import { describeSendProgress } from "./describe-send-progress.ts";
import type { ProgressDescription } from "./progress-parts.ts";

/** Puts progress into words. It watches the time, so one describer is for one run. */
export function describeProgress(
  clock: Pick<Clock, "now">,
): (progress: ImportProgress) => ProgressDescription {
  const baseline = describeCheckProgress("comparing", clock);
  const check = describeCheckProgress("checking", clock);
  const send = describeSendProgress(clock);
  return (progress) => {
    switch (progress.phase) {
      case "baseline":
        return baseline(progress);
      case "check":
        return check(progress);
      case "send":
        return send(progress);
    }
  };
}
