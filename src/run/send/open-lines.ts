import { basename } from "node:path";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { type EventStatus, isDone } from "../../model/outcome.ts";
import { createOutcomeGroups, type EndedLine } from "../../model/outcome-groups.ts";
import { sourceColumn } from "../../model/results-columns.ts";
import { ResultsReader } from "../../results/results-reader.ts";

/** A line that did not succeed. */
export interface OpenLine {
  readonly row: number;
  readonly status: EventStatus;
  /** The cells of the input. */
  readonly cells: readonly string[];
  readonly ended: EndedLine;
}

/** Reads from the file of an interrupted part what did not succeed, in its order. */
export async function* readOpenLines(disk: Disk, path: string): AsyncGenerator<OpenLine> {
  const refuse = (why: string) => cannotStart("account_damaged", path, why);
  const reader = await ResultsReader.open(disk.readChunks(path), basename(path), refuse);
  try {
    while (reader.row !== undefined) {
      const { status, row } = reader;
      if (status !== undefined && !isDone(status)) {
        yield { row, status, cells: reader.inputCells(), ended: endedLineOf(reader) };
      }
      await reader.next();
    }
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

/** How the line at hand ended, for the groups of what did not succeed. */
function endedLineOf(reader: ResultsReader): EndedLine {
  return {
    status: reader.status ?? "failed",
    code: reader.cell("import_error_code"),
    message: reader.cell("import_error"),
    row: reader.row ?? 0,
    line: Number(reader.cell("import_line")) || undefined,
    source: reader.hasSources ? reader.cell(sourceColumn) : undefined,
  };
}
