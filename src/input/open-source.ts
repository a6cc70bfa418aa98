import type { Reading } from "../model/reading.ts";
import type { SourcePosition } from "../model/source-position.ts";
import { detectFormat } from "./detect-format.ts";
import { openCsv } from "./open-csv.ts";
import type { InputSpec } from "./read-bytes.ts";
import type { Source } from "./source.ts";

/**
 * Opens an input: a workbook, or CSV, perhaps compressed. Its kind, encoding, delimiter and first line
 * are detected unless they are given.
 *
 * @param reading how to read it, as far as that is given
 * @param from where to continue after the header; only an uncompressed UTF-8 file can start anywhere
 *   but at its beginning
 * @throws CannotStartError if there is no such file, it cannot be read, or it has no header
 */
export async function openSource(
  input: InputSpec,
  reading: Reading = {},
  from?: SourcePosition,
): Promise<Source> {
  const detected = await detectFormat(input);
  switch (detected.kind) {
    case "workbook": {
      const { openWorkbook } = await import("./workbook/open-workbook.ts");
      return openWorkbook(input.name, detected.bytes, reading);
    }
    case "text":
      return openCsv(input, detected, reading, from);
  }
}
