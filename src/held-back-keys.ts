import type { Disk } from "./domain/disk.ts";
import type { Mapper } from "./mapping/compile-mapping.ts";
import { openResultsFile } from "./source/open-results-file.ts";

/**
 * The `order_by` keys that an interrupted run holds back, read from its failed rows: what comes after
 * a row that failed or is unknown stays blocked when the run goes on.
 */
export async function* heldBackKeys(
  disk: Disk,
  failedRowsFile: string | undefined,
  mapRow: Mapper,
): AsyncGenerator<{ key: string; row: number }> {
  if (failedRowsFile === undefined) return;
  const stream = disk.readChunks(failedRowsFile);
  const source = await openResultsFile({ kind: "stream", stream, name: failedRowsFile });
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        const status = row.earlier?.status;
        if (status !== "failed" && status !== "unknown") continue;
        const mapped = mapRow(row);
        if (mapped.kind !== "events" || mapped.orderKey === undefined) continue;
        yield { key: mapped.orderKey, row: row.row };
      }
    }
  } finally {
    await source.close();
  }
}
