import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { openSource } from "../../input/open-source.ts";
import { fingerprintFile } from "../../journal/fingerprint.ts";
import type { LookupTable, LookupTables } from "../../mapping/compile-lookup.ts";
import { isWithin } from "../../model/disk/exists.ts";
import { CannotStartError, reasonOf } from "../../model/errors.ts";
import { writtenChars } from "../../model/row.ts";
import type { Fingerprint } from "../../model/run-record.ts";

/** A second file that a mapping looks things up in, as it was when the run began. */
export type LookupFile = { readonly path: string } & Fingerprint;

/** Lookup files are in memory as a whole: their characters, and this much for each row. */
const bytesOfRow = 64;
const maxMiB = 32;
const lookupTooLarge = `is too large: lookup files are kept in memory, and take more than ${maxMiB} MiB (their text, and ${bytesOfRow} bytes a row); leave out what is not looked up`;

/** Reads the files that a mapping looks things up in. What is wrong with one is in its table. */
export async function readLookups(
  mappingPath: string,
  files: readonly string[],
): Promise<{ readonly tables: LookupTables; readonly files: readonly LookupFile[] }> {
  const tables = new Map<string, LookupTable>();
  const found: LookupFile[] = [];
  const memory = { left: maxMiB * 1024 * 1024 };
  for (const file of files) {
    const path = resolve(dirname(mappingPath), file);
    try {
      const message = await whyLookupUnusable(path, mappingPath);
      const table: LookupTable =
        message === undefined ? await readLookupTable(path, memory) : { kind: "unusable", message };
      tables.set(file, table);
      if (table.kind === "table") found.push({ path, ...(await fingerprintFile(path)) });
    } catch (error) {
      const why =
        error instanceof CannotStartError ? error.message : `cannot be read: ${reasonOf(error)}`;
      tables.set(file, { kind: "unusable", message: withoutOptions(why) });
    }
  }
  return { tables, files: found };
}

async function whyLookupUnusable(path: string, mappingPath: string): Promise<string | undefined> {
  // Whoever wrote the mapping could send any file of this machine.
  if (!(await isWithin(dirname(mappingPath), path)))
    return "is outside the folder of the mapping: put it there";
  // A pipe without a writer would be waited for without end, and a device may have none.
  const isFile = (await stat(path)).isFile();
  return isFile ? undefined : "is not a file but a folder, a pipe or a device: name a CSV file";
}

/** How a file is to be read can be said of the input only: of this one, it has to be detected. */
function withoutOptions(message: string): string {
  const advice =
    /(?:\. Say which)?[.:;(] ?[^.:;(]*(?:--(?:encoding|delimiter|skip-lines)\b|quote(?=: none))/;
  const at = message.search(advice);
  if (at < 0) return message;
  return `${message.slice(0, at).trimEnd()}: save it as CSV in UTF-8, with commas between its cells`;
}

async function readLookupTable(path: string, memory: { left: number }): Promise<LookupTable> {
  // Its two columns are found by their names, so no title is taken for these.
  const reading = { skipLines: 0 };
  const source = await openSource({ kind: "file", path, name: basename(path) }, reading);
  const { columns } = source;
  const all: string[] = [];
  const lines: number[] = [];
  try {
    for await (const batch of source.batches) {
      for (const { line, cells, problem } of batch) {
        if (problem !== undefined) {
          return { kind: "unusable", message: `${source.name}: line ${line} ${problem.message}` };
        }
        memory.left -= writtenChars({ cells }) + bytesOfRow;
        if (memory.left < 0) return { kind: "unusable", message: lookupTooLarge };
        for (const cell of cells) all.push(cell);
        lines.push(line);
      }
    }
    return { kind: "table", columns, cells: all, lines };
  } finally {
    await source.close();
  }
}
