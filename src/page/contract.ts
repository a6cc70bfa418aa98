import type { FileProblem } from "../model/file-problem.ts";
import type { FullCheckReport } from "../run/check/check-report.ts";
import type { ColumnCells } from "../run/check/count-cells.ts";

/*
 * What the page and its server say to each other, below the secret path of the server: it gives a `description`, and
 * answers what a text makes of a `row` and what it makes of all (`check`). `save` writes the text.
 */

/** What the page shows at its beginning: the file, and the mapping as it is on disk. */
export interface Description {
  /** Their names, without folders. */
  readonly input: string;
  readonly mapping: string;
  readonly text: string;
  /** What `init` would write, from which the page takes a member for a column. */
  readonly proposal: string;
  readonly columns: readonly ColumnCells[];
  /** In how many rows the cells were counted, and whether these are all. */
  readonly rows: number;
  readonly isWhole: boolean;
  readonly types: readonly string[];
  /** Those without arguments. */
  readonly transforms: readonly string[];
  /** Keys that a member of another type does not keep. */
  readonly conversionKeys: readonly string[];
  readonly next: NextCommands;
}

/** What to type once the mapping is right, and what for, which says it in words if there is no such command. */
export type NextCommands = readonly { readonly what: string; readonly command?: string }[];

export interface RowQuestion {
  readonly text: string;
  /** From 1. */
  readonly row: number;
  /** Whether to show the first invalid row from there on. */
  readonly onlyInvalid?: boolean;
}

/** Nothing can be said of the rows: the text is no mapping of this file, or the file has gone. */
export type Trouble =
  | { readonly kind: "document_problems"; readonly problems: readonly FileProblem[] }
  | { readonly kind: "refused"; readonly message: string };

/** A preview of a row, or what `check` says of all of them. */
export type Answer<What> = Trouble | { readonly kind: "is"; readonly what: What };

export interface Checked extends FullCheckReport {
  readonly warnings: readonly string[];
  readonly columns: readonly ColumnCells[];
}

/** Puts a text in the place of the one that is on disk, as far as the page knows. */
export interface SaveRequest {
  readonly text: string;
  readonly before: string;
}

export type SaveAnswer =
  | { readonly kind: "saved" }
  /** Somebody else has changed the file: it is as it was found. */
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "failed"; readonly message: string };
