import type { RunPart } from "../model/sending-settings.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** To be counted up with every change of what a journal holds. */
export const journalVersion = 2;

/** What a run was started with. A resume continues only with the same. */
export interface RunIdentity {
  /** Of the journal: one of another version is not resumed. */
  readonly version: typeof journalVersion;
  readonly kind: "import" | "retry";
  readonly input: {
    /** Undefined if it is standard input, or several files. */
    readonly path: string | null;
    readonly name: string;
    /** What `meta: input_name` says. */
    readonly called: string;
    readonly id: string;
  } & (Fingerprint | { readonly bytes: null; readonly sha256: null });
  /** Where there are several files, in the order in which they are read; `input` is all of them. */
  readonly inputs?: readonly ({ readonly path: string; readonly name: string } & Fingerprint)[];
  /** Results of earlier runs that decide on what is left out as unchanged, the oldest first. */
  readonly baseline?: readonly ({ readonly path: string } & Fingerprint)[];
  /** Name of the results file. */
  readonly results: string;
  readonly mapping: {
    readonly path: string;
    /** The files that it looks things up in or imports; runs of before have none. */
    readonly lookups?: readonly ({ readonly path: string } & Fingerprint)[];
  } & Fingerprint;
  readonly baseUrl: string;
  /** The name under which a configuration file knows that address, if it was by one. */
  readonly target?: string;
  readonly options: RunOptions;
  readonly startedAt: string;
  /** How it was sent: the first part, and one more for each resume. */
  readonly parts: readonly RunPart[];
  /** Where a check has counted them. */
  readonly rowsTotal: number | null;
  /** Of all that stands above. */
  readonly seal?: string | undefined;
}

/** Options that decide what is sent; others may differ from one part of a run to the next. */
export interface RunOptions {
  readonly delivery: "at-least-once" | "at-most-once";
  readonly idempotencyHeader: string | null;
  readonly allowHttp: boolean;
  /** How the input is read, as far as it was said. Journals of before have none. */
  readonly reading?: {
    readonly encoding?: string;
    readonly delimiter?: string;
    readonly quote?: string;
    readonly header?: boolean;
    readonly skipLines?: number;
    readonly maxRecordBytes?: number;
    readonly mayHoldRows?: boolean;
    readonly sheet?: string;
  };
  /** What was detected of the rest, where all of the input is alike. */
  readonly readAs?: {
    readonly encoding?: string;
    readonly delimiter?: string;
    readonly quote?: string;
  };
  readonly skip: number;
  readonly limit: number | null;
  /** These may differ all the same; they are kept for when they are not given again. */
  readonly caFiles?: readonly string[];
  readonly statuses?: Partial<Readonly<Record<"success" | "retry" | "reject", string>>>;
}
