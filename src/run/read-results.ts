import { basename } from "node:path";
import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import { CannotStartError, InputDamagedError } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import type { ResultsAccount, UnreadResults } from "../report/reported-run.ts";
import { createResultsAccount } from "../report/results-account.ts";

const { maxRecordBytes } = asWritten;
/** Somebody may have saved them in another form since; only the length of a record is known. */
const reading: Reading = maxRecordBytes === undefined ? {} : { maxRecordBytes };

/**
 * Adds up what a results file says.
 *
 * @param most lines to read; default all
 * @returns why it cannot be read, where it cannot at all
 */
export async function readResults(
  path: string,
  most = Number.POSITIVE_INFINITY,
): Promise<ResultsAccount | UnreadResults> {
  const name = basename(path);
  const running = createResultsAccount();
  try {
    const source = await openResultsFile({ kind: "file", path, name }, reading);
    try {
      let left = most;
      lines: for await (const rows of source.batches) {
        for (const row of rows) {
          if (left-- <= 0) break lines;
          running.add(row);
        }
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof InputDamagedError) return running.account(`${name}: ${error.message}`);
    if (error instanceof CannotStartError) {
      return { problem: error.message, isMissing: error.code === "input_not_found" };
    }
    throw error;
  }
  return running.account();
}
