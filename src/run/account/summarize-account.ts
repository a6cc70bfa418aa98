import { exists } from "../../model/disk/exists.ts";
import { noCounts } from "../../model/outcome.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Manifest } from "../../results/manifest.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import type { RunSummary } from "../options/run-events.ts";

/** The summary of an account to which nothing was added now. What did not succeed is in its failed rows. */
export async function summaryOfAccount(files: RunFiles, manifest: Manifest): Promise<RunSummary> {
  const { rows, events, attempts, unanswered, figures, options, parts } = manifest;
  const { merged_into: into } = manifest;
  const wasKilled = parts.some(({ finished_at: at }) => at === null);
  // Somebody may have moved them, to work on them.
  const hasFailedRows = manifest.failed_rows !== null && (await exists(files.failed));
  return {
    exitReason: manifest.exit_reason as RunSummary["exitReason"],
    ...(manifest.message === null ? {} : { message: manifest.message }),
    delivery: options.delivery,
    wasComplete: true,
    isOver: true,
    ...{ rows, events, attempts, unanswered },
    counts: { ...noCounts(), ...manifest.counts },
    perhapsTwice: manifest.perhaps_twice,
    elapsedMs: manifest.elapsed_ms,
    ...(figures === undefined ? {} : { sending: summarizeFigures(figures, wasKilled) }),
    problems: [],
    ungroupedProblems: 0,
    ...(options.shard === null || into !== undefined ? {} : { shard: options.shard }),
    results: files.results,
    // What was merged is retried there.
    ...(hasFailedRows && into === undefined ? { failedRows: files.failed } : {}),
    manifest: files.manifest,
  };
}
