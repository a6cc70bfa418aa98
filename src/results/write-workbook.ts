import { type PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";

/*
 * Workbooks (.xlsx: ECMA-376, part 1, 18) of one sheet, for people who fix rows in a spreadsheet program. No library
 * does it: exceljs 4.4 takes 750 MB for 500,000 rows, and hucre 1.0, which streams, writes neither filter nor comments.
 */

/** A row of a sheet. Its cells are text, whatever they look like, but for columns of numbers. */
export interface WrittenRow {
  readonly cells: readonly string[];
  /** The cell that stands out, and what its comment says. */
  readonly marked?: { readonly at: number; readonly note: string };
}

export interface SheetColumn {
  readonly name: string;
  /** In characters. */
  readonly width: number;
  /** Whether the column's cells are whole numbers, which a program sorts as such. */
  readonly isNumber?: boolean;
}

/** What a sheet holds; the header takes a row of it. */
export const sheetLimits = { rows: 2 ** 20 - 1, columns: 2 ** 14, charsOfCell: 2 ** 15 - 1 };

/** Each comment is a drawing, of which programs do not take many. All other marked cells are coloured only. */
const maxNotes = 1000;

/**
 * Writes a workbook of one sheet, whose header is frozen and has a filter. Cells have the format of text, so that a
 * program keeps them as they are, also what is typed over them. Memory does not grow with the rows.
 *
 * @param rows within {@link sheetLimits}
 * @throws what the rows throw
 */
export async function* writeWorkbook(
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly WrittenRow[]>,
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

interface Note {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** The parts that say how large the sheet is, and what is noted beside it, come behind it. */
async function* writeSheet(
  zip: ZipFile,
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly WrittenRow[]>,
): AsyncGenerator<Buffer> {
  const letters = columns.map((_, at) => columnLetters(at));
  const rowXml = (row: number, style: (at: number) => CellStyle, cells: readonly string[]) => {
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
    `${declaration}<worksheet ${mainNamespace} ${relations}><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join("")}</cols><sheetData>${rowXml(1, () => styles.header, names)}`,
  );
  const notes: Note[] = [];
  let row = 1;
  for await (const batch of rows) {
    let xml = "";
    for (const { cells, marked } of batch) {
      row++;
      xml += rowXml(row, (at) => (at === marked?.at ? styles.marked : styles.text), cells);
      if (marked === undefined || notes.length === maxNotes) continue;
      notes.push({ row, column: marked.at, text: marked.note });
    }
    yield Buffer.from(xml);
  }
  const range = `A1:${letters.at(-1)}${row}`;
  const drawing = notes.length === 0 ? "" : '<legacyDrawing r:id="rId1"/>';
  yield Buffer.from(
    `</sheetData><autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>${drawing}</worksheet>`,
  );
  const parts = { ...workbookParts(range), ...(notes.length === 0 ? {} : partsOfNotes(notes)) };
  for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml), path);
  zip.end();
}

/** Places in `cellXfs` of the styles below. */
const styles = { text: 1, header: 2, marked: 3 } as const;
type CellStyle = (typeof styles)[keyof typeof styles];

function cellXml(place: string, style: CellStyle, text: string): string {
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
function columnLetters(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : columnLetters(Math.floor(at / 26) - 1) + letter;
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const office = "http://schemas.openxmlformats.org";
const mainNamespace = `xmlns="${office}/spreadsheetml/2006/main"`;
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
function workbookParts(range: string): Record<string, string> {
  const filtered = range.replaceAll(/([A-Z]+)(\d+)/g, "$$$1$$$2");
  return {
    "xl/workbook.xml": `${declaration}<workbook ${mainNamespace} ${relations}><sheets><sheet name="rows" sheetId="1" r:id="rId1"/></sheets><definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">rows!${filtered}</definedName></definedNames></workbook>`,
    "xl/styles.xml": `${declaration}<styleSheet ${mainNamespace}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/></patternFill></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/>${["", 'fontId="1" applyFont="1"', 'fillId="2" applyFill="1"'].map((style) => `<xf numFmtId="49" applyNumberFormat="1" ${style}/>`).join("")}</cellXfs></styleSheet>`,
    "xl/_rels/workbook.xml.rels": relationships(
      ["worksheet", "worksheets/sheet1.xml"],
      ["styles", "styles.xml"],
    ),
    "_rels/.rels": relationships(["officeDocument", "xl/workbook.xml"]),
    "[Content_Types].xml": `${declaration}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>${[
      ["workbook", "sheet.main"],
      ["worksheets/sheet1", "worksheet"],
      ["styles", "styles"],
      ["comments1", "comments"],
    ]
      .map(
        ([part, type]) =>
          `<Override PartName="/xl/${part}.xml" ContentType="${microsoft}.${type}+xml"/>`,
      )
      .join("")}</Types>`,
  };
}

/** Comments, and the drawings that show them: without these, Excel has none. */
function partsOfNotes(notes: readonly Note[]): Record<string, string> {
  const comments = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${columnLetters(column)}${row}" authorId="0"><text>${textXml(text)}</text></comment>`,
  );
  const shapes = notes.map(
    ({ row, column }, at) =>
      `<v:shape id="_x0000_s${1025 + at}" type="#_x0000_t202" style="position:absolute;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${column + 1}, 15, ${row - 1}, 2, ${column + 4}, 15, ${row + 4}, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>${row - 1}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  );
  return {
    "xl/comments1.xml": `${declaration}<comments ${mainNamespace}><authors><author>eventload</author></authors><commentList>${comments.join("")}</commentList></comments>`,
    "xl/drawings/vmlDrawing1.vml": `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join("")}</xml>`,
    "xl/worksheets/_rels/sheet1.xml.rels": relationships(
      ["vmlDrawing", "../drawings/vmlDrawing1.vml"],
      ["comments", "../comments1.xml"],
    ),
  };
}
