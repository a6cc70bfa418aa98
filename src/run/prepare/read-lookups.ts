import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { openSource } from "../../input/open-source.ts";
import { fingerprintFile } from "../../journal/fingerprint.ts";
import type { LookupTable, LookupTables } from "../../mapping/compile-lookup.ts";
import { CannotStartError, reasonOf } from "../../model/errors.ts";
import { writtenChars } from "../../model/row.ts";
import type { Fingerprint } from "../../model/run-record.ts";

/** A second file that a mapping looks things up in, as it was when the run began. */
export type LookupFile = { readonly path: string } & Fingerprint;

/** It is held in memory as a whole. */
const maxMiB = 16;
/** Also of one that is small, and is not when it is unpacked. */
const tooLarge = `is larger than ${maxMiB} MiB, and it is kept in memory: leave out what is not looked up`;

/**
 * Reads the files that a mapping looks things up in. What is wrong with one is in its table.
 *
 * @param mayRead whether the file of a path may be read at all
 */
export async function readLookups(
  mappingPath: string,
  files: readonly string[],
  mayRead: (path: string) => boolean = () => true,
): Promise<{ readonly tables: LookupTables; readonly files: readonly LookupFile[] }> {
  const tables = new Map<string, LookupTable>();
  const found: LookupFile[] = [];
  for (const file of files) {
    const path = resolve(dirname(mappingPath), file);
    try {
      const message = mayRead(path)
        ? await whyUnusable(path)
        : "is outside the folder of the mapping: put it there, or give it to eventload check";
      if (message === undefined) found.push({ path, ...(await fingerprintFile(path)) });
      tables.set(
        file,
        message === undefined ? await readTable(path) : { kind: "unusable", message },
      );
    } catch (error) {
      const why =
        error instanceof CannotStartError ? error.message : `cannot be read: ${reasonOf(error)}`;
      tables.set(file, { kind: "unusable", message: withoutOptions(why) });
    }
  }
  return { tables, files: found };
}

async function whyUnusable(path: string): Promise<string | undefined> {
  const about = await stat(path);
  // A pipe without a writer would be waited for without end, and a device may have none.
  if (!about.isFile()) return "is not a file but a folder, a pipe or a device: name a CSV file";
  return about.size > maxMiB * 1024 * 1024 ? tooLarge : undefined;
}

/** How a file is to be read can be said of the input only: of this one, it has to be detected. */
function withoutOptions(message: string): string {
  const advice =
    /(?:\. Say which)?[.:;(] ?[^.:;(]*(?:--(?:encoding|delimiter|skip-lines)\b|quote(?=: none))/;
  const at = message.search(advice);
  if (at < 0) return message;
  return `${message.slice(0, at).trimEnd()}: save it as CSV in UTF-8, with commas between its cells`;
}

async function readTable(path: string): Promise<LookupTable> {
  // Its two columns are found by their names, so no title is taken for these.
  const reading = { skipLines: 0 };
  const source = await openSource({ kind: "file", path, name: basename(path) }, reading);
  const rows: { line: number; cells: readonly string[] }[] = [];
  let chars = 0;
  try {
    for await (const batch of source.batches) {
      for (const { line, cells, problem } of batch) {
        if (problem !== undefined) {
          return { kind: "unusable", message: `${source.name}: line ${line} ${problem.message}` };
        }
        chars += writtenChars({ cells });
        if (chars > maxMiB * 1024 * 1024) return { kind: "unusable", message: tooLarge };
        rows.push({ line, cells });
      }
    }
    return { kind: "table", columns: source.columns, rows };
  } finally {
    await source.close();
  }
}
