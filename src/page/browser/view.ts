import type { Checked, Description } from "../contract.ts";
import type { MappingTable } from "../mapping-table.ts";

/** What the parts of the page share. */
export interface View {
  readonly description: Description;
  text(): string;
  /** The text as a table; undefined while it is none. */
  table(): MappingTable | undefined;
  /** The last check of all rows; undefined before the first. */
  checked(): Checked | undefined;
  /** Replaces the text; undefined says that only a person can make this edit. */
  edit(text: string | undefined): void;
  /** Shows a row, or the first invalid one from there on. */
  show(row: number, onlyInvalid?: boolean): void;
  /** Shows a line of the text. */
  goToLine(line: number): void;
}

/** What a column holds in all rows, or in those that were looked at first. */
export function cellsOf(view: View) {
  return view.checked()?.columns ?? view.description.columns;
}

/** Whether two names of a column are the same to a mapping. */
export function isSameColumn(one: string, other: string): boolean {
  const folded = (name: string) => name.trim().toLowerCase().normalize("NFC");
  return folded(one) === folded(other);
}
