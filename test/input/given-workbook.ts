import { openSource } from "../../src/input/open-source.ts";
import type { Reading } from "../../src/model/reading.ts";
import type { Row } from "../../src/model/row.ts";

export { odsOf, xlsxParts, xlsxRow, zipOf } from "./workbook-bytes.mjs";

export interface ReadTable {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly blankLines: number;
}

/** All rows of some bytes, which come in pieces of this length. */
export async function readTable(
  bytes: Buffer,
  reading: Reading = {},
  pieceBytes = bytes.length,
): Promise<ReadTable> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  }
  const source = await openSource({ kind: "stream", stream: pieces(), name: "input" }, reading);
  const rows: Row[] = [];
  try {
    for await (const batch of source.batches) rows.push(...batch);
  } finally {
    await source.close();
  }
  return { columns: source.columns, rows, blankLines: source.blankLines() };
}

export const cellsOf = ({ rows }: Pick<ReadTable, "rows">) => rows.map(({ cells }) => cells);
