import { createHash } from "node:crypto";
import type { Delivered } from "../baseline/delivered.ts";
import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import { openSource } from "../input/open-source.ts";
import type { Fingerprint } from "../journal/fingerprint.ts";
import { createAtomicFile } from "../model/disk/atomic-file.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import { recordBytesLimit } from "../model/reading.ts";
import { goneSinceColumn } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import { toCsv } from "../results/to-csv.ts";
import { type BaselineFile, ownShardOf, partsOf } from "./baseline-file.ts";
import type { PreparedInput } from "./prepare-input.ts";

/**
 * The last row of each key that the baseline has and the input does not, as rows after those of the input: the
 * mapping makes their events with `gone:`.
 *
 * @param rows how many rows the input has; a gone row is numbered after them, by its line in the baseline. Each
 *   shard takes every nth number if its baseline has its own rows only: no two shards have the same then
 */
export async function* readGoneRows(
  files: readonly BaselineFile[],
  input: PreparedInput,
  delivered: Delivered,
  rows: number,
): AsyncGenerator<readonly Row[]> {
  const { index, count } = ownShardOf(files) ?? { index: 1, count: 1 };
  let number = rows + index - count;
  for (const [at, { path, name }] of partsOf(files).entries()) {
    const source = await openResultsFile({ kind: "file", path, name }, asWritten);
    try {
      const mapRow = input.mapperFor(source.columns);
      if (mapRow === undefined) continue;
      const places = input.columns.map((column) => source.columns.indexOf(column));
      for await (const batch of source.batches) {
        const found: Row[] = [];
        for (const row of batch) {
          number += count;
          const { orderingKey } = mapRow(row);
          const last = orderingKey === undefined ? undefined : delivered.lastOfGone(orderingKey);
          if (last?.file !== at + 1 || last.line !== row.line) continue;
          const cells = places.map((place) => row.cells[place] ?? "");
          const of = row.earlier?.source === undefined ? {} : { source: row.earlier.source };
          found.push({
            row: number,
            line: row.line,
            resultsFile: name,
            cells,
            isGone: true,
            ...of,
          });
        }
        if (found.length > 0) yield found;
      }
    } finally {
      await source.close();
    }
  }
}

/** The file of the keys of which a run planned nothing, as its manifest names it. */
export interface GoneRows extends Fingerprint {
  readonly lines: number;
}

/** What the file of gone rows says of the run that writes it. */
interface GoneRun {
  /** In ISO 8601. */
  readonly startedAt: string;
  /** Whether it is of some rows of the input only. */
  readonly isPartial: boolean;
}

/**
 * Writes the last lines of each key of which nothing is planned, as they stand in the baseline: their rows are
 * gone from the input, or are invalid or left out. The next run reads them with its baseline, so what was
 * delivered is known however short an export was.
 *
 * @returns undefined if there is none, and no file then
 * @throws DiskError
 */
export async function writeGoneRows(
  path: string,
  files: readonly BaselineFile[],
  input: PreparedInput,
  delivered: Delivered,
  { startedAt, isPartial }: GoneRun,
): Promise<GoneRows | undefined> {
  const cannotWrite = (error: unknown) =>
    new DiskError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  const file = await createAtomicFile(path).catch((error: unknown) => {
    throw cannotWrite(error);
  });
  const hash = createHash("sha256");
  let [bytes, lineCount] = [0, 0];
  const write = async (records: readonly (readonly string[])[]) => {
    const text = Buffer.from(toCsv(records));
    hash.update(text);
    bytes += text.length;
    await file.handle.writeFile(text).catch((error: unknown) => {
      throw cannotWrite(error);
    });
  };
  try {
    const header = [...(await columnsOfLast(files)), goneSinceColumn];
    await write([header]);
    for await (const lines of linesToKeep(files, input, delivered, header)) {
      // A run of some rows does not know which keys the input has.
      const records = lines.map(({ cells, goneBefore, isGone }) => [
        ...cells.slice(0, -1),
        isGone ? goneBefore || (isPartial ? "" : startedAt) : "",
      ]);
      lineCount += records.length;
      await write(records);
    }
  } catch (error) {
    await file.discard();
    throw error;
  }
  if (lineCount === 0) {
    await file.discard();
    return undefined;
  }
  await file.finish().catch((error: unknown) => {
    throw cannotWrite(error);
  });
  return { lines: lineCount, bytes, sha256: hash.digest("hex") };
}

/** The columns of the last import, which those of its retries and of its gone rows are too. */
async function columnsOfLast(files: readonly BaselineFile[]): Promise<readonly string[]> {
  const last = files.findLast(({ manifest }) => manifest.kind === "import") ?? files.at(-1);
  if (last === undefined) return [];
  const source = await openPart(last);
  await source.close();
  return source.columns;
}

interface KeptLine {
  readonly cells: readonly string[];
  /** Since when its key is gone, as far as an earlier run knew. */
  readonly goneBefore: string;
  readonly isGone: boolean;
}

/** The lines of the keys, with their cells under the columns of the header. */
async function* linesToKeep(
  files: readonly BaselineFile[],
  input: PreparedInput,
  delivered: Delivered,
  header: readonly string[],
): AsyncGenerator<KeptLine[]> {
  for (const [at, part] of partsOf(files).entries()) {
    const source = await openPart(part);
    try {
      const mapRow = input.mapperFor(source.columns);
      // With another mapping, here or later, the ids say nothing of what the present one would send.
      const isSameMapping = files
        .slice(files.indexOf(part.file))
        .every(({ manifest }) => manifest.mapping.sha256 === input.mapping.sha256);
      const places = header.map((name) => source.columns.indexOf(name));
      const idAt = header.indexOf("import_event_id");
      if (mapRow === undefined) continue;
      for await (const rows of source.batches) {
        const kept: KeptLine[] = [];
        for (const row of rows) {
          const { orderingKey } = mapRow(row);
          if (orderingKey === undefined) continue;
          if (delivered.lastFileOfUnplanned(orderingKey) !== at + 1) continue;
          const cells = places.map((place) => row.cells[place] ?? "");
          if (!isSameMapping) cells[idAt] = "";
          const isGone = delivered.lastOfGone(orderingKey) !== undefined;
          kept.push({ cells, goneBefore: cells.at(-1) ?? "", isGone });
        }
        yield kept;
      }
    } finally {
      await source.close();
    }
  }
}

function openPart({ path, name }: Pick<BaselineFile, "path" | "name">) {
  return openSource(
    { kind: "file", path, name },
    {
      ...asWritten,
      maxRecordBytes: recordBytesLimit,
      mayHoldRows: true,
    },
  );
}
