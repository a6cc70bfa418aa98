import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Disk } from "../model/disk/disk.ts";
import { holdsBackKey } from "../model/key-failure.ts";
import type { PreparedInput } from "./prepare-input.ts";

/**
 * The `order_by` keys that an interrupted run holds back, read from its failed rows in their order:
 * what comes after a row that did not succeed stays held back when the run goes on.
 */
export async function* heldBackKeys(
  disk: Disk,
  failedRowsFile: string | undefined,
  { mapRow, onKeyFailure }: Pick<PreparedInput, "mapRow" | "onKeyFailure">,
): AsyncGenerator<{ key: string; row: number }> {
  if (failedRowsFile === undefined || onKeyFailure === "continue") return;
  const stream = disk.readChunks(failedRowsFile);
  const source = await openResultsFile({ kind: "stream", stream, name: failedRowsFile }, asWritten);
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        const status = row.earlier?.status;
        if (status === undefined || !holdsBackKey(status, onKeyFailure)) continue;
        const { orderKey: key } = mapRow(row);
        if (key !== undefined) yield { key, row: row.row };
      }
    }
  } finally {
    await source.close();
  }
}
