import { basename } from "node:path";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { isDone } from "../../model/outcome.ts";
import { createOutcomeGroups, type EndedLine } from "../../model/outcome-groups.ts";
import { sourceColumn } from "../../model/results-columns.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { ResultsReader } from "../../results/results-reader.ts";

/**
 * Reads what did not succeed from failed rows, or from the file of an interrupted part.
 *
 * @param see sees each line, in their order, while it is at hand
 * @returns what the file is
 */
export async function readOpenLines(
  disk: Disk,
  path: string,
  see: (line: ResultsReader) => void,
): Promise<Fingerprint> {
  const refuse = (why: string) => cannotStart("account_damaged", path, why);
  const reader = await ResultsReader.open(disk.readChunks(path), basename(path), refuse);
  try {
    while (reader.row !== undefined) {
      if (!isDone(reader.status ?? "failed")) see(reader);
      const reading = reader.next();
      if (reading !== undefined) await reading;
    }
    return reader.fingerprint();
  } finally {
    await reader.close();
  }
}

/** What did not succeed of an account: its groups, and how many lines are superseded. */
export function groupOpenLines() {
  const groups = createOutcomeGroups();
  let superseded = 0;
  return {
    get superseded() {
      return superseded;
    },
    see(line: ResultsReader): void {
      const ended = endedLineOf(line);
      groups.add(ended);
      if (ended.code === "superseded") superseded++;
    },
    problems: () => ({ problems: groups.groups(), ungroupedProblems: groups.ungrouped }),
  };
}

/** How the line at hand ended. */
export function endedLineOf(reader: ResultsReader): EndedLine {
  return {
    status: reader.status ?? "failed",
    code: reader.cell("import_error_code"),
    message: reader.cell("import_error"),
    row: reader.row ?? 0,
    line: Number(reader.cell("import_line")) || undefined,
    source: reader.hasSources ? reader.cell(sourceColumn) : undefined,
  };
}
