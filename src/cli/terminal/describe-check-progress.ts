import type { Clock } from "../../model/clock.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { CheckProgress } from "../../run/check-progress.ts";
import {
  etaPart,
  longRunSeconds,
  nowSeconds,
  type ProgressDescription,
  part,
  percentPart,
  ratePart,
  shareOf,
} from "./progress-parts.ts";
import { createRecentRate } from "./recent-rate.ts";

/** Describes a pass over the rows in which nothing is sent. */
export function describeCheckProgress(
  phase: string,
  clock: Pick<Clock, "now">,
): (progress: CheckProgress) => ProgressDescription {
  const rows = createRecentRate();
  const bytes = createRecentRate();
  return (progress: CheckProgress): ProgressDescription => {
    const { invalidRows, bytesRead, totalBytes, isOver = false } = progress;
    const share = isOver && totalBytes !== undefined ? 1 : shareOf(bytesRead, totalBytes);
    rows.add(clock.now(), progress.rows, false);
    bytes.add(clock.now(), bytesRead, false);
    const perSecond = bytes.perSecond(longRunSeconds);
    const isUnderWay = totalBytes !== undefined && bytesRead < totalBytes && !isOver;
    const bytesLeft = (totalBytes ?? 0) - bytesRead;
    return {
      phase,
      share,
      parts: [
        percentPart(share),
        part([count(progress.rows, "row"), 8], [grouped(progress.rows), 9]),
        ratePart(rows.perSecond(nowSeconds)),
        invalidRows === 0 ? undefined : part([`${grouped(invalidRows)} invalid`, 6]),
        isUnderWay && perSecond !== undefined ? etaPart(bytesLeft / perSecond) : undefined,
      ].filter((one) => one !== undefined),
      below: [],
    };
  };
}
