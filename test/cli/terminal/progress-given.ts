import { describeProgress } from "../../../src/cli/terminal/describe-progress.ts";
import { fitProgress } from "../../../src/cli/terminal/progress-bar.ts";
import { noCounts } from "../../../src/model/outcome.ts";
import type { SendProgress } from "../../../src/model/run-events.ts";

type Given = Partial<Omit<SendProgress, "sending">> & {
  readonly sending?: Partial<SendProgress["sending"]>;
};

/** How a run of 1,312 rows is, after so many of them. */
export function sending(rowsEnded: number, { sending, ...more }: Given = {}): SendProgress {
  return {
    phase: "send",
    rowsEnded,
    rowsTotal: 1312,
    counts: {
      ...noCounts(),
      succeeded: Math.max(0, rowsEnded - 12),
      rejected: Math.min(12, rowsEnded),
    },
    problems: [],
    eventsTotal: undefined,
    sending: {
      ...{ inFlight: 32, allowed: 32, toRetry: 0 },
      waitsFor: undefined,
      ...sending,
    },
    attemptsSoFar: { attempts: 0, retries: 0, unanswered: 0 },
    ...more,
  };
}

/** The line after ten seconds in which 500 rows ended. */
export function lineAt(columns: number, more: Given = {}, doneBefore = 0): string {
  let nowMs = 0;
  const describe = describeProgress({ now: () => nowMs });
  describe(sending(doneBefore, more));
  nowMs = 10_000;
  return fitProgress(describe(sending(doneBefore + 500, more)), columns);
}
