import { fstatSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { onTestFinished } from "vitest";

/** A new folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "eventload-"));
  // A run that was left at once, in this process, may still be about to end.
  const removing = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };
  onTestFinished(() => rm(folder, removing));
  return folder;
}

/** A CSV file as a list of records, header first. */
export async function readCsv(path: string): Promise<string[][]> {
  return parseCsvText(await readFile(path, "utf8"));
}

export function parseCsvText(text: string): string[][] {
  return parse(text, { bom: true, record_delimiter: ["\r\n", "\n", "\r"] });
}

/** The same, each line as an object by column. */
export async function readLines(path: string): Promise<Record<string, string>[]> {
  const [header = [], ...lines] = await readCsv(path);
  return lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [header[at], cell])));
}

/** Whether this process has the file open. */
export function isOpen(path: string): boolean {
  return descriptorsOf(path).length > 0;
}

function descriptorsOf(path: string): number[] {
  const { dev, ino } = statSync(path);
  return Array.from({ length: 256 }, (_, at) => at).filter((descriptor) => {
    try {
      const stat = fstatSync(descriptor);
      return stat.ino === ino && stat.dev === dev;
    } catch {
      return false;
    }
  });
}
