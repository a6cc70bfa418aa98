import type { Disk } from "../model/disk/disk.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { Checkpoint } from "../model/run-record.ts";
import { type CsvFile, createCsvFile, makeRoomFor, reopenCsvFile } from "./csv-file.ts";

/** How far both files are written. */
export type WrittenBytes = Pick<Checkpoint, "resultsBytes" | "failedBytes">;

/** The results, and beside them the failed rows as soon as there are any. */
export interface LineFiles {
  /**
   * Adds whole records, as CSV.
   *
   * @throws DiskError, or CannotStartError where somebody has made a file for failed rows meanwhile
   */
  append(results: string, failed: string): Promise<void>;
  written(): WrittenBytes;
  /** Absent as long as nothing has failed. */
  readonly failedRowsFile: string | undefined;
  /**
   * Makes sure that both are on the disk.
   *
   * @throws DiskError
   */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Takes them away again. */
  remove(): Promise<void>;
}

/**
 * @param from how far an interrupted run had written them
 * @throws CannotStartError if the results exist already, or cannot be made or resumed
 */
export async function openLineFiles(
  disk: Disk,
  { results: resultsPath, failed: failedPath }: RunFiles,
  header: readonly string[],
  from?: WrittenBytes,
): Promise<LineFiles> {
  // What an interrupted run made after its last record of it is made again.
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
