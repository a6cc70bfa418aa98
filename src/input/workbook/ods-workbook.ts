import { quote } from "../../model/row.ts";
import { partLimit, rowsLimit } from "../compression.ts";
import { durationText, isoMomentText, readNumber } from "./number-text.ts";
import { readAttributes, XmlError } from "./parse-xml.ts";
import { createAllowance, readWholeXmlPart, readXmlPart } from "./read-xml-part.ts";
import {
  type CellValue,
  cellName,
  createRowBuilder,
  createRowList,
  documentNotSheet,
  errorCell,
  maxColumns,
  type Sheet,
  type SheetReading,
  type SheetRow,
  unreadableCell,
} from "./sheet.ts";
import { type ZipArchive, ZipError } from "./zip-archive.ts";

export const odsContent = "content.xml";

/** What an OpenDocument file may hold in place of a spreadsheet. */
const documents = new Set(["drawing", "presentation", "text"]);

const manifest = "META-INF/manifest.xml";

/** Opens an OpenDocument spreadsheet (ODF 1.3). All of its sheets stand in one part. */
export async function openOds(archive: ZipArchive): Promise<readonly Sheet[]> {
  await refuseEncrypted(archive);
  const packedBytes = archive.packedBytes(odsContent);
  const sheets: Sheet[] = [];
  const hiddenStyles = new Set<string>();
  const keep = createAllowance();
  let style = "";
  let depth = 0;
  let above = "";
  await readWholeXmlPart(archive, odsContent, rowsLimit, {
    open(tag, written) {
      if (written.includes("xmlns")) refuseOtherPrefixes(readAttributes(written));
      if (above === "body" && documents.has(tag)) throw new ZipError(documentNotSheet);
      above = tag;
      if (tag === "style") style = readAttributes(written).get("style:name") ?? "";
      if (tag === "table-properties") {
        if (readAttributes(written).get("table:display") === "false") {
          keep(style.length);
          hiddenStyles.add(style);
        }
      }
      if (tag !== "table" || depth++ > 0) return;
      const attributes = readAttributes(written);
      const place = sheets.length;
      const name = attributes.get("table:name") ?? "";
      keep(name.length);
      sheets.push({
        name,
        isVisible: !hiddenStyles.has(attributes.get("table:style-name") ?? ""),
        packedBytes,
        rows: (reading) => readOdsRows(archive, place, reading),
      });
    },
    close(tag) {
      if (tag === "table") depth--;
    },
  });
  return sheets;
}

/** Attributes are looked up by the prefixes that all programs write: under another, rows would vanish. */
function refuseOtherPrefixes(attributes: ReadonlyMap<string, string>) {
  for (const [name, space] of attributes) {
    const [, usual] = /:xmlns:(calcext|office|style|table|text):1\.0$/.exec(space) ?? [];
    if (!name.startsWith("xmlns:") || usual === undefined || name === `xmlns:${usual}`) continue;
    const what = `it has the prefix ${quote(name.slice(6))} where programs write ${usual}`;
    throw new XmlError(`${what}: open it in a spreadsheet program and save it there`);
  }
}

async function refuseEncrypted(archive: ZipArchive) {
  if (!archive.has(manifest)) return;
  await readWholeXmlPart(archive, manifest, partLimit, {
    open(tag) {
      if (tag === "encryption-data") throw new ZipError("it has a password");
    },
  });
}

/** A row that stands in the sheet so many times, one below the other. */
interface RepeatedRow {
  readonly row: SheetRow;
  readonly times: number;
}

const maxBatchRows = 1000;
const maxRepeatedChars = 256 * 1024 * 1024;
const maxSheetRows = 1_048_576;

/** Reads the rows of a table (ODF 1.3 part 3, 9.1), counted from 0. */
async function* readOdsRows(
  archive: ZipArchive,
  table: number,
  reading: SheetReading,
): AsyncGenerator<readonly SheetRow[]> {
  const { handlers, rows } = createOdsCollector(table, reading);
  const parts = readXmlPart(archive, odsContent, rowsLimit, handlers, reading.onPacked, rows);
  for await (const repeated of parts) yield* inBatches(repeated);
}

function* inBatches(repeated: readonly RepeatedRow[]): Generator<readonly SheetRow[]> {
  let batch: SheetRow[] = [];
  for (const { row, times } of repeated) {
    for (let time = 0; time < times; time++) {
      batch.push(time === 0 ? row : { ...row, line: row.line + time });
      if (batch.length < maxBatchRows) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function createOdsCollector(wanted: number, { maxRowChars, onCovered }: SheetReading) {
  const builder = createRowBuilder(maxRowChars);
  const paragraphs = createParagraphs();
  const rows = createRowList<RepeatedRow>();
  let repeatedChars = 0;
  let tables = 0;
  let tableDepth = 0;
  let line = 1;
  let at = 0;
  let cell: ReadonlyMap<string, string> | undefined;
  /** Whether a merged cell covers it. */
  let isCovered = false;
  let row: ReadonlyMap<string, string> | undefined;
  /** The groups of rows that are open, and whether each is collapsed. */
  const groups: boolean[] = [];
  let depthInCell = 0;
  let paragraphDepth = 0;
  let ignoredDepth = 0;

  const isWanted = () => tableDepth === 1 && tables === wanted + 1;

  const endCell = (attributes: ReadonlyMap<string, string>) => {
    const times = repeats(attributes, "columns");
    const value = readOdsCell(attributes, paragraphs.shown());
    if (value === undefined) {
      const type = attributes.get("office:value-type") ?? "";
      throw unreadableCell(at, line, `does not hold what its type ${quote(type)} says`);
    }
    const isBlank = value.text === "" && value.flaw === undefined;
    const set = isBlank ? 0 : Math.min(times, maxColumns + 1);
    for (let time = 0; time < set; time++) {
      if (isCovered) onCovered(cellName(at + time, line));
      else builder.set(at + time, value);
    }
    at += times;
  };

  const endRow = (attributes: ReadonlyMap<string, string>) => {
    const times = repeats(attributes, "rows");
    const visibility = attributes.get("table:visibility") ?? "visible";
    if (!visibilities.includes(visibility)) {
      throw new XmlError(`row ${line} is ${quote(visibility)}, which is not understood`);
    }
    const ended = builder.end(line, visibility !== "visible" || groups.includes(true));
    if (ended !== undefined) {
      const chars = ended.cells.reduce((sum, text) => sum + text.length + 1, 1);
      repeatedChars += chars * (times - 1);
      if (line + times - 1 > maxSheetRows || repeatedChars > maxRepeatedChars) {
        throw new XmlError(`row ${line} covers more rows than a spreadsheet has`);
      }
      rows.add({ row: ended, times }, ended);
    }
    line += times;
  };

  const beginInCell = (tag: string, written: string) => {
    depthInCell++;
    // A drawing may be a link; within a paragraph, a link is text.
    if (ignoredDepth > 0 || notes.has(tag) || (tag === "a" && depthInCell === 1)) {
      ignoredDepth++;
      return;
    }
    if (tag === "p" && depthInCell === 1) {
      paragraphDepth = 1;
      paragraphs.begin();
    } else if (paragraphDepth > 0) {
      paragraphDepth++;
      if (tag === "s") paragraphs.exactly(" ".repeat(spaces(written, maxRowChars)));
      else if (tag === "tab") paragraphs.exactly("\t");
      else if (tag === "line-break") paragraphs.exactly("\n");
    } else throw unreadableCell(at, line, `has <${tag}> in it, which is not understood`);
    refuseLongCell();
  };

  const refuseLongCell = () => {
    if (paragraphs.shown().length <= maxRowChars) return;
    throw unreadableCell(at, line, `has more than ${maxRowChars} characters`);
  };

  const endInCell = () => {
    depthInCell--;
    if (ignoredDepth > 0) ignoredDepth--;
    else if (paragraphDepth > 0) paragraphDepth--;
  };

  return {
    rows,
    handlers: {
      open(tag: string, written: string) {
        if (cell !== undefined) return beginInCell(tag, written);
        if (tag === "table" && tableDepth++ === 0) tables++;
        if (!isWanted()) return;
        if (tag === "table-row-group") {
          groups.push(readAttributes(written).get("table:display") === "false");
        } else if (tag === "table-row") {
          row = readAttributes(written);
          at = 0;
          builder.begin();
        } else if (row !== undefined) {
          isCovered = tag === "covered-table-cell";
          if (!isCovered && tag !== "table-cell") {
            throw new XmlError(`row ${line} has <${tag}> in it, which is not understood`);
          }
          cell = readAttributes(written);
          depthInCell = 0;
          paragraphs.clear();
        }
      },
      text(piece: string) {
        if (paragraphDepth === 0 || ignoredDepth > 0) return;
        paragraphs.text(piece);
        refuseLongCell();
      },
      close(tag: string) {
        if (cell !== undefined && depthInCell > 0) return endInCell();
        if (cell !== undefined) {
          endCell(cell);
          cell = undefined;
        } else if (tag === "table-row" && row !== undefined) {
          endRow(row);
          row = undefined;
        } else if (tag === "table-row-group" && isWanted()) groups.pop();
        else if (tag === "table") tableDepth--;
      },
    },
  };
}

/** What stands in a cell and is not its value: comments, drawings, footnotes, how characters are spoken. */
const notes = new Set(
  [
    "annotation annotation-end note ruby-text event-listeners detective cell-range-source control",
    "soft-page-break",
    "frame g scene shape caption circle connector custom-shape ellipse line measure path",
    "page-thumbnail polygon polyline rect regular-polygon table",
  ].flatMap((names) => names.split(" ")),
);
const visibilities = ["visible", "collapse", "filter"];

function repeats(attributes: ReadonlyMap<string, string>, what: "rows" | "columns"): number {
  return countIn(attributes, `table:number-${what}-repeated`, 1);
}

/** @throws XmlError if it is no whole number */
function countIn(attributes: ReadonlyMap<string, string>, name: string, least: number): number {
  const written = attributes.get(name) ?? "1";
  const times = /^\d{1,15}$/.test(written) ? Number(written) : -1;
  if (times < least) throw new XmlError(`${name} is ${quote(written)}, and has to be a number`);
  return times;
}

function spaces(written: string, most: number): number {
  return Math.min(countIn(readAttributes(written), "text:c", 0), most + 1);
}

/** The text of a cell; undefined if it does not hold what its type says. @param shown its paragraphs as lines */
function readOdsCell(
  attributes: ReadonlyMap<string, string>,
  shown: string,
): CellValue | undefined {
  const hasFormula = attributes.has("table:formula");
  const type = attributes.get("office:value-type") ?? "";
  if (attributes.get("calcext:value-type") === "error" || (hasFormula && errorForm.test(shown))) {
    return { text: shown, flaw: errorCell };
  }
  if (numberTypes.has(type)) {
    const number = readNumber(attributes.get("office:value") ?? "", { kind: "plain" }, "1900");
    const code = shown.trim();
    return number !== undefined && isCode(code, number.text) ? { text: code } : number;
  }
  const text = odsText(type, attributes, shown);
  return text === undefined ? undefined : { text };
}

const numberTypes = new Set(["float", "currency", "percentage"]);

/** Whether a number is shown with zeros before it or signs within, as `00172` and `123-45-6789`. */
function isCode(shown: string, number: string): boolean {
  if (/^-?0\d+(?:\.\d+)?$/.test(shown)) return Number(shown) === Number(number);
  if (!/^\d[\d ()/+:-]*$/.test(shown) || /^\d{1,3}(?: \d{3})+$/.test(shown)) return false;
  return shown.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "") === number;
}

function odsText(
  type: string,
  attributes: ReadonlyMap<string, string>,
  shown: string,
): string | undefined {
  switch (type) {
    case "boolean": {
      const stored = attributes.get("office:boolean-value") ?? "";
      return /^(true|false)$/.test(stored) ? stored : undefined;
    }
    case "date":
      return isoMomentText(attributes.get("office:date-value") ?? "");
    case "time":
      return timeText(attributes.get("office:time-value") ?? "");
    case "string":
    case "void":
    case "":
      return attributes.get("office:string-value") ?? shown;
    default:
      return undefined;
  }
}

/** An error as older programs wrote it, before the type `error`: as the text of a formula. */
const errorForm = /^(#(N\/A|DIV\/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)|Err:\d{3})$/;

/** A duration of XML Schema, such as `PT13H45M00S`. */
function timeText(stored: string): string | undefined {
  const found = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(stored);
  if (found === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part) => Number(part ?? 0));
  const total = days + hours / 24 + minutes / 1440 + seconds / 86_400;
  return durationText(found[1] === "-" ? -total : total);
}

/** Puts the paragraphs of a cell of an .ods together, with white space as ODF 1.3 part 3, 6.1.2 has it. */
function createParagraphs() {
  let shown = "";
  let count = 0;
  let afterSpace = true;
  return {
    clear() {
      shown = "";
      count = 0;
    },
    begin() {
      if (count++ > 0) shown += "\n";
      afterSpace = true;
    },
    /** White space counts once, and not at the beginning. */
    text(piece: string) {
      const collapsed = piece.replaceAll(/[ \t\r\n]+/g, " ");
      const added = afterSpace && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
      if (collapsed !== "") afterSpace = collapsed.endsWith(" ");
      shown += added;
    },
    /** A blank, tab or line end that counts as it is. */
    exactly(text: string) {
      shown += text;
      afterSpace = false;
    },
    shown: () => shown,
  };
}
