import { messageTemplate } from "./message-template.ts";
import type { EventStatus, Outcome } from "./outcome.ts";
import { placeOf } from "./place.ts";
import type { Row } from "./row.ts";

/** How a line of the results ended. */
export interface EndedLine {
  readonly status: EventStatus;
  readonly code: string;
  readonly message: string;
  readonly row: number;
  /** In the input that is read, or the original one; where that is known. */
  readonly line: number | undefined;
  /** The file that it is from, if there are several. */
  readonly source: string | undefined;
  /** The file in which the line is, if that is a results file. */
  readonly resultsFile?: string;
}

/** A line of a results file as it was read; undefined if it does not say how it ended. */
export function readEndedLine({ row, earlier }: Row): EndedLine | undefined {
  if (earlier?.status === undefined) return undefined;
  const { status, errorCode: code, error: message, line, source } = earlier;
  return { status, code, message, row, line, source };
}

/** The same of a line that is about to be written. */
export function endedLine(row: Row, { status, errorCode, error }: Outcome): EndedLine | undefined {
  if (status === "not_sent") return undefined;
  return {
    ...{ status: status, code: errorCode ?? "", message: error ?? "" },
    ...{ source: row.earlier?.source, ...placeOf(row) },
  };
}

/** Lines that ended in the same way and say the same. */
export interface OutcomeGroup {
  readonly status: EventStatus;
  readonly code: string;
  /** As it is where all say the very same, else what they have in common. */
  readonly message: string;
  readonly count: number;
  readonly first: readonly EndedLine[];
}

export interface OutcomeGroups {
  add(line: EndedLine): void;
  /** The largest first. */
  groups(): OutcomeGroup[];
  /** Lines without a group, as there were too many groups. */
  readonly ungrouped: number;
}

interface Growing {
  readonly example: EndedLine;
  readonly template: string;
  readonly first: EndedLine[];
  count: number;
  isAlike: boolean;
}

const longestKept = 1000;

/**
 * Groups lines by status, code and message, in memory that does not grow with their number.
 *
 * @param maxGroups of those that come first
 * @param rowsEach how many lines of each are kept
 */
export function createOutcomeGroups(maxGroups = 200, rowsEach = 5): OutcomeGroups {
  const growing = new Map<string, Growing>();
  let ungrouped = 0;
  /** Keeps the lines of the first rows: lines do not arrive in row order. */
  const keepFirst = (first: EndedLine[], line: EndedLine) => {
    const last = first.at(-1);
    const isFull = first.length >= rowsEach;
    if (isFull && (last === undefined || last.row <= line.row)) return;
    const at = first.findIndex(({ row }) => row > line.row);
    first.splice(at < 0 ? first.length : at, 0, cut(line));
    if (isFull) first.pop();
  };
  return {
    add(line) {
      const template = messageTemplate(line.message);
      const key = `${line.status} ${line.code} ${template}`;
      let group = growing.get(key);
      if (group === undefined) {
        if (growing.size >= maxGroups) {
          ungrouped++;
          return;
        }
        group = { example: cut(line), template, first: [], count: 0, isAlike: true };
        growing.set(key, group);
      }
      group.count++;
      if (group.isAlike && !isSame(line, group.example)) group.isAlike = false;
      keepFirst(group.first, line);
    },
    groups: () =>
      [...growing.values()]
        .toSorted((one, other) => other.count - one.count)
        .map(({ example, template, first, count, isAlike }) => ({
          status: example.status,
          code: example.code,
          message: isAlike ? example.message : template,
          count,
          first,
        })),
    get ungrouped() {
      return ungrouped;
    },
  };
}

function isSame({ message }: EndedLine, example: EndedLine): boolean {
  return message.slice(0, longestKept) === example.message;
}

/** A slice alone would keep the whole text of a row in memory. */
function cut(line: EndedLine): EndedLine {
  const message = Buffer.from(line.message.slice(0, longestKept)).toString();
  return { ...line, message };
}
