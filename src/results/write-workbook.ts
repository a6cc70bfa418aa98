import type { PassThrough } from "node:stream";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";

/*
 * Workbooks (.xlsx: ECMA-376, part 1, 18) of one sheet, for people who fix rows in a spreadsheet program. No library
 * does it: exceljs 4.4 takes 750 MB for 500,000 rows, and hucre 1.0, which streams, writes no filter.
 */

/** A row of a sheet. Its cells are text, whatever they look like, but for columns of numbers. */
export interface SheetRow {
  readonly cells: readonly string[];
  /** The place of the cell that stands out. */
  readonly marked?: number;
}

export interface SheetColumn {
  readonly name: string;
  /** In characters. */
  readonly width: number;
  /** Whether its cells are whole numbers, which a program sorts as such. */
  readonly isNumber?: boolean;
}

/** What a sheet holds; the header takes a row of it. */
export const sheetLimits = { rows: 2 ** 20 - 1, columns: 2 ** 14, charsOfCell: 2 ** 15 - 1 };

/**
 * Writes a workbook of one sheet, whose header is frozen and has a filter. Cells have the format of text, so that a
 * program keeps them as they are, also what is typed over them. Memory does not grow with the rows.
 *
 * @param rows within {@link sheetLimits}
 * @throws what the rows throw
 */
export async function* writeWorkbook(
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly SheetRow[]>,
): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  const sheet = Readable.from(writeSheet(zip, columns, rows));
  for (const one of [zip, sheet]) one.on("error", (error: Error) => output.destroy(error));
  zip.addReadStream(sheet, "xl/worksheets/sheet1.xml");
  try {
    yield* output as AsyncIterable<Buffer>;
  } finally {
    sheet.destroy();
  }
}

/** The parts that say how large the sheet is come behind it. */
async function* writeSheet(
  zip: ZipFile,
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly SheetRow[]>,
): AsyncGenerator<Buffer> {
  const letters = columns.map((_, at) => lettersOf(at));
  const rowXml = (row: number, style: (at: number) => Style, cells: readonly string[]) => {
    const xml = cells.map((cell, at) => {
      const place = `${letters[at]}${row}`;
      const isNumber = columns[at]?.isNumber === true && /^[1-9]\d{0,14}$/.test(cell);
      return isNumber ? `<c r="${place}"><v>${cell}</v></c>` : cellXml(place, style(at), cell);
    });
    return `<row r="${row}">${xml.join("")}</row>`;
  };
  const names = columns.map(({ name }) => name);
  const widths = columns.map(
    ({ width }, at) =>
      `<col min="${at + 1}" max="${at + 1}" width="${width}" style="${styles.text}" customWidth="1"/>`,
  );
  yield Buffer.from(
    `${declaration}<worksheet ${main} ${relations}><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join("")}</cols><sheetData>${rowXml(1, () => styles.header, names)}`,
  );
  let row = 1;
  for await (const batch of rows) {
    let xml = "";
    for (const { cells, marked } of batch) {
      row++;
      xml += rowXml(row, (at) => (at === marked ? styles.marked : styles.text), cells);
    }
    yield Buffer.from(xml);
  }
  const range = `A1:${letters.at(-1)}${row}`;
  yield Buffer.from(
    `</sheetData><autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`,
  );
  for (const [path, xml] of Object.entries(partsOf(range))) zip.addBuffer(Buffer.from(xml), path);
  zip.end();
}

/** Places in `cellXfs` of the styles below. */
const styles = { text: 1, header: 2, marked: 3 } as const;
type Style = (typeof styles)[keyof typeof styles];

function cellXml(place: string, style: Style, text: string): string {
  if (text === "") return `<c r="${place}" s="${style}"/>`;
  return `<c r="${place}" s="${style}" t="inlineStr"><is>${textXml(text)}</is></c>`;
}

function textXml(text: string): string {
  return `<t xml:space="preserve">${mustBeEscaped.test(text) ? escapeXml(text) : text}</t>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const unwritable = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;
const mustBeEscaped = new RegExp(`${unwritable.source}|[&<>"]|_x`);

/** What XML cannot hold, and what looks like that, is written as `_x000D_` (22.9.2.19). */
function escapeXml(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replaceAll(unwritable, (sign) => {
      return `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
    })
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** `A`, `B`, … `Z`, `AA` for 0, 1, … */
function lettersOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : lettersOf(Math.floor(at / 26) - 1) + letter;
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const office = "http://schemas.openxmlformats.org";
const main = `xmlns="${office}/spreadsheetml/2006/main"`;
const relations = `xmlns:r="${office}/officeDocument/2006/relationships"`;
const microsoft = "application/vnd.openxmlformats-officedocument.spreadsheetml";

function relationships(...targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, target], at) =>
      `<Relationship Id="rId${at + 1}" Type="${office}/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships xmlns="${office}/package/2006/relationships">${each.join("")}</Relationships>`;
}

/** The parts of a workbook beside its sheet. */
function partsOf(range: string): Record<string, string> {
  const filtered = range.replaceAll(/([A-Z]+)(\d+)/g, "$$$1$$$2");
  return {
    "xl/workbook.xml": `${declaration}<workbook ${main} ${relations}><sheets><sheet name="rows" sheetId="1" r:id="rId1"/></sheets><definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">rows!${filtered}</definedName></definedNames></workbook>`,
    "xl/styles.xml": `${declaration}<styleSheet ${main}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/></patternFill></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/>${["", 'fontId="1" applyFont="1"', 'fillId="2" applyFill="1"'].map((style) => `<xf numFmtId="49" applyNumberFormat="1" ${style}/>`).join("")}</cellXfs></styleSheet>`,
    "xl/_rels/workbook.xml.rels": relationships(
      ["worksheet", "worksheets/sheet1.xml"],
      ["styles", "styles.xml"],
    ),
    "_rels/.rels": relationships(["officeDocument", "xl/workbook.xml"]),
    "[Content_Types].xml": `${declaration}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${[
      ["workbook", "sheet.main"],
      ["worksheets/sheet1", "worksheet"],
      ["styles", "styles"],
    ]
      .map(
        ([part, type]) =>
          `<Override PartName="/xl/${part}.xml" ContentType="${microsoft}.${type}+xml"/>`,
      )
      .join("")}</Types>`,
  };
}
