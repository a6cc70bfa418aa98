import { posix } from "node:path";
import { partLimit, rowsLimit } from "../compression.ts";
import { type DateSystem, isoMomentText, type NumberForm, readNumber } from "./number-text.ts";
import { readAttributes, XmlError } from "./parse-xml.ts";
import { createAllowance, readWholeXmlPart, readXmlPart } from "./read-xml-part.ts";
import { readEscapes, readSharedStrings, type SharedText } from "./shared-strings.ts";
import {
  type CellValue,
  createRowBuilder,
  createRowList,
  documentNotSheet,
  errorCell,
  noStoredValue,
  type Sheet,
  type SheetReading,
  type SheetRow,
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
    if (part?.type !== "worksheet") return []; // a chart or a macro sheet has no rows
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
      if (attributes.get("TargetMode") === "External") return;
      const type = attributes.get("Type")?.split("/").at(-1) ?? "";
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
        if (["1", "true"].includes(attributes.get("date1904") ?? "")) system = "1904";
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

/** The parts of a workbook that its sheets share. */
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
  { maxRowChars, onPacked }: SheetReading,
): AsyncGenerator<readonly SheetRow[]> {
  const forms =
    shared.styles === undefined ? [] : await readXlsxNumberFormats(archive, shared.styles);
  const sharedText =
    shared.strings === undefined
      ? () => undefined
      : await readSharedStrings(archive, shared.strings, maxRowChars, onPacked);
  const { handlers, rows } = createRowCollector(sharedText, forms, shared.system, maxRowChars);
  yield* readXmlPart(archive, part, rowsLimit, handlers, onPacked, rows);
}

function createRowCollector(
  sharedText: SharedText,
  forms: readonly NumberForm[],
  system: DateSystem,
  maxRowChars: number,
) {
  const builder = createRowBuilder(maxRowChars);
  const rows = createRowList<SheetRow>();
  let line = 0;
  let at = -1;
  let inRow = false;
  let type = "n";
  let form: NumberForm = { kind: "plain" };
  /** The texts of its `v` and its `is`: it should have one of them. */
  const texts: { v?: string | undefined; is?: string | undefined } = {};
  let inside: "v" | "is" | undefined;
  let hasFormula = false;
  let isText = false;
  let phonetic = 0;

  const beginRow = (written: string) => {
    const given = readAttributes(written).get("r");
    const next = given === undefined ? line + 1 : Number(given);
    if (!(next > line)) throw new XmlError(`row ${given} follows row ${line}`);
    line = next;
    at = -1;
    inRow = true;
    builder.begin();
  };

  const beginCell = (written: string) => {
    const attributes = readAttributes(written);
    const place = attributes.get("r");
    at = place === undefined ? at + 1 : columnOf(place);
    type = attributes.get("t") ?? "n";
    form = forms[Number(attributes.get("s") ?? 0)] ?? { kind: "plain" };
    texts.v = undefined;
    texts.is = undefined;
    inside = undefined;
    hasFormula = false;
  };

  const beginText = (tag: "v" | "is") => {
    if (texts[tag] !== undefined && inRow)
      throw new XmlError(`row ${line} has a cell that holds two values`);
    inside = tag;
    addText(tag, "");
  };

  const addText = (tag: "v" | "is", piece: string) => {
    const text = (texts[tag] ?? "") + piece;
    if (text.length > maxRowChars) {
      throw new XmlError(`row ${line} has a cell of more than ${maxRowChars} characters`);
    }
    texts[tag] = text;
  };

  const endCell = () => {
    // The type says which of them counts; the other may be a leftover.
    const text = type === "inlineStr" ? (texts.is ?? texts.v) : (texts.v ?? texts.is);
    if (text === "" && (type === "n" || type === "s")) return; // an empty result is blank
    if (text === undefined) {
      if (hasFormula) builder.set(at, { text: "", flaw: noStoredValue });
      return;
    }
    const read = readCell(type, text, form, sharedText, system);
    if (read === undefined) throw new XmlError(`row ${line} has a cell that cannot be read`);
    builder.set(at, read);
  };

  return {
    rows,
    handlers: {
      open(tag: string, written: string) {
        if (tag === "c" && inRow) beginCell(written);
        else if (tag === "v" || tag === "is") beginText(tag);
        else if (tag === "f") hasFormula = true;
        else if (tag === "row") beginRow(written);
        else if (tag === "rPh") phonetic++;
        isText = tag === "v" || (tag === "t" && inside === "is" && phonetic === 0);
      },
      text(piece: string) {
        if (isText && inRow && inside !== undefined) addText(inside, piece);
      },
      close(tag: string) {
        isText = false;
        if (tag === "v" || tag === "is") inside = undefined;
        else if (tag === "c") endCell();
        else if (tag === "rPh") phonetic--;
        else if (tag === "row") {
          inRow = false;
          const row = builder.end(line);
          if (row !== undefined) rows.add(row, row);
        }
      },
    },
  };
}

/** The place of a cell in its row, from 0: `AB12` is 27. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const letter = reference.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

/**
 * The text of a cell (ECMA-376 part 1, 18.18.11).
 *
 * @param type as its `t` says
 * @param stored as its `v` or `is` holds it
 * @param sharedText the text of the workbook with this number
 * @returns undefined if it does not hold what its type says
 */
function readCell(
  type: string,
  stored: string,
  form: NumberForm,
  sharedText: SharedText,
  system: DateSystem,
): CellValue | undefined {
  switch (type) {
    case "s": {
      const text = /^\d+$/.test(stored) ? sharedText(Number(stored)) : undefined;
      return text === undefined ? undefined : { text };
    }
    case "str":
    case "inlineStr":
      return { text: readEscapes(stored) };
    case "b":
      return { text: ["1", "true"].includes(stored) ? "true" : "false" };
    case "d":
      return { text: isoMomentText(stored) ?? stored };
    case "e":
      return { text: stored, flaw: errorCell };
    default:
      return readNumber(stored, form, system);
  }
}
