import type { Fingerprint } from "../model/fingerprint.ts";
import type { RunPart } from "../model/sending-settings.ts";

/** Increases with every change of the format. */
export const journalVersion = 4;

/** What a run was started with. A resume continues only with the same. */
export interface RunIdentity {
  /** A journal of another version is not resumed. */
  readonly version: typeof journalVersion;
  readonly kind: "import" | "retry";
  readonly input: {
    /** Undefined if it is standard input, or several files. */
    readonly path: string | null;
    readonly name: string;
    /** The value of `meta: input_name`. */
    readonly called: string;
    readonly id: string;
  } & (Fingerprint | { readonly bytes: null; readonly sha256: null });
  /** If there are several files: these, in the order in which they are read; `input` is all of them. */
  readonly inputs?: readonly ({ readonly path: string; readonly name: string } & Fingerprint)[];
  /** The number of the part that this journal is of, from 1. */
  readonly part: number;
  /** The results that the part begins with; undefined in the first part. */
  readonly account?: Fingerprint;
  /** The name of the file that selected the rows, which are beside the part; undefined for an input. */
  readonly given?: string;
  /** Name of the results file. */
  readonly results: string;
  readonly mapping: {
    readonly path: string;
    /** The `lookup` files and modules that it uses; absent in earlier journals. */
    readonly lookups?: readonly ({ readonly path: string } & Fingerprint)[];
  } & Fingerprint;
  readonly baseUrl: string;
  /** The target of the configuration file, if the address came from one. */
  readonly target?: string;
  readonly options: RunOptions;
  readonly startedAt: string;
  /** When it began, and when it was resumed, with the settings of sending. */
  readonly parts: readonly RunPart[];
  /** Path of the state, if it is a night. */
  readonly state?: string;
  /** Null if no check has counted them. */
  readonly rowsTotal: number | null;
  /** HMAC of everything above. */
  readonly seal?: string | undefined;
}

/** Options that decide what is sent; others may differ from one part of a run to the next. */
export interface RunOptions {
  readonly delivery: "at-least-once" | "at-most-once";
  readonly idempotencyHeader: string | null;
  readonly allowHttp: boolean;
  /** How the input is read, as far as options say so. Absent in earlier journals. */
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
  /** What was detected of the rest, if all of the input is alike. */
  readonly readAs?: {
    readonly encoding?: string;
    readonly delimiter?: string;
    readonly quote?: string;
  };
  /** Where its report goes, if it has one. */
  readonly report?: string;
  readonly skip: number;
  readonly shard?: { readonly index: number; readonly count: number };
  readonly limit: number | null;
  /** The following may differ; they are kept for a resume that does not give them again. */
  readonly caFiles?: readonly string[];
  readonly statuses?: Partial<Readonly<Record<"success" | "retry" | "reject", string>>>;
}

/** Whether a run read an input that cannot be read again, such as standard input. */
export function isReadOnceRun({
  input,
  inputs,
  given,
}: {
  readonly input: { readonly path: string | null };
  readonly inputs?: readonly unknown[] | undefined;
  readonly given?: string | undefined;
}): boolean {
  return input.path === null && inputs === undefined && given === undefined;
}

/** What has to be the same in two parts of a run. */
export type ComparedIdentity = Pick<
  RunIdentity,
  "kind" | "inputs" | "results" | "mapping" | "baseUrl" | "options"
> & { readonly input: Pick<RunIdentity["input"], "path" | "name" | "sha256"> };

/** What keeps a run from being resumed: how it differs from the one before, a part of a sentence each. */
export function differences(before: ComparedIdentity, now: ComparedIdentity): string[] {
  const found: string[] = [];
  found.push(...inputDifferences(before, now));
  if (before.mapping.sha256 !== now.mapping.sha256) {
    found.push(`the mapping ${now.mapping.path} is not what it was`);
  }
  for (const { path, sha256 } of before.mapping.lookups ?? []) {
    const known = now.mapping.lookups?.find((one) => one.path === path);
    if (known?.sha256 !== sha256) {
      found.push(`the file ${path} that the mapping uses is not what it was`);
    }
  }
  if (before.baseUrl !== now.baseUrl) {
    found.push(`the base URL was ${before.baseUrl} and is ${now.baseUrl}`);
  }
  if (before.results !== now.results) {
    found.push(`its results are ${before.results}, not ${now.results}`);
  }
  if (before.kind !== now.kind) found.push(`it was an ${before.kind}, not an ${now.kind}`);
  const [shardBefore, shardNow] = [before, now].map(({ options: { shard } }) =>
    shard === undefined ? "not given" : `${shard.index}/${shard.count}`,
  );
  if (shardBefore !== shardNow) found.push(`--shard was ${shardBefore} and is ${shardNow}`);
  for (const name of ["delivery", "idempotencyHeader", "skip", "limit"] as const) {
    const [was, is] = [before.options[name], now.options[name]];
    if (was !== is)
      found.push(`${optionNames[name]} was ${was ?? "not given"} and is ${is ?? "not given"}`);
  }
  const [readBefore, readNow] = [before.options.reading ?? {}, now.options.reading ?? {}];
  for (const [name, option] of Object.entries(readingNames)) {
    const [was, is] = [readBefore, readNow].map((one) => one[name as keyof typeof readingNames]);
    if (was === is || readsAlike(name, before.options, now.options)) continue;
    const [given = "not given", after = "not given"] = [was, is].map(asTyped);
    found.push(`${option} was ${given} and is ${after}`);
  }
  const [header, headerNow] = [readBefore.header ?? true, readNow.header ?? true];
  if (header !== headerNow) found.push(`--no-header was ${header ? "not given" : "given"}`);
  return found;
}

function inputDifferences(before: ComparedIdentity, now: ComparedIdentity): string[] {
  const notWhatItWas = (path: string) => `the input ${path} is not what it was`;
  if (before.inputs === undefined && now.inputs === undefined) {
    const { path, name, sha256 } = now.input;
    return before.input.sha256 === sha256 ? [] : [notWhatItWas(path ?? name)];
  }
  const [were, are] = [before.inputs ?? [before.input], now.inputs ?? [now.input]];
  const without = (files: typeof were, others: typeof were) =>
    files.map(({ name }) => name).filter((name) => others.every((other) => other.name !== name));
  const [gone, added] = [without(were, are), without(are, were)];
  const found = are.flatMap(({ path, name, sha256 }) => {
    const file = were.find((one) => one.name === name);
    return file === undefined || file.sha256 === sha256 ? [] : [notWhatItWas(path ?? name)];
  });
  if (gone.length > 0) found.unshift(`it read ${gone.join(", ")} too`);
  if (added.length > 0) found.unshift(`it did not read ${added.join(", ")}`);
  const isMoved = are.some(({ name }, at) => were[at]?.name !== name);
  return found.length === 0 && isMoved ? ["its inputs came in another order"] : found;
}

const optionNames = {
  delivery: "--delivery",
  idempotencyHeader: "--idempotency-header",
  skip: "--skip",
  limit: "--limit",
};

/** Whether an option of one run says what the other run detected. */
function readsAlike(name: string, before: RunOptions, now: RunOptions): boolean {
  if (name !== "encoding" && name !== "delimiter" && name !== "quote") return false;
  const [was, is] = [before, now].map(({ reading, readAs }) => {
    const part = reading?.[name] ?? readAs?.[name];
    return name === "encoding" ? part?.toLowerCase() : part;
  });
  return was !== undefined && was === is;
}

function asTyped(value: string | number | undefined): string | undefined {
  return value === "" ? "none" : value?.toString();
}

/** The options on which the rows of an input depend. The maximum size of a record is not one. */
const readingNames = {
  encoding: "--encoding",
  delimiter: "--delimiter",
  quote: "quote (in eventload.yaml)",
  skipLines: "--skip-lines",
  sheet: "--sheet",
};
