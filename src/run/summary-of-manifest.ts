import { noCounts } from "../model/outcome.ts";
import { hasLostPart } from "../report/reconciliation.ts";
import type { Manifest } from "../results/manifest.ts";
import { summarizeFigures } from "../stats/run-meter.ts";
import type { RunSummary } from "./import-options.ts";

/** The figures of a complete run, as its summary has them. What did not succeed is in its failed rows. */
export function summaryOfManifest(
  manifest: Manifest,
): Omit<RunSummary, "problems" | "ungroupedProblems"> {
  const { rows, events, unchanged, attempts, unanswered, figures, compared } = manifest;
  const counts = { ...noCounts(), ...manifest.counts };
  return {
    exitReason: "complete",
    ...{ rows, events, counts, unchanged, attempts, unanswered },
    perhapsTwice: manifest.perhaps_twice,
    elapsedMs: manifest.elapsed_ms,
    ...(figures === undefined
      ? {}
      : { sending: summarizeFigures(figures, hasLostPart({ figures, counts, attempts })) }),
    ...(compared === null
      ? {}
      : {
          compared: {
            newRows: compared.new_rows,
            changedRows: compared.changed_rows ?? undefined,
            unchangedRows: compared.unchanged_rows,
            gone: compared.gone_keys ?? undefined,
            goneEvents: compared.gone_events,
          },
        }),
  };
}
