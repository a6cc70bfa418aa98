import { noCounts, type OutcomeStatus } from "../model/outcome.ts";
import {
  createOutcomeGroups,
  type EndedLine,
  type OutcomeGroup,
  readEndedLine,
} from "../model/outcome-groups.ts";
import type { Row } from "../model/row.ts";

/** The lines of a results file, counted and grouped. */
export interface ResultsSummary {
  readonly lines: number;
  readonly counts: Readonly<Record<OutcomeStatus, number>>;
  readonly problems: GroupedLines;
  readonly leftOut: GroupedLines;
  /** Events that succeeded after an attempt without an answer. */
  readonly perhapsTwice: { readonly count: number; readonly first: readonly EndedLine[] };
  /** Lines that cannot be read. */
  readonly unreadable: number;
  /** Why it could not be read to the end. */
  readonly problem?: string;
}

/** Why the results file could not be read at all. */
export interface UnreadResults {
  readonly problem: string;
  /** Whether there is no such file. */
  readonly isMissing: boolean;
}

export interface GroupedLines {
  readonly groups: readonly OutcomeGroup[];
  /** Lines that were not grouped, because there were too many groups. */
  readonly ungrouped: number;
}

/** Counts and groups the lines of a results file. Memory does not grow with their number. */
export interface ResultsSummarizer {
  /** A line of the results file. */
  add(row: Row): void;
  /** @param problem why the file could not be read to the end */
  summary(problem?: string): ResultsSummary;
}

const maxGroups = 200;
const maxRowsPerGroup = 10;

export function createResultsSummarizer(): ResultsSummarizer {
  const counts = noCounts();
  const problems = createOutcomeGroups(maxGroups, maxRowsPerGroup);
  const leftOut = createOutcomeGroups(maxGroups, maxRowsPerGroup);
  const perhapsTwice: EndedLine[] = [];
  let perhapsTwiceCount = 0;
  let lines = 0;
  let unreadable = 0;

  const addSucceeded = (line: EndedLine, unanswered: number) => {
    if (unanswered === 0) return;
    perhapsTwiceCount++;
    if (perhapsTwice.length < maxRowsPerGroup) perhapsTwice.push(line);
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
          return addSucceeded(line, earlier.unanswered);
        case "skipped":
          return leftOut.add(line);
        default:
          problems.add(line);
      }
    },
    summary: (problem) => ({
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
