import type { FileProblem } from "../model/file-problem.ts";
import type { FullCheckReport } from "../run/check/check-report.ts";
import type { ColumnCells } from "../run/check/count-cells.ts";
import type { Preview } from "../run/check/preview.ts";
import type { CheckProgress } from "../run/options/run-events.ts";

/** What the page and its server say to each other. Addresses are below the secret path of the server. */
export const addresses = {
  description: "api/description",
  answer: "api/answer",
  save: "api/save",
  end: "api/end",
} as const;

/** What the page shows at its beginning: the file, and the mapping as it is on disk. */
export interface Description extends Version {
  /** Their names, without folders. */
  readonly input: string;
  readonly mapping: string;
  /** What `init` would write, from which the page takes a member for a column. */
  readonly proposal: string;
  readonly columns: readonly ColumnCells[];
  /** In how many rows the cells were counted, and whether these are all. */
  readonly rows: number;
  readonly isWhole: boolean;
  /** The JSON Schema of mappings, for completion, and its keys that a member of another type does not keep. */
  readonly schema: unknown;
  readonly conversionKeys: readonly string[];
  readonly commands: Commands;
}

/** The mapping as it is on disk, and what identifies it, so that a save replaces nothing that the page has not shown. */
export interface Version {
  readonly text: string;
  readonly version: string;
}

/** What to type once the mapping is right. */
export type Commands = Readonly<Record<"sandbox" | "trial" | "import", string>>;

/** What does this text make of the file? */
export interface Question {
  readonly text: string;
  /** The row to show, from 1. */
  readonly row: number;
  /** Whether to show the first invalid row from there on. */
  readonly onlyInvalid?: boolean;
  /** Whether to check all rows too, until nobody waits for that any more. */
  readonly all?: boolean;
}

/** An answer comes in parts, a line of JSON each, as they are known. */
export type AnswerPart =
  /** The text is no mapping of this file. */
  | { readonly kind: "document_problems"; readonly problems: readonly FileProblem[] }
  /** Nothing can be said, as where the file has gone. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "row"; readonly preview: Preview }
  | ({ readonly kind: "progress" } & CheckProgress)
  | { readonly kind: "checked"; readonly report: Checked };

/** What `check` says of all rows. */
export interface Checked extends FullCheckReport {
  readonly warnings: readonly string[];
  readonly columns: readonly ColumnCells[];
}

/** What becomes of a text that is to replace a version. */
export type SaveAnswer =
  | { readonly kind: "saved"; readonly version: string }
  /** Somebody else has changed the file: it is as it was found. */
  | ({ readonly kind: "changed" } & Version)
  | { readonly kind: "failed"; readonly message: string };
