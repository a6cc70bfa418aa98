import type { Disk } from "../model/disk/disk.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { Checkpoint } from "../model/run-record.ts";
import { type CsvFile, createCsvFile, makeRoomFor, reopenCsvFile } from "./csv-file.ts";

/** How much of both files is written. */
export type WrittenBytes = Pick<Checkpoint, "resultsBytes" | "failedBytes">;

/** The results file, and the file of failed rows as soon as there are any. */
export interface ResultsFiles {
  /**
   * Adds whole records, as CSV.
   *
   * @throws DiskError, or CannotStartError if there is another file where the failed rows should be
   */
  append(results: string, failed: string): Promise<void>;
  written(): WrittenBytes;
  /** Undefined as long as there are no failed rows. */
  readonly failedRowsFile: string | undefined;
  /**
   * Syncs both files to the disk.
   *
   * @throws DiskError
   */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Deletes both files. */
  remove(): Promise<void>;
}

/**
 * @param from how much of them an interrupted run has written
 * @throws CannotStartError if the results exist already, or cannot be created or continued
 */
export async function openResultsFiles(
  disk: Disk,
  { results: resultsPath, failed: failedPath }: RunFiles,
  header: readonly string[],
  from?: WrittenBytes,
): Promise<ResultsFiles> {
  // Files that an interrupted run created after its last checkpoint are created again.
  if (from?.resultsBytes === 0) await makeRoomFor(disk, resultsPath, header);
  if (from?.failedBytes === null) await makeRoomFor(disk, failedPath, header);
  const results =
    from === undefined || from.resultsBytes === 0
      ? await createCsvFile(disk, resultsPath, header)
      : await reopenCsvFile(disk, resultsPath, header, from.resultsBytes);
  let failed: CsvFile | undefined;
  if (from !== undefined && from.failedBytes !== null) {
    failed = await reopenCsvFile(disk, failedPath, header, from.failedBytes).catch(
      async (error) => {
        await results.close();
        throw error;
      },
    );
  }

  const failedFile = async () => {
    failed ??= await createCsvFile(disk, failedPath, header);
    return failed;
  };

  return {
    async append(resultRecords, failedRecords) {
      await results.append(resultRecords);
      if (failedRecords !== "") await (await failedFile()).append(failedRecords);
    },
    written: () => ({ resultsBytes: results.bytes, failedBytes: failed?.bytes ?? null }),
    get failedRowsFile() {
      return failed?.path;
    },
    async sync() {
      await results.sync();
      await failed?.sync();
      await disk.syncFolder(resultsPath);
    },
    async close() {
      await results.close();
      await failed?.close();
    },
    async remove() {
      await results.remove();
      await failed?.remove();
    },
  };
}
