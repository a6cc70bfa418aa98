import type { Fingerprint } from "../model/fingerprint.ts";
import { isDone } from "../model/outcome.ts";
import type { Tally } from "../model/run-record.ts";
import type { HashedFile } from "./hashed-file.ts";
import type { ResultsReader } from "./results-reader.ts";
import { createTally } from "./tally.ts";

/** Where merged lines go. */
export interface MergeOutputs {
  /** Undefined if the lines are there already, and only their failed ones are wanted. */
  readonly results: HashedFile | undefined;
  /** Creates the file of what did not succeed, at the first such line. */
  readonly createFailed: () => Promise<HashedFile>;
}

export interface MergedResults {
  /** Rows in the results. */
  readonly rows: number;
  /** What all their lines add up to. */
  readonly tally: Tally;
  /** What was read, in the order of the readers. */
  readonly read: readonly Fingerprint[];
  /** Undefined if no results were written. */
  readonly results: Fingerprint | undefined;
  /** Undefined if every line succeeded or was skipped. */
  readonly failed: Fingerprint | undefined;
}

/**
 * Merges results in the order of their rows. The lines of a row are copied as they are, and all from one file: where
 * two have the row, from the later one.
 *
 * What it has written is gone if it throws.
 *
 * @param onTwice where two files have the same row; throws if they must not
 * @param onOpen sees each line that did not succeed
 */
export async function mergeResults(
  readers: readonly ResultsReader[],
  outputs: MergeOutputs,
  onTwice: (replaced: ResultsReader, by: ResultsReader) => void,
  onOpen: (line: ResultsReader) => void,
): Promise<MergedResults> {
  let failed: HashedFile | undefined;
  const createFailed = async () => {
    failed = await outputs.createFailed();
    return failed;
  };
  try {
    return await mergeInto(readers, { ...outputs, createFailed }, onTwice, onOpen);
  } catch (error) {
    await outputs.results?.discard();
    await failed?.discard();
    throw error;
  }
}

async function mergeInto(
  readers: readonly ResultsReader[],
  { results, createFailed }: MergeOutputs,
  onTwice: (replaced: ResultsReader, by: ResultsReader) => void,
  onOpen: (line: ResultsReader) => void,
): Promise<MergedResults> {
  const [first] = readers;
  if (first === undefined) throw new Error("there is nothing to merge");
  const tally = createTally();
  let rows = 0;
  let lastRow = 0;
  let failed: HashedFile | undefined;
  let open: Buffer[] = [];
  const take = (lines: Buffer) => results?.add(lines);
  const drop = () => undefined;
  const see = (line: ResultsReader) => {
    const { status = "not_sent" } = line;
    if (line.row !== lastRow) rows++;
    lastRow = line.row ?? lastRow;
    tally.addLine(status, line.hasEvent, line.attempts, line.unanswered);
    if (isDone(status)) return;
    onOpen(line);
    open.push(Buffer.from(line.bytes()));
  };
  const writeOpen = async () => {
    const lines = open;
    open = [];
    if (lines.length === 0) return;
    if (failed === undefined) {
      failed = await createFailed();
      await failed.add(first.header);
    }
    await failed.add(Buffer.concat(lines));
  };

  await results?.add(first.header);
  const order = new Map(readers.map((reader, at) => [reader, at]));
  const queue = readers.filter(({ row }) => row !== undefined).toSorted(lowestLast);
  for (let reader = queue.pop(); reader !== undefined; reader = queue.pop()) {
    const other = queue.at(-1);
    const until = other?.row ?? Number.POSITIVE_INFINITY;
    if (other !== undefined && reader.row === until) {
      queue.pop();
      const isEarlier = (order.get(reader) ?? 0) < (order.get(other) ?? 0);
      const [replaced, by] = isEarlier ? [reader, other] : [other, reader];
      onTwice(replaced, by);
      await replaced.copyUntil(until + 1, drop, () => {});
      insert(queue, replaced);
      insert(queue, by);
      continue;
    }
    // In pieces, so that what did not succeed does not pile up.
    await reader.copyUntil(until, (lines) => after(take(lines), writeOpen, open.length > 0), see);
    await writeOpen();
    insert(queue, reader);
  }
  return {
    rows,
    tally: tally.tally,
    read: readers.map((reader) => reader.fingerprint()),
    results: await results?.finish(),
    failed: await failed?.finish(),
  };
}

/** Goes on after a write, if there is one or more to write. */
function after(
  writing: Promise<void> | undefined,
  next: () => Promise<void>,
  isNeeded: boolean,
): Promise<void> | undefined {
  if (!isNeeded) return writing;
  return writing === undefined ? next() : writing.then(next);
}

function lowestLast(one: ResultsReader, other: ResultsReader): number {
  return (other.row ?? 0) - (one.row ?? 0);
}

function insert(queue: ResultsReader[], reader: ResultsReader): void {
  if (reader.row === undefined) return;
  let [from, to] = [0, queue.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (lowestLast(queue[middle] as ResultsReader, reader) < 0) from = middle + 1;
    else to = middle;
  }
  queue.splice(from, 0, reader);
}
