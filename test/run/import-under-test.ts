import { copyFileSync, existsSync, mkdtempSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ImportNotice, RunSummary } from "../../src/model/run-events.ts";
import { runImport } from "../../src/run/account/next-part.ts";
import { runRetry } from "../../src/run/account/retry.ts";
import type { ImportOptions, RetryOptions } from "../../src/run/options/import-options.ts";
import { createFakeClock, deadlineMs, type FakeClock } from "../fake-clock.ts";
import { quoteAll, type Table } from "../nasty-cells.ts";
import { readCsv, readLines } from "../temporary-folder.ts";

type Given = Partial<Omit<ImportOptions, "baseUrl">>;

/** A folder with an input and a mapping, from which imports and retries are run. */
export interface Workspace {
  readonly folder: string;
  readonly clock: FakeClock;
  readonly notices: readonly ImportNotice[];
  path(name: string): string;
  has(name: string): boolean;
  text(name: string): Promise<string>;
  write(name: string, content: string | Table): Promise<void>;
  /** Imports `people.csv` with `people.yaml`. */
  import(baseUrl: string, options?: Given): Promise<RunSummary>;
  retry(baseUrl: string, name: string, options?: Partial<RetryOptions>): Promise<RunSummary>;
  records(name: string): Promise<string[][]>;
  lines(name: string): Promise<Record<string, string>[]>;
  /** What a process that was killed at this moment would leave, in a folder of its own. */
  afterKill(): Workspace;
  /** Of itself when the test ends; before that where one test has many. */
  remove(): Promise<void>;
}

export async function openWorkspace(table: Table, mapping: string): Promise<Workspace> {
  const workspace = workspaceIn(await mkdtemp(join(tmpdir(), "eventload-import-")));
  await workspace.write("people.csv", table);
  await workspace.write("people.yaml", mapping);
  return workspace;
}

/** The journal first: what it tells to be in the others is there when they are copied. */
const filesOfRun = [
  ...[1, 2, 3, 4, 5, 6].map((number) => `people.results.csv.journal.${number}`),
  "people.results.csv.new",
  "people.failed.csv.new",
  "people.results.csv",
  "people.failed.csv",
  "people.run.json",
  "people.csv",
  "people.yaml",
];

function workspaceIn(folder: string): Workspace {
  const remove = () => rm(folder, { recursive: true, force: true });
  onTestFinished(remove);
  const path = (name: string) => join(folder, name);
  const clock = createFakeClock({ waitsForDisk: true });
  const notices: ImportNotice[] = [];
  const write = (name: string, content: string | Table) =>
    writeFile(path(name), typeof content === "string" ? content : quoteAll(content));
  const common = {
    token: "a-token",
    timeoutMs: deadlineMs,
    maxAttempts: 3,
    clock,
    onNotice: (notice: ImportNotice) => notices.push(notice),
  };
  return {
    folder,
    clock,
    notices,
    path,
    has: (name) => existsSync(path(name)),
    text: (name) => readFile(path(name), "utf8"),
    write,
    import: (baseUrl, options) =>
      runImport({
        ...common,
        input: path("people.csv"),
        mapping: path("people.yaml"),
        baseUrl,
        ...options,
      }),
    retry: (baseUrl, name, options) =>
      runRetry({ ...common, input: path(name), baseUrl, ...options }),
    records: (name) => readCsv(path(name)),
    lines: (name) => readLines(path(name)),
    afterKill() {
      const after = workspaceIn(mkdtempSync(join(tmpdir(), "eventload-import-")));
      for (const name of filesOfRun) {
        if (existsSync(path(name))) copyFileSync(path(name), after.path(name));
      }
      return after;
    },
    remove,
  };
}

/** A line of the results without what eventload has added. */
export function withoutImportColumns([header = [], ...lines]: string[][]): string[][] {
  const kept = header.flatMap((name, at) => (name.startsWith("import_") ? [] : [at]));
  return [header, ...lines].map((cells) => kept.map((at) => cells[at] ?? ""));
}
