import type { Disk } from "./domain/disk.ts";
import { type OutcomeGroups, readEndedLine } from "./domain/outcome-groups.ts";
import { asWritten, openResultsFile } from "./source/open-results-file.ts";

/** Adds what did not succeed in the parts of a run that it goes on with, from its failed rows. */
export async function addEarlierProblems(
  problems: OutcomeGroups,
  disk: Disk,
  failedRowsFile: string | undefined,
): Promise<void> {
  if (failedRowsFile === undefined) return;
  const stream = disk.readChunks(failedRowsFile);
  const source = await openResultsFile({ kind: "stream", stream, name: failedRowsFile }, asWritten);
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        const line = readEndedLine(row);
        if (line !== undefined) problems.add(line);
      }
    }
  } finally {
    await source.close();
  }
}
