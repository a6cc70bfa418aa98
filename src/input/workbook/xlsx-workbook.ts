import { posix } from "node:path";
import { quote } from "../../model/row.ts";
import { partLimit, rowsLimit } from "../compression.ts";
import { type DateSystem, isoMomentText, type NumberDisplay, readNumber } from "./number-text.ts";
import { readAttributes, XmlError } from "./parse-xml.ts";
import { createAllowance, readWholeXmlPart, readXmlPart } from "./read-xml-part.ts";
import { readEscapes, readSharedStrings, type SharedText } from "./shared-strings.ts";
import {
  type CellValue,
  cellName,
  createRowBuilder,
  createRowList,
  documentNotSheet,
  errorCell,
  noStoredValue,
  type Sheet,
  type SheetReading,
  type SheetRow,
  unreadableCell,
} from "./sheet.ts";
import { readXlsxNumberFormats } from "./xlsx-number-formats.ts";
import { type ZipArchive, ZipError } from "./zip-archive.ts";

/** Opens an Office Open XML workbook (ECMA-376), transitional or strict. */
export async function openXlsx(archive: ZipArchive): Promise<readonly Sheet[]> {
  const root = await readRelationships(archive, "");
  const book = [...root.values()].find(({ type }) => type === "officeDocument")?.path;
  if (book === undefined || !archive.has(book)) throw new ZipError("it has no workbook in it");
  if (/^(word|ppt)\//i.test(book)) throw new ZipError(documentNotSheet);
  if (!/\.xml$/i.test(book)) throw new ZipError("it is no .xlsx: save it as one");
  const related = await readRelationships(archive, book);
  const { listed, system } = await readBook(archive, book);
  const pathOf = (wanted: string) =>
    [...related.values()].find(({ type, path }) => type === wanted && archive.has(path))?.path;
  const parts = { strings: pathOf("sharedStrings"), styles: pathOf("styles"), system };

  return listed.flatMap(({ id, name, isVisible }): Sheet[] => {
    const part = related.get(id);
    if (part === undefined) throw new ZipError(`it has nothing of its sheet ${quote(name)}`);
    if (part.type !== "worksheet") return []; // a chart or a macro sheet has no rows
    const packedBytes = archive.packedBytes(part.path) + archive.packedBytes(parts.strings ?? "");
    const rows: Sheet["rows"] = (reading) => readXlsxRows(archive, part.path, parts, reading);
    return [{ name, isVisible, packedBytes, rows }];
  });
}

interface Relationship {
  /** The last part of the type's URI, in which transitional and strict agree. */
  readonly type: string;
  readonly path: string;
}

/** @param part whose relationships; blank for those of the archive */
async function readRelationships(
  archive: ZipArchive,
  part: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const related = new Map<string, Relationship>();
  const keep = createAllowance();
  await readWholeXmlPart(archive, `${folder}_rels/${part.slice(slash)}.rels`, partLimit, {
    open(tag, written) {
      if (tag !== "Relationship") return;
      const attributes = readAttributes(written);
      const isExternal = attributes.get("TargetMode") === "External";
      const type = isExternal ? "" : (attributes.get("Type")?.split("/").at(-1) ?? "");
      const path = resolve(folder, attributes.get("Target") ?? "");
      const id = attributes.get("Id") ?? "";
      keep(id.length + type.length + path.length);
      related.set(id, { type, path });
    },
  });
  return related;
}

/** The path of a part in the archive; one that begins with a slash begins there. */
function resolve(folder: string, target: string): string {
  const given = target.replaceAll("\\", "/");
  return posix.join("/", given.startsWith("/") ? "" : folder, given).slice(1);
}

interface ListedSheet {
  readonly id: string;
  readonly name: string;
  readonly isVisible: boolean;
}

async function readBook(
  archive: ZipArchive,
  part: string,
): Promise<{ listed: readonly ListedSheet[]; system: DateSystem }> {
  const listed: ListedSheet[] = [];
  const keep = createAllowance();
  let system: DateSystem = "1900";
  await readWholeXmlPart(archive, part, partLimit, {
    open(tag, written) {
      if (tag !== "sheet" && tag !== "workbookPr") return;
      const attributes = readAttributes(written);
      if (tag === "workbookPr") {
        if (isTrue(attributes.get("date1904"))) system = "1904";
        return;
      }
      const id = [...attributes].find(([name]) => name.endsWith(":id"))?.[1] ?? "";
      const isVisible = (attributes.get("state") ?? "visible") === "visible";
      const name = attributes.get("name") ?? "";
      keep(id.length + name.length);
      listed.push({ id, name, isVisible });
    },
  });
  return { listed, system };
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["true", true],
  ["0", false],
  ["false", false],
]);

function isTrue(written = "false"): boolean {
  const value = booleans.get(written);
  if (value === undefined) throw new XmlError(`${quote(written)} is neither true nor false`);
  return value;
}

interface SharedParts {
  readonly strings: string | undefined;
  readonly styles: string | undefined;
  readonly system: DateSystem;
}

/** Reads the rows of a worksheet (ECMA-376 part 1, 18.3). */
async function* readXlsxRows(
  archive: ZipArchive,
  part: string,
  shared: SharedParts,
  reading: SheetReading,
): AsyncGenerator<readonly SheetRow[]> {
  const { maxRowChars, onPacked } = reading;
  const forms =
    shared.styles === undefined ? [] : await readXlsxNumberFormats(archive, shared.styles);
  const sharedText =
    shared.strings === undefined
      ? () => undefined
      : await readSharedStrings(archive, shared.strings, maxRowChars, onPacked);
  const merges = await readMerges(archive, part);
  const values = { sharedText, forms, system: shared.system };
  const { handlers, rows } = createXlsxCollector(values, merges, reading);
  yield* readXmlPart(archive, part, rowsLimit, handlers, onPacked, rows);
}

interface CellValues {
  readonly sharedText: SharedText;
  /** By the number of a style; undefined where the workbook does not say what it is. */
  readonly forms: readonly (NumberDisplay | undefined)[];
  readonly system: DateSystem;
}

/**
 * The elements that are understood, by what they are in (ECMA-376 part 1, 18.3.1.4, .53, .73, .80 and .96). A cell
 * that stood in another would vanish. What is in none of these is not looked at.
 */
const understood: ReadonlyMap<string, readonly string[]> = new Map([
  ["sheetData", ["row"]],
  ["row", ["c", "extLst"]],
  ["c", ["f", "v", "is", "extLst"]],
  ["is", ["t", "r", "rPh", "phoneticPr"]],
  ["r", ["rPr", "t"]],
  ["v", []],
  ["t", []],
]);

function createXlsxCollector(
  values: CellValues,
  merges: readonly Merge[],
  { maxRowChars, onCovered }: SheetReading,
) {
  const builder = createRowBuilder(maxRowChars);
  const rows = createRowList<SheetRow>();
  const covers = createCovers(merges);
  /** From `sheetData` down to where the reader is. */
  const path: string[] = [];
  let line = 0;
  let at = -1;
  let isHidden = false;
  let type = "n";
  let style: string | undefined;
  /** The texts of the cell's `v` and `is`: it should have one of them. */
  const texts: { v?: string | undefined; is?: string | undefined } = {};
  let inside: "v" | "is" | undefined;
  let hasFormula = false;

  const beginRow = (written: string) => {
    const attributes = readAttributes(written);
    const given = attributes.get("r");
    const next = given === undefined ? line + 1 : rowNumber(given);
    if (!(next > line)) throw new XmlError(`row ${given} follows row ${line}`);
    line = next;
    at = -1;
    isHidden = isTrue(attributes.get("hidden"));
    builder.begin();
    covers.begin(line);
  };

  const beginCell = (written: string) => {
    const attributes = readAttributes(written);
    const place = attributes.get("r");
    const next = place === undefined ? at + 1 : columnOf(place, line);
    if (next === undefined || next <= at) {
      const after = at < 0 ? "" : `, after ${cellName(at, line)}`;
      throw new XmlError(`row ${line} has a cell that says it is ${quote(place ?? "")}${after}`);
    }
    at = next;
    type = attributes.get("t") ?? "n";
    style = attributes.get("s");
    texts.v = undefined;
    texts.is = undefined;
    hasFormula = false;
  };

  const beginText = (tag: "v" | "is") => {
    if (texts[tag] !== undefined) throw unreadableCell(at, line, "holds two values");
    inside = tag;
    addText(tag, "");
  };

  const addText = (tag: "v" | "is", piece: string) => {
    const text = (texts[tag] ?? "") + piece;
    if (text.length > maxRowChars) {
      throw unreadableCell(at, line, `has more than ${maxRowChars} characters`);
    }
    texts[tag] = text;
  };

  const endCell = () => {
    // The type says which of them counts; the other may be a leftover.
    const text = type === "inlineStr" ? (texts.is ?? texts.v) : (texts.v ?? texts.is);
    if (text === "" && (type === "n" || type === "s")) return; // an empty result is blank
    if (text === undefined && !hasFormula) return;
    const read =
      text === undefined
        ? { text: "", flaw: noStoredValue }
        : readCell(type, text, formOf(style, values.forms), values);
    if (read === undefined) {
      throw unreadableCell(at, line, `holds ${quote(text ?? "")} as ${quote(type)}`);
    }
    if (covers.has(at)) onCovered(cellName(at, line));
    else builder.set(at, read);
  };

  return {
    rows,
    handlers: {
      open(tag: string, written: string) {
        const parent = path.at(-1);
        if (parent === undefined && tag !== "sheetData") return;
        const known = understood.get(parent ?? "");
        if (known?.includes(tag) === false) {
          const where = line === 0 ? "the sheet" : `row ${line}`;
          throw new XmlError(`${where} has <${tag}> in <${parent}>, which is not understood`);
        }
        path.push(tag);
        if (parent === "sheetData") beginRow(written);
        else if (parent === "row" && tag === "c") beginCell(written);
        else if (parent === "c" && (tag === "v" || tag === "is")) beginText(tag);
        else if (parent === "c" && tag === "f") hasFormula = true;
      },
      text(piece: string) {
        const tag = path.at(-1);
        if (inside === undefined) {
          const isStray = (tag === "row" || tag === "c") && piece.trim() !== "";
          if (isStray) throw new XmlError(`row ${line} has a text that is in no cell`);
          return;
        }
        const isReading = path.at(-2) === "rPh"; // how it is spoken
        if (tag === "v" || (tag === "t" && !isReading)) addText(inside, piece);
      },
      close() {
        const tag = path.pop();
        const parent = path.at(-1);
        if (parent === "c") inside = undefined;
        else if (parent === "row" && tag === "c") endCell();
        else if (parent === "sheetData") {
          const row = builder.end(line, isHidden);
          if (row !== undefined) rows.add(row, row);
        }
      },
    },
  };
}

/** @returns NaN if the text is no number of a row */
function rowNumber(given: string): number {
  return /^[1-9]\d{0,6}$/.test(given) ? Number(given) : Number.NaN;
}

/** The place of a cell in its row, from 0: `AB12` is 27; undefined if it is no cell of that row. */
function columnOf(reference: string, line: number): number | undefined {
  let column = 0;
  let end = 0;
  for (; end < reference.length; end++) {
    // In either case: some programs write small letters.
    const letter = (reference.charCodeAt(end) & ~0x20) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column > 0 && reference.slice(end) === String(line) ? column - 1 : undefined;
}

/** How a number of this style is shown; undefined if the workbook does not say. */
function formOf(style: string | undefined, forms: CellValues["forms"]): NumberDisplay | undefined {
  if (forms.length === 0 && (style ?? "0") === "0") return { kind: "plain" };
  return forms[Number(style ?? 0)];
}

/** A block of cells of which only the first counts. Rows count from 1, columns from 0. */
interface Merge {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/**
 * The merged cells of a sheet, in the order of their first rows. They stand behind all rows (18.3.1.55), so the part is
 * unpacked once more before it is read, and if it has some, parsed.
 */
async function readMerges(archive: ZipArchive, part: string): Promise<readonly Merge[]> {
  let hasSome = false;
  let tail = "";
  for await (const chunk of archive.unpack(part, rowsLimit)) {
    const text = tail + chunk.toString("latin1");
    hasSome ||= text.includes("mergeCell");
    tail = text.slice(-"mergeCell".length);
  }
  const merges: Merge[] = [];
  if (!hasSome) return merges;
  const keep = createAllowance();
  await readWholeXmlPart(archive, part, rowsLimit, {
    open(tag, written) {
      if (tag !== "mergeCell") return;
      const reference = readAttributes(written).get("ref") ?? "";
      const merge = mergeOf(reference);
      if (merge === undefined) throw new XmlError(`${quote(reference)} is no block of cells`);
      keep(0);
      merges.push(merge);
    },
  });
  return merges.toSorted((one, other) => one.top - other.top);
}

function mergeOf(reference: string): Merge | undefined {
  const [, left = "", top = "", right = left, bottom = top] =
    /^([a-z]{1,3})([1-9]\d{0,6})(?::([a-z]{1,3})([1-9]\d{0,6}))?$/i.exec(reference) ?? [];
  const [from, to] = [columnOf(left + top, Number(top)), columnOf(right + bottom, Number(bottom))];
  if (from === undefined || to === undefined) return undefined;
  return { top: Number(top), bottom: Number(bottom), left: from, right: to };
}

function createCovers(merges: readonly Merge[]) {
  let next = 0;
  let line = 0;
  let active: Merge[] = [];
  return {
    begin(row: number): void {
      line = row;
      if (active.length > 0) active = active.filter(({ bottom }) => bottom >= row);
      for (let one = merges[next]; one !== undefined && one.top <= row; one = merges[++next]) {
        if (one.bottom >= row) active.push(one);
      }
    },
    has: (at: number): boolean =>
      active.some(({ top, left, right }) => at >= left && at <= right && (line > top || at > left)),
  };
}

/** The text of a cell (ECMA-376 part 1, 18.18.11); undefined if it does not hold what its type says. */
function readCell(
  type: string,
  stored: string,
  form: NumberDisplay | undefined,
  { sharedText, system }: CellValues,
): CellValue | undefined {
  switch (type) {
    case "s": {
      const text = /^\d+$/.test(stored) ? sharedText(Number(stored)) : undefined;
      return text === undefined ? undefined : { text };
    }
    case "str":
    case "inlineStr":
      return { text: readEscapes(stored) };
    case "b": {
      const value = booleans.get(stored);
      return value === undefined ? undefined : { text: String(value) };
    }
    case "d": {
      const text = isoMomentText(stored);
      return text === undefined ? undefined : { text };
    }
    case "e":
      return { text: stored, flaw: errorCell };
    case "n":
      return form === undefined ? undefined : readNumber(stored, form, system);
    default:
      return undefined;
  }
}
