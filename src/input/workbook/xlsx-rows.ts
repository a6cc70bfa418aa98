import { rowsLimit } from "../compression.ts";
import type { DateSystem, NumberForm } from "./number-text.ts";
import { readAttributes, XmlError } from "./parse-xml.ts";
import { readXmlPart, takeBetween } from "./read-xml-part.ts";
import { createSharedStrings, readSharedStrings, type SharedStrings } from "./shared-strings.ts";
import {
  createRowBuilder,
  createRowList,
  noStoredValue,
  type SheetReading,
  type SheetRow,
} from "./sheet.ts";
import { readXlsxCell } from "./xlsx-cell.ts";
import { readXlsxNumberFormats } from "./xlsx-number-formats.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** The parts of a workbook that its sheets share. */
export interface SharedParts {
  readonly strings: string | undefined;
  readonly styles: string | undefined;
  readonly system: DateSystem;
}

/** Reads the rows of a worksheet (ECMA-376 part 1, 18.3). */
export async function* readXlsxRows(
  archive: ZipArchive,
  part: string,
  shared: SharedParts,
  { maxRowChars, onPacked }: SheetReading,
): AsyncGenerator<readonly SheetRow[]> {
  const forms =
    shared.styles === undefined ? [] : await readXlsxNumberFormats(archive, shared.styles);
  const strings =
    shared.strings === undefined
      ? createSharedStrings()
      : await readSharedStrings(archive, shared.strings, maxRowChars, onPacked);
  const { handlers, rows } = createRowCollector(strings, forms, shared.system, maxRowChars);
  const pieces = readXmlPart(archive, part, rowsLimit, handlers, onPacked, rows.isFull);
  yield* takeBetween(pieces, rows.take);
}

function createRowCollector(
  strings: SharedStrings,
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
  let value: string | undefined;
  let inline: string | undefined;
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
    value = undefined;
    inline = undefined;
    inside = undefined;
    hasFormula = false;
  };

  const beginText = (tag: "v" | "is") => {
    const before = tag === "v" ? value : inline;
    if (before !== undefined && inRow)
      throw new XmlError(`row ${line} has a cell that holds two values`);
    inside = tag;
    addText("");
  };

  const addText = (piece: string) => {
    const text = ((inside === "v" ? value : inline) ?? "") + piece;
    if (text.length > maxRowChars) {
      throw new XmlError(`row ${line} has a cell of more than ${maxRowChars} characters`);
    }
    if (inside === "v") value = text;
    else inline = text;
  };

  const endCell = () => {
    // The type says which of them counts; the other may be a leftover.
    const text = type === "inlineStr" ? (inline ?? value) : (value ?? inline);
    if (text === "" && (type === "n" || type === "s")) return; // an empty result is blank
    if (text === undefined) {
      if (hasFormula) builder.flaw({ at, value: "", message: noStoredValue });
      return;
    }
    const read = readXlsxCell(type, text, form, strings.get, system);
    if (read === undefined) throw new XmlError(`row ${line} has a cell that cannot be read`);
    if (read.kind === "flaw") builder.flaw({ at, value: read.text, message: read.message });
    builder.set(at, read.text);
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
        if (isText && inRow) addText(piece);
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
