import { stat } from "node:fs/promises";
import {
  columnDifferences,
  labelFiles,
  openSeveral,
  type SeveralFile,
} from "../../input/open-several.ts";
import { openSource } from "../../input/open-source.ts";
import { type FileSpec, type InputSpec, openFile } from "../../input/read-bytes.ts";
import type { Source } from "../../input/source.ts";
import { fileState, fingerprintFile } from "../../journal/fingerprint.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { listed } from "../../model/quantities.ts";
import type { Reading } from "../../model/reading.ts";
import { hasResultsColumns, isResultsColumn } from "../../model/results-columns.ts";
import type { Fingerprint } from "../../model/run-record.ts";

export async function openerOf(
  specs: readonly InputSpec[],
  reading: Reading,
): Promise<() => Promise<Source>> {
  const open = (spec: InputSpec) => openRows(spec, reading);
  const [first, second] = specs;
  if (first === undefined) throw cannotStart("option_invalid", "input", "it names no file");
  if (second === undefined) return () => open(first);
  const openAll = await joinFiles(specs, open);
  return async () => openAll();
}

async function openRows(spec: InputSpec, reading: Reading): Promise<Source> {
  const source = await openSource(spec, reading);
  try {
    refuseResults(spec.name, source.columns);
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** @throws CannotStartError if columns are those of a file that eventload wrote */
export function refuseResults(name: string, columns: readonly string[]): void {
  if (hasResultsColumns(columns)) throw cannotStart("results_file_as_input", name, name);
  const reserved = columns.find(isResultsColumn);
  if (reserved !== undefined) throw cannotStart("reserved_column", name, reserved);
}

/**
 * The columns of a file, as far as it can be read, for what else is wrong with a mapping. A stream
 * may take its time, which a mapping that is wrong anyway is not worth.
 */
export async function columnsOfInput(
  spec: InputSpec | undefined,
  reading: Reading,
): Promise<readonly string[] | undefined> {
  if (spec?.kind !== "file") return undefined;
  const source = await openRows(spec, reading).catch(() => undefined);
  await source?.close();
  return source?.columns;
}

/** Whether a path leads to a file that eventload wrote, though somebody may have edited it. */
export async function isResultsFile(path: string): Promise<boolean> {
  const spec = { kind: "file", path, name: path } as const;
  const source = await openSource(spec, { rowsInCells: true }).catch(() => undefined);
  await source?.close();
  return source !== undefined && hasResultsColumns(source.columns);
}

/** A file that is read, and what it was when the run began. */
export type InputFile = Pick<FileSpec, "path" | "name" | "held"> &
  Fingerprint & {
    /** The {@link fileState} before the file was read. */
    readonly state?: string | undefined;
  };

/**
 * Gives each of several files a name of its own.
 *
 * @param named what people call it, if it is one
 * @throws CannotStartError if one of them is there twice, also under another name
 */
export async function nameFiles(paths: readonly string[], named?: string): Promise<FileSpec[]> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    // What is not there is reported when it is opened.
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    const file = found === undefined ? path : `${found.dev}:${found.ino}`;
    const before = seen.get(file);
    if (before !== undefined) throw cannotStart("input_twice", path, before);
    seen.set(file, path);
  }
  const names = named === undefined ? labelFiles(paths) : [named];
  return names.map((name, at) => ({ kind: "file", path: paths[at] ?? "", name }));
}

/**
 * Reads the header of each file, and makes sure that all have the same columns.
 *
 * @returns what opens all of them as one source
 * @throws CannotStartError that says in `details` how each differs from the first
 */
export async function joinFiles(
  files: readonly InputSpec[],
  open: (input: InputSpec) => Promise<Source>,
): Promise<() => Source> {
  const first = files[0]?.name ?? "";
  const opened: SeveralFile[] = [];
  const warnings: string[] = [];
  let columns: readonly string[] | undefined;
  const differing: string[] = [];
  const details: string[] = [];
  for (const file of files) {
    const { name } = file;
    const source = await open(file);
    await source.close();
    const { dialect, totalBytes: bytes = 0 } = source;
    opened.push({ name, dialect, bytes, open: () => open(file) });
    warnings.push(...source.warnings);
    columns ??= source.columns;
    const differences = columnDifferences(columns, source.columns, first);
    if (differences.length === 0) continue;
    differing.push(name);
    details.push(`${name}: ${differences.join("; ")}`);
  }
  if (differing.length > 0) {
    const names = listed(differing);
    const { code, message } = cannotStart("headers_differ", first, names, differing.length);
    throw new CannotStartError(code, message, details.slice(0, maxDetails));
  }
  return () => openSeveral(opened, columns ?? [], warnings);
}

/**
 * Looks at files before they are read.
 *
 * @param hold whether they stay open, so that all passes read the same bytes, whatever gets their names
 */
export async function holdFiles(specs: readonly FileSpec[], hold = false) {
  const files: (FileSpec & Pick<InputFile, "state">)[] = [];
  for (const spec of specs) {
    const { path } = spec;
    // What is not there is reported when it is read.
    const held = hold ? await openFile(path).catch(() => undefined) : undefined;
    files.push({ ...spec, held, state: await fileState(path, held) });
  }
  return {
    specs: files,
    /** The fingerprints of all files. @throws CannotStartError if one has changed: nobody knows what was read of it */
    async fingerprints() {
      const known: InputFile[] = [];
      for (const { path, name, held, state } of files) {
        known.push({ path, name, held, state, ...(await fingerprintFile(path, held)) });
        if ((await fileState(path, held)) !== state) throw cannotStart("input_changing", name);
      }
      return known;
    },
    async close() {
      for (const { held } of files) await held?.close();
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
  if (copies.length > 0) warn(`${listed(copies)}: what is in it is sent twice.`);
}

const maxDetails = 20;
