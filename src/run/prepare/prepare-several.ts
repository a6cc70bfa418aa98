import { stat } from "node:fs/promises";
import { matchColumns } from "../../input/match-columns.ts";
import { labelFiles, listNames, openSeveral, type SeveralFile } from "../../input/open-several.ts";
import type { InputSpec } from "../../input/read-bytes.ts";
import type { Source } from "../../input/source.ts";
import { fileState, type HashedFile, hashWhileReading } from "../../journal/fingerprint.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import type { SourcePosition } from "../../model/place.ts";
import type { Fingerprint } from "../../model/run-record.ts";

type FileSpec = Extract<InputSpec, { kind: "file" }>;

/** A file that is read, and what it was when the run began. */
export type InputFile = Pick<FileSpec, "path" | "name"> &
  Fingerprint & {
    /** Its {@link fileState} before it was read. */
    readonly state?: string | undefined;
  };

/**
 * Gives each of several files a name of its own.
 *
 * @throws CannotStartError if one of them is there twice, also under another name
 */
export async function nameFiles(paths: readonly string[]): Promise<FileSpec[]> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    // What is not there is reported when it is opened.
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    const file = found === undefined ? path : `${found.dev}:${found.ino}`;
    const before = seen.get(file);
    if (before !== undefined) throw cannotStart("input_twice", path, before);
    seen.set(file, path);
  }
  return labelFiles(paths).map((name, at) => ({ kind: "file", path: paths[at] ?? "", name }));
}

/**
 * Reads the header of each file, and makes sure that all have the same columns.
 *
 * @returns what opens all of them as one source
 * @throws CannotStartError that says in `details` how each differs from the first
 */
export async function joinFiles(
  files: readonly InputSpec[],
  open: (input: InputSpec, from?: SourcePosition) => Promise<Source>,
): Promise<(from?: SourcePosition) => Source> {
  const first = files[0]?.name ?? "";
  const opened: SeveralFile[] = [];
  const warnings: string[] = [];
  let columns: readonly string[] | undefined;
  const differing: string[] = [];
  const details: string[] = [];
  const reordered: string[] = [];
  for (const file of files) {
    const { name } = file;
    const source = await open(file);
    await source.close();
    const { dialect, totalBytes: bytes = 0 } = source;
    opened.push({ name, dialect, bytes, open: (from) => open(file, from) });
    warnings.push(...source.warnings);
    columns ??= source.columns;
    const match = matchColumns(columns, source.columns, first);
    if (match.kind === "different") {
      differing.push(name);
      details.push(`${name}: ${match.differences.join("; ")}`);
    }
    if (match.kind === "reordered") reordered.push(name);
  }
  if (differing.length > 0) {
    const names = listNames(differing);
    const { code, message } = cannotStart("headers_differ", first, names, differing.length);
    throw new CannotStartError(code, message, details.slice(0, maxDetails));
  }
  if (reordered.length > 0) {
    warnings.push(
      `${listNames(reordered)} ${reordered.length === 1 ? "has its" : "have their"} columns in another order than ${first}; they are matched by name.`,
    );
  }
  return (from) => openSeveral(opened, columns ?? [], warnings, from);
}

/** The files of an input, hashed as they are read. */
export interface WatchedFiles {
  /** The same files, to be read. */
  readonly specs: readonly FileSpec[];
  /** What they are; reads those that have not been read to their end yet. @throws CannotStartError */
  fingerprints(): Promise<InputFile[]>;
}

/** Watches files from now on. */
export async function watchFiles(specs: readonly FileSpec[]): Promise<WatchedFiles> {
  const files: (FileSpec & { state: string | undefined; hashed: HashedFile })[] = [];
  for (const spec of specs) {
    const hashed = hashWhileReading(spec.path);
    files.push({ ...spec, watch: hashed.watch, hashed, state: await fileState(spec.path) });
  }
  return {
    specs: files,
    async fingerprints() {
      const known: InputFile[] = [];
      for (const { path, name, state, hashed } of files) {
        known.push({ path, name, state, ...(await hashed.fingerprint()) });
      }
      return known;
    },
  };
}

/** Warns of files that hold the same: their events have ids that differ, and arrive twice. */
export function warnOfCopies(files: readonly InputFile[], warn: (message: string) => void): void {
  const first = new Map<string, string>();
  const copies: string[] = [];
  for (const { name, sha256 } of files) {
    const same = first.get(sha256);
    if (same === undefined) first.set(sha256, name);
    else copies.push(`${name} holds the same as ${same}`);
  }
  if (copies.length > 0) warn(`${listNames(copies)}: what is in it is sent twice.`);
}

const maxDetails = 20;
