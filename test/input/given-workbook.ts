import type { Reading } from "../../src/model/reading.ts";
import { cut, type Reading as ReadTable, readAll, streamOf } from "./given-bytes.ts";

export { odsOf, xlsxParts, xlsxRow, zipOf } from "./workbook-bytes.mjs";

/** All rows of some bytes, which come in pieces of this length. */
export async function readTable(
  bytes: Buffer,
  reading: Reading = {},
  pieceBytes = bytes.length,
): Promise<ReadTable> {
  const input = { ...streamOf(...cut(bytes, [pieceBytes])), name: "input" };
  const { damage, ...read } = await readAll(input, reading);
  if (damage !== undefined) throw damage;
  return read;
}

export const cellsOf = ({ rows }: Pick<ReadTable, "rows">) => rows.map(({ cells }) => cells);
