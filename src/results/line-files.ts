import { type CsvFile, createCsvFile } from "./csv-file.ts";
import type { RunFiles } from "./run-files.ts";

/** The results, and beside them the failed rows as soon as there are any. */
export interface LineFiles {
  /** @throws DiskError */
  appendResults(lines: readonly (readonly string[])[]): Promise<void>;
  /** @throws DiskError, or CannotStartError where somebody has made a file of that name meanwhile */
  appendFailed(lines: readonly (readonly string[])[]): Promise<void>;
  /** Absent as long as nothing has failed. */
  readonly failedRowsFile: string | undefined;
  /**
   * Makes sure that both are on the disk, and closes them in any case.
   *
   * @throws DiskError
   */
  close(): Promise<void>;
  /** Takes them away again. */
  remove(): Promise<void>;
}

/** @throws CannotStartError where the results exist already or cannot be made */
export async function createLineFiles(
  { results: resultsPath, failed: failedPath }: RunFiles,
  header: readonly string[],
): Promise<LineFiles> {
  const results = await createCsvFile(resultsPath, header);
  let failed: CsvFile | undefined;
  return {
    appendResults: results.append,
    async appendFailed(lines) {
      if (lines.length === 0) return;
      failed ??= await createCsvFile(failedPath, header);
      await failed.append(lines);
    },
    get failedRowsFile() {
      return failed?.path;
    },
    async close() {
      const ends = await Promise.allSettled([results.close(), failed?.close()]);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
    async remove() {
      await results.remove();
      await failed?.remove();
    },
  };
}
