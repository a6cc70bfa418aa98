import { CannotStartError, cannotStart, InputDamagedError, reasonOf } from "../../model/errors.ts";
import { type Reading, usualRecordBytes } from "../../model/reading.ts";
import type { Source } from "../source.ts";
import { chooseSheet } from "./choose-sheet.ts";
import { odsContent } from "./ods-content.ts";
import { openOds } from "./open-ods.ts";
import { openXlsx } from "./open-xlsx.ts";
import type { RandomAccess } from "./random-access.ts";
import type { SheetRow } from "./sheet-row.ts";
import { createSheetRowMaker } from "./sheet-row-maker.ts";
import { readSheetTop } from "./sheet-top.ts";
import type { Workbook } from "./workbook.ts";
import { openZipArchive, type ZipArchive } from "./zip-archive.ts";

/** A row that is short in the sheet is as wide as the header once it is made. */
const mostCellsAtOnce = 256 * 1024;

/**
 * Opens a sheet of an .xlsx or .ods workbook. Reading it can begin only at its beginning.
 *
 * @throws CannotStartError where it is no workbook, is damaged, or it is not clear which sheet is meant
 */
export async function openWorkbook(
  name: string,
  bytes: RandomAccess,
  reading: Reading,
): Promise<Source> {
  let line = 0;
  let bytesRead = 0;
  try {
    refuseTextOptions(name, reading);
    const { sheets } = await openAny(name, await openZipArchive(bytes));
    const sheet = chooseSheet(name, sheets, reading.sheet);
    const rows = sheet.rows({
      maxRowChars: reading.maxRecordBytes ?? usualRecordBytes,
      onPacked: (count) => {
        bytesRead += count;
      },
    });
    const { columns, rest } = await readSheetTop(name, rows, reading);
    const maker = createSheetRowMaker(columns, rest.line);
    const rowsAtOnce = Math.max(1, Math.floor(mostCellsAtOnce / columns.length));
    line = rest.line;
    async function* batches() {
      try {
        for await (const batch of rest.batches) {
          for (let at = 0; at < batch.length; at += rowsAtOnce) {
            const rows = batch.slice(at, at + rowsAtOnce);
            line = (rows.at(-1) as SheetRow).line;
            yield maker.make(rows);
          }
        }
      } catch (error) {
        throw new InputDamagedError(line + 1, damageAfter(line, error));
      }
    }
    return {
      name,
      dialect: { sheet: sheet.name },
      warnings: [],
      columns,
      batches: batches(),
      batchStart: () => undefined,
      totalBytes: sheet.packedBytes,
      bytesRead: () => bytesRead,
      blankLines: maker.blankLines,
      async close() {
        await rows.return(undefined).catch(() => {});
        await bytes.close();
      },
    };
  } catch (error) {
    await bytes.close();
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("workbook_unreadable", name, reasonOf(error));
  }
}

async function openAny(name: string, archive: ZipArchive): Promise<Workbook> {
  if (archive.has("[Content_Types].xml") && archive.has("_rels/.rels")) return openXlsx(archive);
  if (archive.has(odsContent)) return openOds(archive);
  throw cannotStart("zip_without_workbook", name);
}

function damageAfter(line: number, error: unknown): string {
  return `the sheet cannot be read after row ${line} (${reasonOf(error)}): open it in a spreadsheet program and save it again.`;
}

/** A workbook says itself what these say of text. */
function refuseTextOptions(name: string, { encoding, delimiter, quote }: Reading) {
  const given = Object.entries({ encoding, delimiter, quote }).find(
    ([, value]) => value !== undefined,
  );
  if (given === undefined) return;
  throw cannotStart("option_invalid", `--${given[0]}`, `${name} is a workbook, which has none`);
}
