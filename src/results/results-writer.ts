import type { Disk } from "../model/disk/disk.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import { goneEvent, goneEventText } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import { resultsColumnsOf } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import type { Checkpoint, EventRecord } from "../model/run-record.ts";
import { openPartFile } from "./part-file.ts";
import { createTally, type RunningTally } from "./tally.ts";
import { cellsToCsv, cellToCsv, toCsv } from "./to-csv.ts";

export type ResultsWriter = Awaited<ReturnType<typeof openResultsWriter>>;

export interface ResultsSettings extends LinesOfPart {
  readonly disk: Disk;
  readonly path: string;
  readonly columns: readonly string[];
  /** How much an interrupted run has written. */
  readonly from?: Checkpoint | undefined;
  /** Runs a function later; returns a function that cancels it. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  /** A row has settled: from now on, only its outcomes and the text of its lines are kept. */
  readonly onSettled: (row: Row, chars: number) => void;
  /** The lines of a row have left memory. */
  readonly onWritten: (chars: number) => void;
  /** A write failed; nothing more is written. */
  readonly onDiskError: (error: DiskError) => void;
}

/** What is left of a row that has settled, until its lines are written. */
interface SettledRow {
  readonly rowOfRun: number;
  readonly text: string;
  /** Of the events that were sent. */
  readonly outcomes: readonly Outcome[];
  /** Of its other lines: those that were known without sending, and how many stay as an earlier part wrote them. */
  readonly settledBefore: readonly Outcome[];
  readonly kept: number;
}

type QueuedRow = PendingRow | SettledRow;

/** Lines that wait for longer outlive the young generation, which costs twice the garbage collection. */
const flushAfterMs = 25;
const maxRowsPerWrite = 1024;
const maxCharsPerWrite = 1024 * 1024;
/** A shorter line that is soon written is not worth a copy. */
const longChars = 1024;

/** Writes the lines of a part in input order, whatever the order of the outcomes. */
export async function openResultsWriter(settings: ResultsSettings) {
  const { disk, path, columns, hasSources, from } = settings;
  const header = toCsv([[...columns, ...resultsColumnsOf(hasSources)]]);
  const file = await openPartFile(disk, path, header, from?.resultsBytes ?? 0);

  const settledTally = createTally(from?.tally);
  const written = createTally(from?.tally);
  let rowsWritten = from?.rows ?? 0;
  let rowsSettled = rowsWritten;
  let failure: DiskError | undefined;

  /** Rows in input order, from the first that is not written; before the head they have been. */
  let rows: (QueuedRow | undefined)[] = [];
  let head = 0;
  /** `rowOfRun` of the first of `rows`. */
  let base: number | undefined;
  const isReady = () => isSettled(rows[head]);
  const queued = () => rows.slice(head) as QueuedRow[];
  /** Flushes and snapshots run one at a time. */
  let busy: Promise<void> = Promise.resolve();
  let cancelFlush: (() => void) | undefined;

  const snapshotNow = (): Checkpoint => ({
    rows: rowsWritten,
    resultsBytes: file.bytes,
    tally: written.copy(),
  });

  const settle = (row: PendingRow) => {
    const { rowOfRun, outcomes, lines = [] } = row;
    const text = textOfRow(row, settings);
    const at = rowOfRun - (base ?? 0);
    const settled: SettledRow = {
      rowOfRun,
      outcomes,
      text: at - head > maxRowsPerWrite || text.length > longChars ? inOnePiece(text) : text,
      settledBefore: lines.flatMap((line) => (line.kind === "settled" ? [line.outcome] : [])),
      kept: lines.filter(({ kind }) => kind === "kept").length,
    };
    rows[at] = settled;
    count(settledTally, settled);
    rowsSettled++;
    settings.onSettled(row.row, text.length);
  };

  const abort = (error: unknown) => {
    if (failure !== undefined) return;
    failure = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(failure);
  };

  const write = async (taken: readonly SettledRow[]) => {
    if (taken.length === 0) return;
    await file.append(taken.map(({ text }) => text).join(""));
    rowsWritten += taken.length;
    for (const row of taken) count(written, row);
  };

  const takeSettled = () => {
    const taken: SettledRow[] = [];
    let chars = 0;
    const isFull = () => taken.length === maxRowsPerWrite || chars > maxCharsPerWrite;
    for (let row = rows[head]; isSettled(row) && !isFull(); row = rows[head]) {
      taken.push(row);
      chars += row.text.length;
      rows[head++] = undefined; // or the row stays in memory until the array is cut
    }
    if (head > 1024 && head * 2 > rows.length) {
      rows = rows.slice(head);
      base = (base ?? 0) + head;
      head = 0;
    }
    return { taken, isFull: isFull() };
  };

  const writeReady = async () => {
    for (let isFull = true; isFull; ) {
      const next = takeSettled();
      if (failure === undefined) await write(next.taken).catch(abort);
      for (const { text } of next.taken) settings.onWritten(text.length);
      // Rows that settled meanwhile wait until there are enough again.
      isFull = next.isFull;
    }
  };

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = busy.then(work);
    busy = done.catch(() => {});
    return done;
  };

  const flushSoon = () => {
    if (!isReady()) return;
    cancelFlush ??= settings.schedule(flushAfterMs, () => {
      cancelFlush = undefined;
      void inTurn(writeReady).finally(flushSoon);
    });
  };

  const stopFlushing = () => {
    cancelFlush?.();
    cancelFlush = undefined;
  };

  return {
    get written() {
      return snapshotNow();
    },
    /** What has settled so far, written or not. */
    tally: settledTally.tally,
    get rowsSettled() {
      return rowsSettled;
    },
    /** Adds a row; rows are added in input order. */
    add(row: PendingRow) {
      base ??= row.rowOfRun;
      rows.push(row);
    },
    /** A row has settled. It is written as soon as all rows before it are. */
    settled(row: PendingRow) {
      settle(row);
      flushSoon();
    },
    /**
     * Counts the events that have an outcome, of rows that had not settled when the run stopped; and the attempts of
     * those that have none.
     *
     * @param unread what is on record of rows that were not read again
     */
    countUnsettled(unread: Iterable<readonly EventRecord[]>) {
      for (const records of unread) {
        for (const record of records) settledTally.addRecord(record);
        if (records.every(({ kind }) => kind === "outcome")) rowsSettled++;
      }
      for (const row of queued()) {
        if (isSettled(row)) continue;
        for (const [at, event] of row.events.entries()) {
          const outcome = row.outcomes[at];
          if (outcome !== undefined) settledTally.add([outcome]);
          else settledTally.addAttempts(event.unsettled());
        }
      }
    },
    /**
     * Syncs what is written to the disk. Before anything more is written, `take` gets how much that is, and
     * the records of the events of all rows after it.
     *
     * @returns how much is written
     * @throws DiskError
     */
    async snapshot(take?: (written: Checkpoint, records: Iterable<EventRecord>) => void) {
      let reached = snapshotNow();
      await inTurn(async () => {
        if (failure !== undefined) throw failure;
        await file.sync();
        await disk.syncFolder(path);
        reached = snapshotNow();
        take?.(reached, recordsOf(queued()));
      });
      return reached;
    },
    abort,
    /** Writes all settled rows at the head. */
    async flush() {
      stopFlushing();
      do await inTurn(writeReady);
      while (isReady());
    },
    async close() {
      stopFlushing();
      await busy;
      await file.close();
    },
    async discard() {
      stopFlushing();
      await busy;
      await file.remove();
    },
  };
}

function isSettled(row: QueuedRow | undefined): row is SettledRow {
  return row !== undefined && "text" in row;
}

function count(tally: RunningTally, { outcomes, settledBefore, kept }: SettledRow): void {
  tally.add(outcomes);
  tally.add(settledBefore);
  tally.keep(kept);
}

/** What a resume needs to know of rows that are not in the results. */
function* recordsOf(rows: Iterable<QueuedRow>): Generator<EventRecord> {
  for (const row of rows) {
    const { rowOfRun } = row;
    const events = isSettled(row) ? [] : row.events;
    for (let at = 0; at < Math.max(events.length, row.outcomes.length); at++) {
      const outcome = row.outcomes[at];
      const isOnRecord = outcome !== undefined && isSent(outcome);
      const record = isOnRecord
        ? ({ kind: "outcome", rowOfRun, outcome } as const)
        : outcome === undefined
          ? events[at]?.record()
          : undefined;
      if (record !== undefined) yield record;
    }
  }
}

/** What was not sent has the same outcome when the row is mapped again. */
function isSent({ event, status }: Outcome): boolean {
  return (
    event !== undefined && status !== "skipped" && status !== "blocked" && status !== "invalid"
  );
}

/** V8 keeps a joined text as its parts, and a part keeps the larger text that it was cut from: too much for rows that wait long. */
function inOnePiece(text: string): string {
  return text === "" ? "" : Buffer.from(text).toString();
}

/** What all lines of a part have in common. */
export interface LinesOfPart {
  /** First 16 hex digits of the input's SHA-256. */
  readonly inputId: string;
  /** Whether there is a column for the file that a row is from. */
  readonly hasSources: boolean;
  /** The number of the part, from 1. */
  readonly part: number;
}

/** The lines of a row that has settled, as CSV. */
function textOfRow({ row, lines, outcomes }: PendingRow, part: LinesOfPart): string {
  let text = "";
  if (lines === undefined) {
    for (const outcome of outcomes) text += resultLine(row, row.cells, outcome, part);
    return text;
  }
  for (const line of lines) {
    if (line.kind === "kept") {
      text += line.text;
      continue;
    }
    const outcome =
      line.kind === "settled" ? line.outcome : outcomes.find(({ event }) => event === line.event);
    if (outcome !== undefined) text += resultLine(row, line.cells, outcome, part);
  }
  return text;
}

/** A line of the results: the cells of the input, then its outcome in the order of `resultsColumnsOf`. */
export function resultLine(
  { row, line, source, origin, isGone }: Row,
  cells: readonly string[],
  outcome: Outcome,
  { inputId, hasSources, part }: LinesOfPart,
): string {
  const { event, status, httpStatus = "", attempts, unanswered } = outcome;
  const { errorCode, error, eventId, finishedAt } = outcome;
  // A row that the input does not have stands on no line of it.
  const ofInput = (origin === undefined && isGone !== true ? line : origin?.line) ?? "";
  const ofSource = hasSources ? `,${cellToCsv(origin?.source ?? source)}` : "";
  const place = `${row},${ofInput}${ofSource},${event === goneEvent ? goneEventText : (event ?? "")}`;
  const ended = `${status === "not_sent" ? "" : status},${httpStatus},${attempts},${unanswered}`;
  const failed = `${cellToCsv(errorCode)},${cellToCsv(error)}`;
  const id = `${cellToCsv(eventId)},${cellToCsv(origin?.input ?? inputId)},${part},${cellToCsv(finishedAt)}`;
  return `${cellsToCsv(cells)},${place},${ended},${failed},${id}\n`;
}
