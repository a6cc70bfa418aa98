import type { Imported } from "../../src/model/manifest.ts";
import { usualSettings } from "../../src/model/run-settings.ts";

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
