import { createOutcomeGroups, type EndedLine } from "../model/outcome-groups.ts";
import { sourceColumn } from "../model/results-columns.ts";
import type { ResultsReader } from "./results-reader.ts";

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
