import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Disk } from "../model/disk/disk.ts";
import { holdsBackKey, type OnKeyFailure } from "../model/key-failure.ts";
import { type EndedLine, readEndedLine } from "../model/outcome-groups.ts";
import type { Row } from "../model/row.ts";

/** A line that did not succeed in an earlier part of the run. */
export interface EarlierFailure {
  readonly row: number;
  /** Undefined if the line does not say how it ended. */
  readonly ended: EndedLine | undefined;
  /** The ordering key that it blocks: the later rows of the key stay blocked when the run is resumed. */
  readonly blockedKey: string | undefined;
}

/** Reads what did not succeed before an interruption from the failed rows, in their order. */
export async function* readEarlierFailures(
  disk: Disk,
  failedRowsFile: string | undefined,
  order: {
    readonly onKeyFailure: OnKeyFailure;
    /** The key in whose order a line is sent. */
    readonly keyOf: (row: Row) => string | undefined;
  },
): AsyncGenerator<EarlierFailure> {
  if (failedRowsFile === undefined) return;
  const stream = disk.readChunks(failedRowsFile);
  const source = await openResultsFile({ kind: "stream", stream, name: failedRowsFile }, asWritten);
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        const status = row.earlier?.status;
        const isBlocker = status !== undefined && holdsBackKey(status, order.onKeyFailure);
        const blockedKey = isBlocker ? order.keyOf(row) : undefined;
        yield { row: row.row, ended: readEndedLine(row), blockedKey };
      }
    }
  } finally {
    await source.close();
  }
}
