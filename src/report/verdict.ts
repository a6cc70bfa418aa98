import { grouped } from "../model/quantities.ts";
import type { Check } from "./checks-of-run.ts";
import type { ReportedRun } from "./reported-run.ts";

/** How a run went, in a sentence, with its colour and sign. */
export interface Verdict {
  readonly look: "good" | "warn" | "bad";
  readonly sign: string;
  readonly sentence: string;
  /** What to know before relying on the rest. */
  readonly remarks: readonly string[];
}

/**
 * @param differences how the results file differs from what the run wrote
 * @param hasLostFailed whether the file of the failed rows is gone
 */
export function verdictOf(
  run: ReportedRun,
  checks: readonly Check[],
  differences: readonly string[],
  hasLostFailed = false,
): Verdict {
  const fails = (about: Check["about"]) =>
    checks.some((check) => check.about === about && check.holds === false);
  const isComplete = run.exit_reason === "complete";
  const isOff =
    run.exit_reason === "not_reconciled" ||
    (isComplete && !run.reconciliation.adds_up) ||
    fails("run");
  const others = [
    ...(hasLostFailed ? [failedRowsGone] : []),
    ...(fails("charts")
      ? ["The figures over time do not cover all lines with a status: do not rely on the charts."]
      : []),
  ];
  const ofRun = isOff ? notReconciled : isComplete ? complete(run) : stopped(run);
  if (differences.length === 0) return { ...ofRun, remarks: others };
  const differs = `The results file has changed since the run: ${differences.join("; ")}.`;
  if (isOff) return { ...ofRun, remarks: [differs, putBack, ...others] };
  const when = `When the run ended: ${ofRun.sentence}`;
  return { look: "bad", sign: "✗", sentence: differs, remarks: [putBack, when, ...others] };
}

/** Lines that did not succeed and were not skipped. */
export function notSucceeded({ counts }: Pick<ReportedRun, "counts">): number {
  const { succeeded = 0, skipped = 0, not_sent = 0 } = counts;
  const all = Object.values(counts).reduce((total, number) => total + number, 0);
  return all - succeeded - skipped - not_sent;
}

const failedRowsGone =
  "The file of the failed rows is not there any more. Its lines are those of the results that did not succeed, so the results can be retried in its place.";

const putBack =
  "Put the file back from a copy before it is retried, resumed or compared with. The counts below are those of the run when it ended; what did not succeed is listed from the file as it is now.";

type OfRun = Omit<Verdict, "remarks">;

const notReconciled: OfRun = {
  look: "bad",
  sign: "✗",
  sentence: "The counts do not reconcile: do not rely on them.",
};

function stopped(run: ReportedRun): OfRun {
  const notSent = run.counts.not_sent ?? 0;
  const rest =
    notSent === 0 ? "" : `, and ${grouped(notSent)} ${notSent === 1 ? "was" : "were"} not sent`;
  const reason = run.exit_reason.replaceAll("_", " ");
  const sentence = `Stopped before the end (${reason}): so far ${failures(run)}${rest}.`;
  return { look: "bad", sign: "■", sentence };
}

function complete(run: ReportedRun): OfRun {
  const sentence = "Complete: every row is accounted for";
  return notSucceeded(run) === 0
    ? { look: "good", sign: "✓", sentence: `${sentence}, nothing failed.` }
    : { look: "warn", sign: "!", sentence: `${sentence}; ${failures(run)} and can be retried.` };
}

function failures(run: ReportedRun): string {
  const bad = notSucceeded(run);
  return bad === 0 ? "nothing failed" : `${grouped(bad)} did not succeed`;
}
