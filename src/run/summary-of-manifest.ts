import { noCounts } from "../model/outcome.ts";
import { hasLostPart } from "../report/reconciliation.ts";
import type { Manifest } from "../results/manifest.ts";
import { summarizeFigures } from "../stats/run-meter.ts";
import type { RunSummary } from "./import-options.ts";

/** The figures of a complete run, as its summary has them. What did not succeed is in its failed rows. */
export function summaryOfManifest(
  manifest: Manifest,
): Omit<RunSummary, "problems" | "ungroupedProblems"> {
  const { rows, events, attempts, unanswered, figures } = manifest;
  const counts = { ...noCounts(), ...manifest.counts };
  return {
    exitReason: "complete",
    ...{ rows, events, counts, attempts, unanswered },
    perhapsTwice: manifest.perhaps_twice,
    elapsedMs: manifest.elapsed_ms,
    ...(figures === undefined
      ? {}
      : { sending: summarizeFigures(figures, hasLostPart({ figures, counts, attempts })) }),
  };
}
