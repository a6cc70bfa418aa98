import { basename, resolve, sep } from "node:path";
import { InputDamagedError } from "../model/errors.ts";
import { listed } from "../model/quantities.ts";
import type { FilesReadAs } from "../model/reading.ts";
import { quote } from "../model/row.ts";
import type { BlankLines } from "./make-rows.ts";
import type { Source } from "./source.ts";

export interface SeveralFile extends FilesReadAs {
  readonly bytes: number;
  open(): Promise<Source>;
}

/** Several files as one source: their rows one after another, numbered through. One file is open at a time. */
export function openSeveral(
  files: readonly SeveralFile[],
  columns: readonly string[],
  warnings: readonly string[],
): Source {
  let bytesBefore = 0;
  const blankBefore = { all: 0, between: 0 };
  let current: Source | undefined;
  const allWarnings = [...warnings];

  async function* batches() {
    let rowsBefore = 0;
    for (const file of files) {
      const source = await file.open();
      current = source;
      let rows = 0;
      try {
        const differences = columnDifferences(columns, source.columns, files[0]?.name ?? "");
        if (differences.length > 0) {
          const why = `its header is not what it was when the run began: ${differences.join("; ")}.`;
          throw new InputDamagedError(1, why);
        }
        for await (const batch of source.batches) {
          rows += batch.length;
          const before = rowsBefore;
          yield batch.map((row) => ({ ...row, row: before + row.row, source: file.name }));
        }
      } catch (error) {
        if (error instanceof InputDamagedError) error.file = file.name;
        throw error;
      } finally {
        await source.close();
        allWarnings.push(...source.warnings.filter((warning) => !allWarnings.includes(warning)));
      }
      current = undefined;
      rowsBefore += rows;
      Object.assign(blankBefore, blankLines(source));
      bytesBefore += file.bytes;
    }
  }

  function blankLines(source: Source | undefined): BlankLines {
    const { all = 0, between = 0 } = source?.blankLines() ?? {};
    return { all: blankBefore.all + all, between: blankBefore.between + between };
  }

  return {
    name: nameOfAll(files),
    columns,
    ...dialectsOf(files),
    warnings: allWarnings,
    hasSources: true,
    batches: batches(),
    totalBytes: totalBytes(files),
    bytesRead: () => bytesBefore + (current?.bytesRead() ?? 0),
    blankLines: () => blankLines(current),
    async close() {
      await current?.close();
    },
  };
}

/** `north.csv and 2 more` */
export function nameOfAll(files: readonly { readonly name: string }[]): string {
  const name = files[0]?.name ?? "";
  return files.length < 2 ? name : `${name} and ${files.length - 1} more`;
}

function totalBytes(files: readonly SeveralFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** How the header of a file differs from that of the first file of a run, each a part of a sentence. */
export function columnDifferences(
  columns: readonly string[],
  found: readonly string[],
  first: string,
): string[] {
  const missing = without(columns, found);
  const added = without(found, columns);
  if (missing.length === 0 && added.length === 0) {
    const isSame = columns.every((name, at) => name === found[at]);
    return isSame ? [] : ["its columns come in another order"];
  }
  return [
    ...(missing.length > 0 ? [`it has no ${listed(missing.map(quote))}`] : []),
    ...(added.length > 0 ? [`it has ${listed(added.map(quote))}, which ${first} lacks`] : []),
  ];
}

function without(names: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return names.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function dialectsOf(files: readonly FilesReadAs[]): Pick<Source, "dialect" | "readAs"> {
  const readAs = files.map(({ name, dialect }) => ({ name, dialect }));
  const [first, ...others] = new Set(readAs.map(({ dialect }) => JSON.stringify(dialect)));
  if (first === undefined || others.length > 0) return { dialect: {}, readAs };
  return { dialect: readAs[0]?.dialect ?? {} };
}

/**
 * Labels several files: by their names, or, if these are not unique, by their paths in the folder that they share. The
 * labels do not depend on the working directory, so that a run resumed from elsewhere uses the same ones.
 */
export function labelFiles(paths: readonly string[]): string[] {
  const names = paths.map((path) => basename(path));
  if (new Set(names).size === names.length) return names;
  const parts = paths.map((path) => resolve(path).split(sep));
  const [first = []] = parts;
  const shared = first.findIndex((part, at) => parts.some((other) => other[at] !== part));
  return parts.map((part) => part.slice(shared).join("/"));
}
