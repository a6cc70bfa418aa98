import type { Fingerprint } from "../model/run-record.ts";
import {
  differingSettings,
  type RunSettings,
  type SendingSettings,
} from "../model/run-settings.ts";

/** Increases with every change of the format. */
export const journalVersion = 7;

/** What is imported, and where to, as the journal of each part and the manifest of the account have it. */
export interface Imported {
  readonly input: {
    /** Null if it is standard input, of which a copy is read, or several files. */
    readonly path: string | null;
    readonly name: string;
    /** The value of `meta: input_name`. */
    readonly called: string;
    readonly id: string;
    /** Null in the account of a version that read standard input only once. */
    readonly bytes: number | null;
    readonly sha256: string | null;
  };
  /** If there are several files: these, in the order in which they are read; `input` is all of them. */
  readonly inputs?:
    | readonly ({ readonly path: string; readonly name: string } & Fingerprint)[]
    | undefined;
  readonly mapping: {
    readonly path: string;
    /** The `lookup` files and modules that it uses. */
    readonly lookups: readonly ({ readonly path: string } & Fingerprint)[];
  } & Fingerprint;
  readonly base_url: string;
  /** The target of the configuration file, if the address came from one. */
  readonly target?: string | undefined;
  readonly options: RunSettings;
  /** Path of the state, if it is a night. */
  readonly state?: string | undefined;
  /** When the import began, in ISO 8601; in the journal of a retry, when that began. */
  readonly started_at: string;
}

/** What a run was started with. A resume continues only with the same. */
export interface RunIdentity {
  /** A journal of another version is not resumed. */
  readonly version: typeof journalVersion;
  readonly kind: "import" | "retry";
  readonly imported: Imported;
  /** The number of the part that this journal is of, from 1. */
  readonly part: number;
  /** The results that the part begins with; undefined in the first part. */
  readonly account?: Fingerprint;
  /** The name of the file that selected the rows, which are beside the part; undefined for an input. */
  readonly given?: string;
  /** SHA-256 of the failed rows when a retry began: what somebody edits later is not overwritten. */
  readonly failedRows?: string;
  /** When it began, and when it was resumed, in ISO 8601, and how it was sent then. */
  readonly parts: readonly { readonly startedAt: string; readonly sending: SendingSettings }[];
  /** Null if no check has counted them. */
  readonly rowsTotal: number | null;
  /** HMAC of everything above. */
  readonly seal?: string | undefined;
}

/** Whether a run reads the copy of an input that came from standard input. */
export function readsCopy({ imported, given }: RunIdentity): boolean {
  return imported.input.path === null && imported.inputs === undefined && given === undefined;
}

/** What keeps a run from being resumed: how it differs from the one before, a part of a sentence each. */
export function differences(before: Imported, now: Imported): string[] {
  const found = inputDifferences(before, now);
  if (before.mapping.sha256 !== now.mapping.sha256) {
    found.push(`the mapping ${now.mapping.path} has changed`);
  }
  for (const { path, sha256 } of before.mapping.lookups) {
    const known = now.mapping.lookups.find((one) => one.path === path);
    if (known?.sha256 !== sha256) {
      found.push(`the file ${path} that the mapping uses has changed`);
    }
  }
  if (before.base_url !== now.base_url) {
    found.push(`the base URL was ${before.base_url} and is ${now.base_url}`);
  }
  return [...found, ...differingSettings(before.options, now.options)];
}

function inputDifferences(before: Imported, now: Imported): string[] {
  const [were, are] = [before.inputs ?? [before.input], now.inputs ?? [now.input]];
  const namesOf = (files: readonly { readonly name: string }[]) =>
    files.map(({ name }) => name).join(", ");
  const isOne = were.length === 1 && are.length === 1;
  if (!isOne && namesOf(were) !== namesOf(are)) return [`it read ${namesOf(were)} in this order`];
  return are.flatMap(({ path, name, sha256 }, at) =>
    were[at]?.sha256 === sha256 ? [] : [`the input ${path ?? name} has changed`],
  );
}
