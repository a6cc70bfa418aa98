import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import type { Reading } from "../../src/model/reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { cut, type Reading as ReadTable, readAll, streamOf } from "./given-bytes.ts";

export { odsOf, xlsxParts, xlsxRow, zipOf } from "./workbook-bytes.mjs";

/** A workbook as a file, as it is read from its end. */
export async function fileOf(bytes: Buffer, name = "input"): Promise<InputSpec> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, bytes);
  return { kind: "file", path, name };
}

/** All rows of some bytes; those of a text come in pieces of this length. */
export async function readTable(
  bytes: Buffer,
  reading: Reading = {},
  pieceBytes = bytes.length,
): Promise<ReadTable> {
  const input =
    bytes.toString("latin1", 0, 2) === "PK"
      ? await fileOf(bytes)
      : { ...streamOf(...cut(bytes, [pieceBytes])), name: "input" };
  const { damage, ...read } = await readAll(input, reading);
  if (damage !== undefined) throw damage;
  return read;
}

export const cellsOf = ({ rows }: Pick<ReadTable, "rows">) => rows.map(({ cells }) => cells);
