import { asWritten } from "../input/open-results-file.ts";
import { openSource } from "../input/open-source.ts";
import type { UnfinishedRun } from "../journal/unfinished-run.ts";
import type { Disk } from "../model/disk/disk.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { type EventStatus, isDone } from "../model/outcome.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { Checkpoint } from "../model/run-record.ts";
import { createCsvFile } from "../results/csv-file.ts";
import { toCsv } from "../results/to-csv.ts";
import { beginning } from "./read-positions.ts";

/**
 * What an unfinished run is to be resumed from where its results or failed rows are gone. Failed rows are
 * made again from the results. Results are begun again: the journal has the outcomes of their last rows,
 * and of those before it is known only that they had one.
 *
 * @throws CannotStartError if only the results are gone, or the failed rows cannot be made again
 */
export async function withoutLostFiles(
  disk: Disk,
  unfinished: UnfinishedRun,
  files: RunFiles,
): Promise<UnfinishedRun> {
  const { checkpoint } = unfinished;
  if (checkpoint === undefined || checkpoint.resultsBytes === 0) return unfinished;
  const { failedBytes } = checkpoint;
  const hasFailed = failedBytes !== null && (await isThere(disk, files.failed));
  if (!(await isThere(disk, files.results))) {
    if (hasFailed) throw cannotStart("results_gone", files.results, files.failed);
    const rowsLost = Math.max(checkpoint.rows, checkpoint.rowsLost ?? 0);
    return { ...unfinished, checkpoint: { ...beginning(), rowsLost } };
  }
  if (failedBytes === null || hasFailed) return unfinished;
  const made = await makeFailedRows(disk, files, checkpoint);
  return { ...unfinished, checkpoint: { ...checkpoint, failedBytes: made } };
}

async function isThere(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

/** @returns their bytes */
async function makeFailedRows(
  disk: Disk,
  { results, failed }: RunFiles,
  { resultsBytes }: Checkpoint,
): Promise<number> {
  const stream = first(resultsBytes, disk.readChunks(results));
  const source = await openSource({ kind: "stream", stream, name: results }, asWritten);
  try {
    const status = source.columns.indexOf("import_status");
    const file = await createCsvFile(disk, failed, source.columns);
    try {
      for await (const rows of source.batches) {
        const lines = rows.map(({ cells }) => cells);
        const notDone = lines.filter((cells) => !isDone(cells[status] as EventStatus));
        await file.append(toCsv(notDone));
      }
      await file.sync();
      return file.bytes;
    } finally {
      await file.close();
    }
  } finally {
    await source.close();
  }
}

async function* first(bytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
