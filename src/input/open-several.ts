import { resolve, sep } from "node:path";
import { InputDamagedError } from "../model/errors.ts";
import type { SourcePosition } from "../model/place.ts";
import type { Dialect, FilesReadAs } from "../model/reading.ts";
import type { Row } from "../model/row.ts";
import { matchColumns } from "./match-columns.ts";
import { raggedMark } from "./ragged-row.ts";
import type { Source } from "./source.ts";

/** One of the files that are read one after another. */
export interface SeveralFile extends FilesReadAs {
  readonly bytes: number;
  /** Opens it, at its beginning or within. */
  open(from: SourcePosition | undefined): Promise<Source>;
}

/**
 * Several files as one source: their rows one after another, numbered through, with their cells in the
 * order of the first file's columns. Never more than one file is open.
 *
 * @param columns those of the first file; the others were compared with them before
 * @param warnings about their beginnings
 * @param from where to continue
 */
export function openSeveral(
  files: readonly SeveralFile[],
  columns: readonly string[],
  warnings: readonly string[],
  from?: SourcePosition,
): Source {
  const begin = from?.file ?? { index: 0, rowsBefore: 0, blankLines: 0 };
  let bytesBefore = sizeOf(files.slice(0, begin.index));
  let blankBefore = begin.blankLines;
  let current: { readonly source: Source; readonly bytes: number } | undefined;
  let position = from;
  const allWarnings = [...warnings];

  async function* batches() {
    let { rowsBefore } = begin;
    for (const [at, file] of files.slice(begin.index).entries()) {
      const index = begin.index + at;
      const inFile = at === 0 ? positionInFile(from) : undefined;
      const source = await file.open(inFile);
      current = { source, bytes: file.bytes };
      let rows = inFile?.rowsBefore ?? 0;
      let isAtBeginning = inFile === undefined;
      try {
        const arrange = arrangerOf(source.columns, columns, files[0]?.name ?? "");
        for await (const batch of source.batches) {
          const before = { index, rowsBefore, blankLines: blankBefore };
          const start = source.batchStart() ?? (isAtBeginning ? beginningOfFile : undefined);
          position = start === undefined ? undefined : positionOfAll(start, before);
          isAtBeginning = false;
          rows += batch.length;
          yield batch.map((row) => ({
            ...arrange(row),
            row: before.rowsBefore + row.row,
            source: file.name,
          }));
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
      blankBefore += source.blankLines();
      bytesBefore += file.bytes;
    }
  }

  return {
    name: nameOfAll(files),
    columns,
    ...shareDialect(files),
    warnings: allWarnings,
    hasSources: true,
    batches: batches(),
    batchStart: () => position,
    totalBytes: sizeOf(files),
    bytesRead: () => bytesBefore + Math.min(current?.source.bytesRead() ?? 0, current?.bytes ?? 0),
    blankLines: () => blankBefore + (current?.source.blankLines() ?? 0),
    async close() {
      await current?.source.close();
    },
  };
}

/** `north.csv and 2 more` */
export function nameOfAll(files: readonly { readonly name: string }[]): string {
  const name = files[0]?.name ?? "";
  return files.length < 2 ? name : `${name} and ${files.length - 1} more`;
}

function sizeOf(files: readonly SeveralFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

const beginningOfFile: SourcePosition = { offset: 0, line: 1, rowsBefore: 0, blankLines: 0 };

function positionOfAll(
  start: SourcePosition,
  file: NonNullable<SourcePosition["file"]>,
): SourcePosition {
  const rowsBefore = file.rowsBefore + start.rowsBefore;
  return { ...start, file, rowsBefore, blankLines: file.blankLines + start.blankLines };
}

/** Nothing for its beginning, where the header has to be read first. */
function positionInFile(from: SourcePosition | undefined): SourcePosition | undefined {
  if (from?.file === undefined || from.offset === 0) return undefined;
  const { file, ...rest } = from;
  const rowsBefore = from.rowsBefore - file.rowsBefore;
  return { ...rest, rowsBefore, blankLines: from.blankLines - file.blankLines };
}

/** @throws InputDamagedError if the file was changed since its header was compared */
function arrangerOf(
  found: readonly string[],
  columns: readonly string[],
  first: string,
): (row: Row) => Row {
  const match = matchColumns(columns, found, first);
  switch (match.kind) {
    case "same":
      return (row) => row;
    case "reordered":
      return (row) => {
        const cells = match.places.map((place) => row.cells[place] ?? "");
        const { problem } = row;
        if (problem?.mark === undefined) return { ...row, cells };
        return { ...row, cells, problem: { ...problem, mark: raggedMark(cells) } };
      };
    case "different": {
      const why = match.differences.join("; ");
      throw new InputDamagedError(1, `its header is not what it was when the run began: ${why}.`);
    }
  }
}

/** The dialect that several files have in common, and each dialect if they differ. */
function shareDialect(files: readonly FilesReadAs[]): {
  readonly dialect: Dialect;
  readonly readAs?: readonly FilesReadAs[];
} {
  const ways = new Map<string, { readonly names: string[]; readonly dialect: Dialect }>();
  for (const { name, dialect } of files) {
    const key = JSON.stringify(Object.entries(dialect).toSorted());
    const way = ways.get(key) ?? { names: [], dialect };
    way.names.push(name);
    ways.set(key, way);
  }
  const [first, ...others] = [...ways.values()];
  if (first === undefined || others.length === 0) return { dialect: first?.dialect ?? {} };
  const shared = Object.entries(first.dialect).filter(([part, value]) =>
    others.every(({ dialect }) => dialect[part as keyof Dialect] === value),
  );
  return {
    dialect: Object.fromEntries(shared),
    readAs: [first, ...others].map(({ names, dialect }) => ({ name: listNames(names), dialect })),
  };
}

/**
 * Labels several files: each by its name, with as many folders above it as make it unique. The labels
 * do not depend on the working directory, so that a run resumed from elsewhere uses the same ones.
 *
 * @param paths all different
 */
export function labelFiles(paths: readonly string[]): string[] {
  const parts = paths.map((path) => resolve(path).split(sep));
  const lengths = parts.map(() => 1);
  const labelAt = (at: number) => parts[at]?.slice(-(lengths[at] ?? 1)).join("/") ?? "";
  for (;;) {
    const labels = parts.map((_, at) => labelAt(at));
    const times = new Map<string, number>();
    for (const label of labels) times.set(label, (times.get(label) ?? 0) + 1);
    const alike = labels.flatMap((label, at) => {
      const isWhole = (lengths[at] ?? 0) >= (parts[at]?.length ?? 0);
      return (times.get(label) ?? 0) > 1 && !isWhole ? [at] : [];
    });
    if (alike.length === 0) return labels;
    for (const at of alike) lengths[at] = (lengths[at] ?? 0) + 1;
  }
}

const maxNames = 5;

/** `a.csv, b.csv`, or the first few of them `and 7 more`. */
export function listNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  const shown = names.slice(0, maxNames).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
