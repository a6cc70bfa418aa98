import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Disk } from "../model/disk/disk.ts";
import { type OutcomeGroups, readEndedLine } from "../model/outcome-groups.ts";
import type { InputKind } from "./open-rows.ts";

/** Adds what did not succeed in the parts of a run that it goes on with, from its failed rows. */
export async function addEarlierProblems(
  problems: OutcomeGroups,
  disk: Disk,
  failedRowsFile: string | undefined,
  kind: InputKind,
): Promise<void> {
  if (failedRowsFile === undefined) return;
  const stream = disk.readChunks(failedRowsFile);
  const source = await openResultsFile({ kind: "stream", stream, name: failedRowsFile }, asWritten);
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        const line = readEndedLine(row);
        if (line === undefined) continue;
        // Where the results of a retry say a line, it is one of the original input.
        problems.add(kind === "retry" ? { ...line, line: undefined } : line);
      }
    }
  } finally {
    await source.close();
  }
}
