import { charsOf } from "../../model/row.ts";
import { XmlError } from "./parse-xml.ts";

export interface Sheet {
  readonly name: string;
  readonly isVisible: boolean;
  /** The rows that have something in them. @throws if the sheet is damaged, after the rows before the damage */
  rows(reading: SheetReading): AsyncGenerator<readonly SheetRow[]>;
  /** The sum of all calls of {@link SheetReading.onPacked}. */
  readonly packedBytes: number;
}

export interface SheetReading {
  readonly maxRowChars: number;
  /** Called with the number of bytes just read from the file. */
  readonly onPacked: (bytes: number) => void;
  /** Called with each cell that is left out because a merged one covers it, though it holds something: `B4`. */
  readonly onCovered: (cell: string) => void;
}

export interface SheetRow {
  /** The number that the spreadsheet program shows beside it. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly flaws: readonly CellFlaw[];
  /** Whether the spreadsheet program does not show it: somebody has hidden it, or a filter. */
  readonly isHidden: boolean;
}

/** A cell that holds no value that could be sent. */
export interface CellFlaw {
  readonly at: number;
  readonly value: string;
  readonly message: string;
}

/** What a cell holds, and why that could not be sent. */
export interface CellValue {
  readonly text: string;
  readonly flaw?: string;
}

export const errorCell = "is an error of the spreadsheet: fix the cell and save the file again";
export const noStoredValue =
  "is a formula whose value is not stored: open the file in a spreadsheet program and save it there";

/** Why a file is refused that a program for texts or slides has made. */
export const documentNotSheet =
  "it is a document or a presentation, so save the table in it as .xlsx or CSV";

export const maxColumns = 16_384;

/** `B4` */
export function cellName(at: number, line: number): string {
  let letters = "";
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${line}`;
}

export function unreadableCell(at: number, line: number, why: string): XmlError {
  return new XmlError(`row ${line} has a cell that cannot be read: ${cellName(at, line)} ${why}`);
}

/** The most that is collected before rows are passed on. */
const maxSheetPieceChars = 1024 * 1024;
const charsOfFlaw = 64;

export type RowList<Item> = ReturnType<typeof createRowList<Item>>;

export function createRowList<Item>() {
  let items: Item[] = [];
  let heldChars = 0;
  return {
    add(item: Item, row: SheetRow) {
      items.push(item);
      heldChars += charsOf(row) + charsOfFlaw * row.flaws.length;
    },
    take(): readonly Item[] {
      const taken = items;
      items = [];
      heldChars = 0;
      return taken;
    },
    /** Whether so much is collected that it should be taken. */
    isFull: () => heldChars > maxSheetPieceChars,
  };
}

/** Collects the cells of one row after another, within the limits of a row. */
export function createRowBuilder(maxChars: number) {
  let cells: string[] = [];
  let flaws: CellFlaw[] = [];
  let chars = 0;
  return {
    begin(): void {
      cells = [];
      flaws = [];
      chars = 0;
    },
    set(at: number, { text, flaw }: CellValue): void {
      if (text === "" && flaw === undefined) return;
      if (Math.max(at, flaws.length) >= maxColumns) {
        throw new Error(`it has more than ${maxColumns} columns`);
      }
      if (flaw !== undefined) flaws.push({ at, value: text, message: flaw });
      if (text === "") return;
      while (cells.length < at) cells.push("");
      cells[at] = text;
      chars += text.length;
      if (chars > maxChars) throw new Error(`it holds more than ${maxChars} characters`);
    },
    /** The row; nothing if all of its cells are empty. */
    end: (line: number, isHidden: boolean): SheetRow | undefined =>
      cells.length === 0 && flaws.length === 0 ? undefined : { line, cells, flaws, isHidden },
  };
}
