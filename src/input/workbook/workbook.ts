import type { SheetRow } from "./sheet-row.ts";

/** A workbook, opened to read one of its sheets. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
}

export interface Sheet {
  readonly name: string;
  /** Whether the spreadsheet program shows it. */
  readonly isVisible: boolean;
  /**
   * The rows that have something in them, some at a time.
   *
   * @throws where the sheet is damaged, after the rows before the damage
   */
  rows(reading: SheetReading): AsyncGenerator<readonly SheetRow[]>;
  /** What {@link SheetReading.onPacked} will have been told at the end. */
  readonly packedBytes: number;
}

export interface SheetReading {
  /** What the cells of a row may hold together. */
  readonly maxRowChars: number;
  /** Told how many more bytes of the file were read. */
  readonly onPacked: (bytes: number) => void;
}
