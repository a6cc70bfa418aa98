import {
  copyOf,
  createGroups,
  type Group,
  type Groups,
  longestMessage,
} from "../../model/groups.ts";
import { type Place, placeOf } from "../../model/place.ts";
import type { Row, RowProblem } from "../../model/row.ts";

export interface ProblemGroup {
  readonly code: string;
  /** Absent where the problem is about whole rows. */
  readonly column?: string | undefined;
  readonly count: number;
  /** What all problems say; absent where they do not say the same. */
  readonly message?: string | undefined;
  readonly first: readonly GroupedProblem[];
  /** The cells that have it most often; of many different ones only the first are counted. */
  readonly cases: readonly ProblemCase[];
}

export interface GroupedProblem extends Place {
  /** The cell, cut when very long. */
  readonly value?: string | undefined;
  readonly message: string;
}

/** Problems of a group whose cells and messages are the same. */
export interface ProblemCase extends Pick<GroupedProblem, "value" | "message"> {
  readonly count: number;
  readonly first: Place;
}

const maxProblemGroups = 200;
const maxCasesAGroup = 50;
const maxCasesReported = 10;
const longestValue = 200;

interface Found extends GroupedProblem {
  readonly code: string;
  readonly column: string | undefined;
}

/**
 * Collects problems by kind and column, and in each group by cell.
 *
 * @param maxCases how many different cells of a group are reported
 */
export function createProblemGroups(maxCases = maxCasesReported) {
  const keyOf = ({ code, column = "" }: Found) => `${code} ${column}`;
  const all = createGroups(keyOf, cutCopy, maxProblemGroups);
  const casesOf = new Map<Group<Found>, Groups<Found>>();
  const caseOf = ({ message, value = "" }: Found) =>
    `${message.slice(0, longestMessage)}\n${value.slice(0, longestValue)}`;

  return {
    /** Problems of kinds and columns beyond those that are kept apart. */
    get ungrouped() {
      return all.ungrouped;
    },
    add(row: Row, { code, column, value, message }: RowProblem) {
      const found = { ...placeOf(row), code, column, value, message };
      const group = all.add(found);
      if (group === undefined) return;
      const cases =
        casesOf.get(group) ?? createGroups(caseOf, cutCopy, Math.max(maxCases, maxCasesAGroup), 1);
      casesOf.set(group, cases);
      cases.add(found);
    },
    grouped: (): ProblemGroup[] =>
      all.groups().map((group) => {
        const { code, column, message } = group.example;
        const cases = casesOf.get(group)?.groups() ?? [];
        return {
          code,
          column,
          count: group.count,
          message: group.isAlike ? message : undefined,
          first: group.first.map(({ code: _, column: __, ...found }) => found),
          cases: cases.slice(0, maxCases).map(({ example: { value, message, ...at }, count }) => {
            return { value, message, count, first: placeOf(at) };
          }),
        };
      }),
  };
}

function cutCopy(found: Found): Found {
  const message = copyOf(found.message, longestMessage);
  if (found.value === undefined) return { ...found, message };
  const more = found.value.length > longestValue ? "…" : "";
  return { ...found, message, value: copyOf(found.value, longestValue) + more };
}
