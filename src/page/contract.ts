import type { FileProblem } from "../model/file-problem.ts";
import type { FullCheckReport } from "../run/check/check-report.ts";
import type { ColumnCells } from "../run/check/count-cells.ts";

/*
 * What the page and its server say to each other, below the secret path of the server: it gives a `description`, and
 * answers what a text makes of a `row` and what it makes of all (`check`), and how many cells of a column other ways
 * to read it could read (`count`). `save` writes the text.
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
  /** Keys that a member of another type does not keep. */
  readonly conversionKeys: readonly string[];
  readonly next: NextSteps;
}

/** What to type once the mapping is right, and what for, which says it in words if there is no such command. */
export type NextSteps = readonly { readonly what: string; readonly command?: string }[];

export interface RowQuestion {
  readonly text: string;
  /** From 1. */
  readonly row: number;
  /** Whether to show the first invalid row from there on. */
  readonly onlyInvalid?: boolean;
}

/** A way to read a column: a member, the one at a path if it has one, with other keys. */
export interface Way {
  readonly path?: readonly string[];
  /** Null removes a key. */
  readonly keys: Readonly<Record<string, unknown>>;
}

export interface CountQuestion {
  /** The mapping whose null values, input and conditions count. */
  readonly text: string;
  readonly ways: readonly Way[];
}

/** How many cells a way reads, and how many it cannot; or why no mapping may say so. */
export type Counted =
  | { readonly reads: number; readonly misfits: number }
  | { readonly problem: string };

/** Nothing can be said of the rows: the text is no mapping of this file, or the file has gone. */
export type Trouble =
  | { readonly kind: "document_problems"; readonly problems: readonly FileProblem[] }
  | { readonly kind: "refused"; readonly message: string };

/** A preview of a row, or what `check` says of all of them. */
export type Answer<What> = Trouble | { readonly kind: "is"; readonly what: What };

export interface Checked extends FullCheckReport {
  readonly warnings: readonly string[];
  /** In the rows that are not left out. */
  readonly columns: readonly ColumnCells[];
  /** The cells of the rows at the end that the findings name. */
  readonly lastRows: readonly (readonly string[])[];
  /** How often each cell that counts as blank is there. */
  readonly nulls: readonly (readonly [text: string, count: number])[];
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
  | { readonly kind: "refused"; readonly message: string };
