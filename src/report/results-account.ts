import { noCounts, type OutcomeStatus } from "../model/outcome.ts";
import { createOutcomeGroups, type EndedLine, readEndedLine } from "../model/outcome-groups.ts";
import type { Row } from "../model/row.ts";
import type { ResultsAccount } from "./reported-run.ts";

/** Counts and groups the lines of a results file, in memory that does not grow with them. */
export interface RunningAccount {
  /** A line of the results file. */
  add(row: Row): void;
  /** @param problem why it could not be read to its end */
  account(problem?: string): ResultsAccount;
}

const mostGroups = 200;
const rowsEach = 10;

export function createResultsAccount(): RunningAccount {
  const counts = noCounts();
  const problems = createOutcomeGroups(mostGroups, rowsEach);
  const leftOut = createOutcomeGroups(mostGroups, rowsEach);
  const perhapsTwice: EndedLine[] = [];
  let perhapsTwiceCount = 0;
  let lines = 0;
  let unreadable = 0;

  const succeeded = (line: EndedLine, unanswered: number) => {
    if (unanswered === 0) return;
    perhapsTwiceCount++;
    if (perhapsTwice.length < rowsEach) perhapsTwice.push(line);
  };

  return {
    add(row) {
      const { earlier, problem } = row;
      lines++;
      if (earlier === undefined || (problem !== undefined && earlier.status === undefined)) {
        unreadable++;
        return;
      }
      const status: OutcomeStatus = earlier.status ?? "not_sent";
      counts[status]++;
      const line = readEndedLine(row);
      if (line === undefined) return;
      switch (line.status) {
        case "succeeded":
          return succeeded(line, earlier.unanswered);
        case "skipped":
          return leftOut.add(line);
        default:
          problems.add(line);
      }
    },
    account: (problem) => ({
      lines,
      counts,
      problems: { groups: problems.groups(), ungrouped: problems.ungrouped },
      leftOut: { groups: leftOut.groups(), ungrouped: leftOut.ungrouped },
      perhapsTwice: { count: perhapsTwiceCount, first: perhapsTwice },
      unreadable,
      ...(problem === undefined ? {} : { problem }),
    }),
  };
}
