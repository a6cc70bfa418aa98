import { asWritten } from "../input/open-results-file.ts";
import { openSource } from "../input/open-source.ts";
import type { Source } from "../input/source.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../model/errors.ts";
import { type EventStatus, noCounts, type StatusCounts } from "../model/outcome.ts";
import type { EndedLine } from "../model/outcome-groups.ts";
import { count } from "../model/quantities.ts";
import { recordBytesLimit } from "../model/reading.ts";
import { type ResultsColumn, sourceColumn } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import type { Manifest } from "../results/manifest.ts";
import type { ShardResults } from "./shards-to-merge.ts";

/** Refuses results that somebody has changed since their run. */
export function shardChangedError(name: string, why: string): CannotStartError {
  return cannotStart("merge_impossible", name, `${why}; put it back as its run wrote it`);
}

/** Reads the results of a shard line by line. */
export interface ShardReader {
  readonly name: string;
  readonly columns: readonly string[];
  /** The number of the row of the present line; undefined after the last. */
  readonly row: number | undefined;
  readonly cells: readonly string[];
  readonly status: EventStatus;
  ended(): EndedLine;
  /** Goes to the next line. @returns undefined if it is read already, as most lines are */
  next(): Promise<void> | undefined;
  /** Refuses results that are not as their run wrote them, when all lines are read. */
  refuseChanged(): void;
  close(): Promise<void>;
}

/** The results of a complete run, and its manifest. */
type WrittenResults = Pick<ShardResults, "path" | "name" | "manifest">;

type ChangedError = (why: string) => CannotStartError;

/**
 * Reads results to their end.
 *
 * @throws CannotStartError if they are not as their run wrote them
 */
export async function refuseChangedResults(
  results: WrittenResults,
  changedError: ChangedError,
): Promise<void> {
  const reader = await openShard(results, changedError);
  try {
    while (reader.row !== undefined) await reader.next();
    reader.refuseChanged();
  } finally {
    await reader.close();
  }
}

export async function openShard(
  { path, name, manifest }: WrittenResults,
  changedError: ChangedError = (why) => shardChangedError(name, why),
): Promise<ShardReader> {
  const spec = { kind: "file", path, name } as const;
  const reading = { ...asWritten, maxRecordBytes: recordBytesLimit, mayHoldRows: true };
  const source = await openSource(spec, reading).catch((error: unknown) => {
    const isEmpty = error instanceof CannotStartError && error.code === "input_empty";
    throw isEmpty ? changedError("it is empty") : error;
  });
  const place = (column: string) => {
    const at = source.columns.indexOf(column);
    if (at < 0) throw changedError(`it has no column ${column}`);
    return at;
  };
  try {
    const [rowAt, lineAt, statusAt] = [
      place("import_row"),
      place("import_line"),
      place("import_status"),
    ];
    const batches = source.batches[Symbol.asyncIterator]();
    const counts = noCounts();
    let batch: readonly Row[] = [];
    let at = 0;
    let lines = 0;
    let row: number | undefined;
    let cells: readonly string[] = [];

    const textOf = (column: ResultsColumn) => cells[source.columns.indexOf(column)] ?? "";
    const take = () => {
      const found = batch[at++] as Row;
      const { problem } = found;
      // NUL characters in cells are as they were in the input.
      if (problem !== undefined && problem.code !== "nul_character") {
        throw changedError(`its line ${found.line} ${problem.message}`);
      }
      cells = found.cells;
      const number = Number(cells[rowAt] || Number.NaN);
      if (!Number.isSafeInteger(number) || number < (row ?? 1)) {
        throw changedError(`its line ${found.line} is not of a row after those before it`);
      }
      row = number;
      lines++;
      const status = cells[statusAt] ?? "";
      if (!Object.hasOwn(counts, status)) {
        throw changedError(`the status of its line ${found.line} cannot be read`);
      }
      counts[status as EventStatus]++;
    };
    const read = async () => {
      do {
        const more = await nextBatch(batches, changedError);
        if (more === undefined) {
          row = undefined;
          return;
        }
        batch = more;
        at = 0;
      } while (batch.length === 0);
      take();
    };
    const reader: ShardReader = {
      name,
      columns: source.columns,
      get row() {
        return row;
      },
      get cells() {
        return cells;
      },
      get status() {
        return cells[statusAt] as EventStatus;
      },
      ended: () => ({
        status: reader.status,
        code: textOf("import_error_code"),
        message: textOf("import_error"),
        row: row ?? 0,
        line: Number(cells[lineAt]) || undefined,
        source: source.columns.includes(sourceColumn) ? textOf(sourceColumn) : undefined,
      }),
      next: () => (at < batch.length ? void take() : read()),
      refuseChanged: () => refuseChanged(manifest, lines, counts, changedError),
      close: () => source.close(),
    };
    await reader.next();
    return reader;
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function nextBatch(
  batches: AsyncIterator<Source["batches"] extends AsyncIterable<infer Batch> ? Batch : never>,
  changedError: ChangedError,
): Promise<readonly Row[] | undefined> {
  try {
    const { value, done } = await batches.next();
    return done === true ? undefined : value;
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw changedError(error.message.replace(/\.$/, ""));
  }
}

function refuseChanged(
  { reconciliation, counts: written }: Manifest,
  lines: number,
  counts: StatusCounts,
  changedError: ChangedError,
): void {
  if (lines !== reconciliation.lines) {
    throw changedError(`it has ${count(lines, "line")}, and its run wrote ${reconciliation.lines}`);
  }
  for (const [status, number] of Object.entries(counts)) {
    const wrote = written[status] ?? 0;
    if (number === wrote) continue;
    throw changedError(`${number} of its lines are ${status}, and its run wrote ${wrote}`);
  }
}
