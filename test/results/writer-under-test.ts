import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Disk } from "../../src/domain/disk.ts";
import type { DiskError } from "../../src/domain/errors.ts";
import type { Ending, Outcome } from "../../src/domain/outcome.ts";
import type { Row } from "../../src/domain/row.ts";
import { nodeDisk } from "../../src/journal/node-disk.ts";
import {
  openResultsWriter,
  type ResultsWriter,
  type WrittenResults,
} from "../../src/results/results-writer.ts";
import { type RunFiles, runFiles } from "../../src/results/run-files.ts";
import { createFakeClock } from "../fake-clock.ts";
import { parseCsvText, temporaryFolder } from "../temporary-folder.ts";

export interface WriterUnderTest {
  readonly writer: ResultsWriter;
  readonly files: RunFiles;
  /** Numbers of the rows that have left memory. */
  readonly released: number[];
  readonly errors: DiskError[];
  /** What waits for its turn on the disk. */
  onDisk(): { rows: number; bytes: number };
}

/** Files of a disk in memory. */
export const simulatedFiles = runFiles("people.results.csv");

export async function writerUnderTest(
  settings: {
    disk?: Disk;
    files?: RunFiles;
    from?: WrittenResults;
    schedule?: (delayMs: number, run: () => void) => () => void;
    onWritten?: (row: Row) => void;
    spillBeyond?: { rows: number; chars: number };
  } = {},
): Promise<WriterUnderTest> {
  const { disk = nodeDisk, schedule = createFakeClock().schedule } = settings;
  const files = settings.files ?? runFiles(join(await temporaryFolder(), "people.results.csv"));
  const released: number[] = [];
  const errors: DiskError[] = [];
  const onDisk = { rows: 0, bytes: 0 };
  const writer = await openResultsWriter({
    ...{ disk, files, schedule },
    columns: ["a", "b"],
    hasSources: false,
    inputId: "0123456789abcdef",
    from: settings.from,
    spillBeyond: settings.spillBeyond ?? { rows: 20_000, chars: 20_000_000 },
    onSpilled(row, bytes) {
      released.push(row.row);
      onDisk.rows++;
      onDisk.bytes += bytes;
    },
    onRestored(rows, bytes) {
      onDisk.rows -= rows;
      onDisk.bytes -= bytes;
    },
    onWritten(row) {
      released.push(row.row);
      settings.onWritten?.(row);
    },
    onDiskError: (error) => errors.push(error),
  });
  onTestFinished(() => writer.close());
  return { writer, files, released, errors, onDisk: () => ({ ...onDisk }) };
}

export function rowAt(row: number, cells: readonly string[] = [`a${row}`, `b${row}`]): Row {
  return { row, line: row + 1, cells };
}

export function outcome(ending: Ending, more: Partial<Outcome> = {}): Outcome {
  const attempts = ending === "not_sent" ? 0 : 1;
  return { ending, event: 1, eventId: "id", attempts, unanswered: 0, ...more };
}

/** A file as rows, `number status` each; nothing where there is no such file. */
export async function linesOn(disk: Disk, path: string): Promise<string[] | undefined> {
  const bytes = await disk.read(path);
  if (bytes === undefined) return undefined;
  const [header = [], ...lines] = parseCsvText(bytes.toString("utf8"));
  const cell = (line: string[], name: string) => line[header.indexOf(name)];
  return lines.map((line) => `${cell(line, "import_row")} ${cell(line, "import_status")}`);
}
