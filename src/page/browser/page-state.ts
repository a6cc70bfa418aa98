import type { ColumnCells } from "../../run/check/count-cells.ts";
import type { Checked, Description } from "../contract.ts";
import type { MappingTable } from "../mapping-table.ts";

/** What the parts of the page share. */
export interface PageState {
  readonly description: Description;
  text(): string;
  /** The text as a table; undefined while it is none. */
  table(): MappingTable | undefined;
  /** The last check of all rows; undefined before the first. */
  checked(): Checked | undefined;
  /** What the columns hold in all rows, or in those that were looked at first. */
  cells(): readonly ColumnCells[];
  /** Replaces the text; undefined says that only a person can make this edit. */
  edit(text: string | undefined): void;
  /** Shows a row, or the first invalid one from there on. */
  show(row: number, onlyInvalid?: boolean): void;
  goToLine(line: number): void;
}
