import { CannotStartError, cannotStart, InputDamagedError, reasonOf } from "../../model/errors.ts";
import { count, grouped, listed } from "../../model/quantities.ts";
import { type Reading, usualRecordBytes } from "../../model/reading.ts";
import { quote, type RowProblem } from "../../model/row.ts";
import { createRowMaker, holdsText, raggedMark } from "../make-rows.ts";
import type { FileSpec } from "../read-bytes.ts";
import { readTop } from "../read-top.ts";
import type { Source } from "../source.ts";
import { odsContent, openOds } from "./ods-workbook.ts";
import { type CellFlaw, errorCell, type Sheet, type SheetRow } from "./sheet.ts";
import { openXlsx } from "./xlsx-workbook.ts";
import { accessFile, openZipArchive, type ZipArchive } from "./zip-archive.ts";

/** Opens a sheet of a workbook. @throws CannotStartError if it is none, or it is not clear which sheet is meant */
export async function openWorkbook(
  name: string,
  file: FileSpec,
  reading: Reading,
): Promise<Source> {
  const bytes = await accessFile(file);
  let line = 0;
  let bytesRead = 0;
  try {
    refuseTextOptions(name, reading);
    const sheets = await openAny(name, await openZipArchive(bytes));
    const maxRowChars = reading.maxRecordBytes ?? usualRecordBytes;
    const sheet = await chooseSheet(name, sheets, reading, maxRowChars);
    const covered = { count: 0, first: "" };
    const rows = sheet.rows({
      maxRowChars,
      onPacked: (count) => {
        bytesRead += count;
      },
      onCovered: (cell) => {
        if (covered.count++ === 0) covered.first = cell;
      },
    });
    const filled = fromFirst(rows, reading.skipLines ?? 0);
    const top = await readTop(name, filled, reading, { isSheet: true });
    const { columns, warnings } = top;
    warnings.unshift(...aboutHiddenSheets(name, sheets, sheet));
    const maker = createRowMaker<SheetRow>(
      {
        ...{ name, columns, reading, sheetBegin: top.line },
        problemOf: sheetCellProblems(columns, reading.errorsAsText),
      },
      warnings,
    );
    line = top.line;
    async function* batches() {
      try {
        for await (const batch of top.batches) {
          line = batch.at(-1)?.line ?? line;
          yield* maker.make(batch);
        }
      } catch (error) {
        throw new InputDamagedError(line + 1, damageAfter(line, error));
      } finally {
        maker.end();
        if (covered.count > 0) {
          const cells = count(covered.count, "cell");
          const what = `${cells} that a merged cell covers, first ${covered.first}`;
          warnings.push(`${name}: the sheet shows nothing of ${what}, so it is left out.`);
        }
      }
    }
    return {
      name,
      dialect: { sheet: sheet.name },
      warnings,
      columns,
      batches: batches(),
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

async function openAny(name: string, archive: ZipArchive): Promise<readonly Sheet[]> {
  if (archive.has("[Content_Types].xml") && archive.has("_rels/.rels")) return openXlsx(archive);
  if (archive.has(odsContent)) return openOds(archive);
  throw cannotStart("packed_otherwise", name, "zip");
}

function damageAfter(line: number, error: unknown): string {
  return `the sheet cannot be read after row ${line} (${reasonOf(error)}): open it in a spreadsheet program and save it again.`;
}

function refuseTextOptions(name: string, { encoding, delimiter, quote, ...others }: Reading) {
  const given = Object.entries({ encoding, delimiter, quote, escape: others.escape }).find(
    ([, value]) => value !== undefined,
  );
  if (given === undefined) return;
  throw cannotStart("option_invalid", `--${given[0]}`, `${name} is a workbook, which has none`);
}

/**
 * The sheet to read: the one given by its name, or else by its number; if none is given, the only visible one, or the
 * only one of these that has rows.
 */
async function chooseSheet(
  name: string,
  sheets: readonly Sheet[],
  { sheet: wanted, header = true }: Reading,
  maxRowChars: number,
): Promise<Sheet> {
  const rowsOf = new Map<Sheet, string>();
  const listSheets = () => {
    const names = sheets.map((sheet, at) => {
      const about = [sheet.isVisible ? [] : "hidden", rowsOf.get(sheet) ?? []].flat();
      return `${at + 1} ${quote(sheet.name)}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
    });
    return listed(names, maxListed);
  };
  if (wanted !== undefined) {
    const place = /^[1-9]\d{0,4}$/.test(wanted) ? Number(wanted) - 1 : -1;
    const chosen = sheets.find((sheet) => sheet.name === wanted) ?? sheets[place];
    if (chosen === undefined) throw cannotStart("sheet_unknown", name, wanted, listSheets());
    return chosen;
  }
  const visible = sheets.filter(({ isVisible }) => isVisible);
  const candidates = visible.length > 0 ? visible : sheets;
  const [only, ...others] = candidates;
  if (only === undefined) throw cannotStart("workbook_unreadable", name, "it has no sheets");
  if (others.length === 0) return only;
  const filled: Sheet[] = [];
  for (const sheet of sheets.slice(0, maxCounted)) {
    const filledRows = await countSheetRows(sheet, maxRowChars).catch(() => Number.NaN);
    const rows = Math.max(0, header ? filledRows - 1 : filledRows);
    rowsOf.set(sheet, describeRows(rows));
    if (rows !== 0 && candidates.includes(sheet)) filled.push(sheet);
  }
  const [found, second] = filled;
  if (found !== undefined && second === undefined && sheets.length <= maxCounted) return found;
  throw cannotStart("sheet_missing", name, listSheets());
}

const maxListed = 50;
/** To count the rows of a sheet, it is read. */
const maxCounted = 20;
const maxCountedRows = 10_000;

/** How many rows of a sheet hold something. Counting stops at the highest number that is reported. */
async function countSheetRows(sheet: Sheet, maxRowChars: number): Promise<number> {
  let rows = 0;
  const ignored = () => {};
  for await (const batch of sheet.rows({ maxRowChars, onPacked: ignored, onCovered: ignored })) {
    rows += batch.filter(({ cells }) => holdsText(cells)).length;
    if (rows > maxCountedRows) break;
  }
  return rows;
}

/** @param rows NaN if they cannot be counted */
function describeRows(rows: number): string {
  if (Number.isNaN(rows)) return "damaged";
  return rows > maxCountedRows ? `more than ${grouped(maxCountedRows)} rows` : count(rows, "row");
}

/** Warns that the chosen sheet is hidden, or which others are, so that nobody looks at them. */
function aboutHiddenSheets(name: string, sheets: readonly Sheet[], chosen: Sheet): string[] {
  if (!chosen.isVisible) return [`${name}: the sheet ${quote(chosen.name)} is hidden.`];
  const hidden = sheets.filter(({ isVisible }) => !isVisible).map((sheet) => quote(sheet.name));
  if (hidden.length === 0) return [];
  const are = hidden.length === 1 ? "1 hidden sheet is" : `${hidden.length} hidden sheets are`;
  return [`${name}: ${are} not read (${listed(hidden)}): to read one, give --sheet.`];
}

function sheetCellProblems(columns: readonly string[], texts: Reading["errorsAsText"] = []) {
  const isText = ({ value, message }: CellFlaw) =>
    message === errorCell && (texts === "all" || texts.includes(value.trim()));
  return ({ flaws }: SheetRow, cells: readonly string[]): RowProblem | undefined => {
    const [flaw, ...others] = flaws.filter((one) => !isText(one));
    if (flaw === undefined) return undefined;
    const { at, value, message } = flaw;
    const more = `; the same is true of ${count(others.length, "more cell")}`;
    return {
      code: "error_cell",
      column: columns[at] ?? String(at + 1),
      value,
      message: others.length === 0 ? message : message + more,
      mark: raggedMark(cells),
    };
  };
}

/** The rows from the first one that is not blank, after the skipped ones. */
async function* fromFirst(
  batches: AsyncIterable<readonly SheetRow[]>,
  above: number,
): AsyncGenerator<readonly SheetRow[]> {
  let hasBegun = false;
  for await (const rows of batches) {
    const begin = hasBegun
      ? 0
      : rows.findIndex(({ line, cells }) => line > above && holdsText(cells));
    if (begin < 0 || rows.length === 0) continue;
    hasBegun = true;
    yield rows.slice(begin);
  }
}
