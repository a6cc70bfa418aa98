import type { ColumnCells } from "../../run/check/count-cells.ts";
import type { Fix } from "../cards.ts";
import type { Checked, Description } from "../contract.ts";
import type { Edited } from "../edit-yaml.ts";
import type { Keys, MappingTable, Member } from "../mapping-table.ts";
import type { Known } from "../ways.ts";

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
  /** What is known of a column. What is asked for and not known is fetched, and then shown. */
  known(column: string): Known;
  /** Waits until what was asked for is known. */
  counted(): Promise<void>;
  /** Replaces the text; undefined says that only a person can make this edit. */
  edit(text: Edited): void;
  /** Changes keys of a member. */
  set(member: Member, keys: Keys): void;
  fix(card: string, title: string, fix: Fix): void;
  /** Shows a row, or the first invalid one from there on. */
  showRow(row: number, onlyInvalid?: boolean): void;
  /** Opens the editor of a column, or closes it. */
  open(column: string, isOpen?: boolean): void;
  isOpen(column: string): boolean;
  /** Shows the file as text, at a line of it or where a text stands in it. */
  goTo(place: number | string): void;
}
