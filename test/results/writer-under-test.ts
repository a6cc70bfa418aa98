import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Disk } from "../../src/model/disk/disk.ts";
import { nodeDisk } from "../../src/model/disk/node-disk.ts";
import type { DiskError } from "../../src/model/errors.ts";
import type { Outcome, OutcomeStatus } from "../../src/model/outcome.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import type { Row } from "../../src/model/row.ts";
import { type RunFiles, runFiles } from "../../src/model/run-files.ts";
import type { Checkpoint } from "../../src/model/run-record.ts";
import { openResultsWriter, type ResultsWriter } from "../../src/results/results-writer.ts";
import { createFakeClock } from "../fake-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface WriterUnderTest {
  readonly writer: ResultsWriter;
  /** Keeps a place for a row; what settles it may hold an event that has no outcome. */
  place(row: Row): { settle(outcomes: readonly Outcome[]): void };
  readonly files: RunFiles;
  /** How many rows have left memory. */
  rowsWritten(): number;
  readonly errors: DiskError[];
  /** What waits for its turn as lines. */
  held(): { rows: number; chars: number };
}

/** Files of a disk in memory. */
export const simulatedFiles = runFiles("people.results.csv");

export async function writerUnderTest(
  settings: {
    disk?: Disk;
    files?: RunFiles;
    from?: Checkpoint;
    schedule?: (delayMs: number, run: () => void) => () => void;
    onWritten?: (rows: number) => void;
  } = {},
): Promise<WriterUnderTest> {
  const { disk = nodeDisk, schedule = createFakeClock().schedule } = settings;
  const files = settings.files ?? runFiles(join(await temporaryFolder(), "people.results.csv"));
  let rowsWritten = 0;
  const errors: DiskError[] = [];
  const held = { rows: 0, chars: 0 };
  const writer = await openResultsWriter({
    ...{ disk, path: files.part, schedule },
    part: 1,
    columns: ["a", "b"],
    hasSources: false,
    inputId: "0123456789abcdef",
    from: settings.from,
    onSettled(_, chars) {
      held.rows++;
      held.chars += chars;
    },
    onWritten(chars) {
      held.rows--;
      held.chars -= chars;
      rowsWritten++;
      settings.onWritten?.(rowsWritten);
    },
    onDiskError: (error) => errors.push(error),
  });
  onTestFinished(() => writer.close());
  let rows = settings.from?.rows ?? 0;
  return {
    ...{ writer, files, errors, held: () => ({ ...held }), rowsWritten: () => rowsWritten },
    place(row) {
      const pending = new PendingRow(row, ++rows);
      writer.add(pending);
      return { settle: (outcomes) => settle(writer, pending, outcomes) };
    },
  };
}

function settle(writer: ResultsWriter, row: PendingRow, outcomes: readonly Outcome[]): void {
  if (outcomes.every(({ status }) => status !== "not_sent")) {
    row.outcomes = [...outcomes];
    writer.settled(row);
    return;
  }
  row.events = outcomes.map((ended) => ({ record: () => undefined, unsettled: () => ended }));
  for (const [at, ended] of outcomes.entries())
    if (ended.status !== "not_sent") row.outcomes[at] = ended;
  writer.countUnsettled([]);
}

export function rowAt(row: number, cells: readonly string[] = [`a${row}`, `b${row}`]): Row {
  return { row, line: row + 1, cells };
}

export function outcome(status: OutcomeStatus, more: Partial<Outcome> = {}): Outcome {
  const attempts = status === "not_sent" ? 0 : 1;
  return { status, event: 1, eventId: "id", attempts, unanswered: 0, ...more };
}
