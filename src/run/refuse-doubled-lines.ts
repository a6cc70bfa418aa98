import { InputDamagedError } from "../model/errors.ts";
import { isDone } from "../model/outcome.ts";
import type { EarlierOutcome, Row } from "../model/row.ts";
import { createTextSet, type TextSet } from "../model/text-set.ts";
import { isEventId } from "./plan-row.ts";

type Batches = AsyncIterable<readonly Row[]>;

/**
 * Passes on the lines of a results file, up to one of an event that stood on a line before it, as when
 * somebody has pasted the failed rows under the results: it would be sent again though it was sent, or
 * is to be.
 *
 * @param openAgain begins another pass, for the other line; undefined if the first was the only one
 * @throws InputDamagedError after the last line before that one
 */
export async function* refuseDoubledLines(
  batches: Batches,
  openAgain?: () => Promise<{ readonly batches: Batches; close(): Promise<void> }>,
): AsyncGenerator<readonly Row[]> {
  const isDoubled = createDoubledLines();
  for await (const rows of batches) {
    const at = rows.findIndex(isDoubled);
    const second = rows[at];
    if (second === undefined) {
      yield rows;
      continue;
    }
    if (at > 0) yield rows.slice(0, at);
    throw new InputDamagedError(second.line, describe(second, await firstOf(second)));
  }

  async function firstOf(second: Row): Promise<Row | undefined> {
    const again = await openAgain?.();
    if (again === undefined) return undefined;
    try {
      for await (const rows of again.batches) {
        const first = rows.find((row) => row.line < second.line && areOfOneEvent(row, second));
        if (first !== undefined) return first;
      }
    } finally {
      await again.close();
    }
    return undefined;
  }
}

function describe(second: Row, first: Row | undefined): string {
  const { row, earlier } = second;
  const event = earlier?.event ?? first?.earlier?.event;
  const which = `${event === undefined ? "" : `event ${event} of `}row ${row}`;
  const statusOf = ({ line, earlier }: Row) =>
    `line ${line}${earlier?.status === undefined ? "" : ` (${earlier.status})`}`;
  const where =
    first === undefined
      ? `${statusOf(second)} and a line before it are`
      : `${statusOf(first)} and ${statusOf(second)} are`;
  return `${where} both for ${which}, which must not be sent twice: keep the line that holds and delete the other; there may be more such lines below.`;
}

/** Looks whether a line stands for the same event as one that was seen before it. */
function createDoubledLines(): (row: Row) => boolean {
  const inputs = new Map<string, Map<number, RowMarks>>();
  let ids: TextSet | undefined;

  return ({ row, problem, earlier }) => {
    if (earlier === undefined) return false;
    switch (identifiedBy(earlier)) {
      case "nothing":
        return false;
      case "id":
        ids ??= createTextSet(maxIds);
        ids.begin(0);
        ids.add(earlier.eventId.toLowerCase());
        return ids.end();
      case "row":
        break;
    }
    const { input = "", event = wholeRow, status } = earlier;
    const events = inputs.get(input) ?? new Map<number, RowMarks>();
    inputs.set(input, events);
    const isSettled = problem !== undefined || (status !== undefined && isDone(status));
    const mark = isSettled ? stands : toBeSent;
    let before = 0;
    for (const [other, rows] of events) {
      if (other === event || other === wholeRow || event === wholeRow) before |= rows.get(row);
    }
    const rows = events.get(event) ?? createRowMarks();
    events.set(event, rows);
    rows.add(row, mark);
    return before !== 0 && (mark === toBeSent || before === toBeSent);
  };
}

function areOfOneEvent(one: Row, other: Row): boolean {
  const [a, b] = [one.earlier, other.earlier];
  if (a === undefined || b === undefined || identifiedBy(a) !== identifiedBy(b)) return false;
  if (identifiedBy(a) === "id") return a.eventId.toLowerCase() === b.eventId.toLowerCase();
  const isSame = a.event === b.event || a.event === undefined || b.event === undefined;
  return one.row === other.row && a.input === b.input && isSame;
}

/** What identifies the event of a line: nothing if somebody added the line. */
function identifiedBy({ row, input, eventId }: EarlierOutcome): "row" | "id" | "nothing" {
  // Without the inputs, rows of several files that were joined may have the same number.
  if (isEventId(eventId) && (row === undefined || input === undefined)) return "id";
  return row === undefined ? "nothing" : "row";
}

/** A line that does not say which event of its row it is for may be for any of them. */
const wholeRow = -1;

const stands = 1;
const toBeSent = 3;

/** Where the row or the input was lost; more lines than that are not looked at for it. */
const maxIds = 8_000_000;

/** What is known of a row, in two bits. */
export interface RowMarks {
  /** 0 for a row of which nothing is known. */
  get(row: number): number;
  /** Adds to what is known. */
  add(row: number, mark: 1 | 2 | 3): void;
}

/**
 * Two bits for each of very many row numbers, in pages that are there only where a row is marked:
 * a quarter of a byte a row where the rows follow each other.
 */
function createRowMarks(): RowMarks {
  const pages = new Map<number, Uint8Array>();
  const shiftOf = (row: number) => 2 * (row % 4);
  const byteOf = (row: number) => Math.floor((row % rowsInPage) / 4);
  const numberOf = (row: number) => Math.floor(row / rowsInPage);
  return {
    get(row) {
      return ((pages.get(numberOf(row))?.[byteOf(row)] ?? 0) >> shiftOf(row)) & 3;
    },
    add(row, mark) {
      let page = pages.get(numberOf(row));
      if (page === undefined) {
        page = new Uint8Array(rowsInPage / 4);
        pages.set(numberOf(row), page);
      }
      const at = byteOf(row);
      page[at] = (page[at] ?? 0) | (mark << shiftOf(row));
    },
  };
}

const rowsInPage = 4096;
