import { createSealer } from "../../src/journal/log.ts";
import type { BeginRecord, JournalRecord } from "../../src/journal/read-journal.ts";
import { journalVersion, type RunIdentity } from "../../src/journal/run-identity.ts";
import type { Imported } from "../../src/model/manifest.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { resultsColumnsOf } from "../../src/model/results-columns.ts";
import type { Intent, LineRecord } from "../../src/model/run-record.ts";
import { sendingOf, usualSettings } from "../../src/model/run-settings.ts";
import { resultLine } from "../../src/results/result-line.ts";

/** What tells an import from another. */
export const givenImport: Imported = {
  input: {
    ...{ path: "/people.csv", name: "people.csv", called: "people.csv" },
    ...{ id: "0123456789abcdef", bytes: 1, sha256: "00".repeat(32) },
  },
  mapping: { path: "/people.yaml", bytes: 1, sha256: "01".repeat(32), lookups: [] },
  base_url: "https://example.com",
  options: usualSettings,
  started_at: "2026-01-01T00:00:00.000Z",
};

/** Its first process. */
export const givenRun: RunIdentity = {
  ...{ version: journalVersion, kind: "import", part: 1, imported: givenImport, rowsTotal: null },
  parts: [{ startedAt: givenImport.started_at, sending: sendingOf(usualSettings) }],
  columns: ["name", ...resultsColumnsOf(false)],
};

export const beginOf = (
  run: RunIdentity = givenRun,
  read: BeginRecord["read"] = {},
): BeginRecord => ({ kind: "run", run, read });

/** Of the only event of a row. */
export const intentOf = (rowOfRun: number, more: Partial<Intent> = {}): Intent => ({
  ...{ kind: "intent", rowOfRun, row: rowOfRun, event: 1, attempt: 1, unanswered: 0 },
  importedAt: givenImport.started_at,
  ...more,
});

/** The only line of a row. */
export function lineOf(rowOfRun: number, more: Partial<Outcome> = {}): LineRecord {
  const row = { row: rowOfRun, line: rowOfRun + 1, cells: [`name ${rowOfRun}`] };
  const outcome = { status: "succeeded", event: 1, attempts: 1, unanswered: 0, ...more } as const;
  const part = { inputId: givenImport.input.id, hasSources: false, part: 1 };
  const tried = { sentMs: 1, endedMs: 2, kind: "answered", httpStatus: 202, event: "e" } as const;
  const line = { kind: "line", rowOfRun, at: 0, atMs: 2, isLast: true, tried } as const;
  return { ...line, ...resultLine(row, row.cells, outcome, part) };
}

/** A batch of a journal, with its last line. */
export function sealed(lines: string, synced: number): string {
  return createSealer()(lines, synced).toString();
}

/** The text of a journal that has these records, all of which are on the disk. */
export function journalOf(records: readonly JournalRecord[]): string {
  const batch = sealed(records.map((one) => `${JSON.stringify(one)}\n`).join(""), 0);
  return batch + sealed("", Buffer.byteLength(batch));
}
