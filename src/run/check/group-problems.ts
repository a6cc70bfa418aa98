import { type Place, placeOf } from "../../model/place.ts";
import type { ProblemCode, Row, RowProblem } from "../../model/row.ts";

/** Problems of one kind in one column. */
export interface ProblemGroup {
  readonly code: ProblemCode;
  /** Absent where it is about whole rows. */
  readonly column?: string;
  readonly count: number;
  /** What all of them say; absent where they do not say the same. */
  readonly message?: string;
  /** The first of them, in input order. */
  readonly first: readonly GroupedProblem[];
  /** The cells that have it most often; of many different ones only the first are counted. */
  readonly cases: readonly ProblemCase[];
}

export interface GroupedProblem extends Place {
  /** The cell, cut when very long. */
  readonly value?: string;
  readonly message: string;
}

/** Problems of a group whose cells and messages are the same. */
export interface ProblemCase {
  readonly value?: string;
  readonly message: string;
  readonly count: number;
  /** Where it is first. */
  readonly first: Place;
}

export interface ProblemGroups {
  add(row: Row, problem: RowProblem): void;
  /** The largest first. */
  grouped(): readonly ProblemGroup[];
  /** Problems of kinds and columns beyond those that are kept apart. */
  readonly ungrouped: number;
}

const maxGroups = 500;
const maxCases = 10_000;
const maxCasesAGroup = 200;
const maxFirst = 5;
const maxCasesReported = 10;
const longestValue = 200;
const longestMessage = 1000;

interface Group {
  readonly code: ProblemCode;
  readonly column: string | undefined;
  count: number;
  message: string | undefined;
  readonly first: GroupedProblem[];
  readonly cases: Map<string, { value?: string; message: string; count: number; first: Place }>;
}

/** Collects problems by kind and column, in memory that does not grow with their number. */
export function createProblemGroups(): ProblemGroups {
  const groups = new Map<string, Group>();
  let cases = 0;
  let ungrouped = 0;

  const groupOf = ({ code, column, message }: RowProblem): Group | undefined => {
    const key = `${code} ${column ?? ""}`;
    const known = groups.get(key);
    if (known !== undefined || groups.size >= maxGroups) return known;
    const group = { code, column, count: 0, message, first: [], cases: new Map() };
    groups.set(key, group);
    return group;
  };

  return {
    get ungrouped() {
      return ungrouped;
    },
    add(row, problem) {
      const group = groupOf(problem);
      if (group === undefined) {
        ungrouped++;
        return;
      }
      group.count++;
      if (group.message !== problem.message) group.message = undefined;
      const value = problem.value === undefined ? {} : { value: cut(longestValue, problem.value) };
      const message = cut(longestMessage, problem.message);
      const place = placeOf(row);
      if (group.first.length < maxFirst) group.first.push({ ...place, ...value, message });
      const key = `${message}\n${value.value ?? ""}`;
      const known = group.cases.get(key);
      if (known !== undefined) known.count++;
      else if (group.cases.size < maxCasesAGroup && cases < maxCases) {
        group.cases.set(key, { ...value, message, count: 1, first: place });
        cases++;
      }
    },
    grouped: () =>
      [...groups.values()]
        .map(({ code, column, count, message, first, cases }) => ({
          code,
          ...(column === undefined ? {} : { column }),
          count,
          ...(message === undefined ? {} : { message }),
          first,
          cases: [...cases.values()]
            .toSorted((a, b) => b.count - a.count)
            .slice(0, maxCasesReported)
            .map((one) => ({ ...one })),
        }))
        .toSorted((a, b) => b.count - a.count),
  };
}

/** What is cut is copied, or it would keep all of the text in memory. */
function cut(most: number, text: string): string {
  if (text.length <= most) return text;
  return `${Buffer.from(text.slice(0, most), "utf16le").toString("utf16le")}…`;
}
