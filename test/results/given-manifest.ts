import type { Manifest } from "../../src/model/manifest.ts";
import { noCounts } from "../../src/model/outcome.ts";
import { sendingOf, usualSettings } from "../../src/model/run-settings.ts";

/** Of an import of one row. */
export const givenManifest: Manifest = {
  version: 2,
  eventload: "0.1.0",
  input: {
    path: null,
    name: "stdin",
    called: "stdin",
    id: "0123456789abcdef",
    bytes: 10,
    sha256: "00".repeat(32),
  },
  mapping: { path: "/x/people.yaml", bytes: 10, sha256: "aa".repeat(32), lookups: [] },
  base_url: "https://example.com",
  options: { ...usualSettings, ca_files: ["/x/ca.pem"], success_statuses: "2xx,409" },
  parts: [
    {
      part: 1,
      command: "import",
      started_at: "2026-03-01T12:00:00.000Z",
      finished_at: null,
      rows: 1,
      counts: { ...noCounts(), succeeded: 1 },
      attempts: 1,
      unanswered: 0,
      exit_reason: null,
      is_over: false,
      ...sendingOf(usualSettings),
    },
  ],
  started_at: "2026-03-01T12:00:00.000Z",
  finished_at: "2026-03-01T12:00:01.000Z",
  elapsed_ms: 1000,
  rows: 1,
  events: 1,
  counts: { ...noCounts(), succeeded: 1 },
  attempts: 1,
  unanswered: 0,
  perhaps_twice: 0,
  reconciliation: {
    rows_read: 1,
    rows_settled: 1,
    rows_not_settled: 0,
    rows_written: 1,
    lines: 1,
    adds_up: true,
  },
  exit_reason: "complete",
  message: null,
  results: "/x/people.results.csv",
  failed_rows: null,
  results_file: { bytes: 10, sha256: "bb".repeat(32) },
  failed_rows_file: null,
};
