import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { eventload } from "../cli/fake-host.ts";
import { answer, type RawRequest, type RawServer, startRawServer } from "../delivery/raw-server.ts";
import { linesSoFar } from "../lines-so-far.ts";
import { readLines, temporaryFolder } from "../temporary-folder.ts";
import type { Fault } from "./faults.ts";

/** A folder with rows to import, by the program as its command line has it. */
export interface RowsToImport {
  readonly folder: string;
  path(name: string): string;
  /** Imports them to their end. */
  import(baseUrl: string, ...args: readonly string[]): Promise<Imported>;
  /** Continues a run that has stopped. */
  resume(...args: readonly string[]): Promise<Imported>;
  /** Sends again what is open of a complete account. */
  retry(...args: readonly string[]): Promise<Imported>;
}

export interface Imported {
  /** The exit status. */
  readonly status: number;
  readonly stderr: string;
  /** What `--json` printed. */
  readonly summary: Record<string, unknown>;
  /** The results so far, a line for each row; none where the run left no files. */
  readonly lines: readonly Record<string, string>[];
}

export const mapping = `version: 1
resource: users
event: user.imported
members:
  n: N
`;

/** `N`, and a line for each row: 1, 2, 3 and so on. */
export function numberedRows(count: number): string[][] {
  return [["N"], ...Array.from({ length: count }, (_, at) => [String(at + 1)])];
}

/** Which row a request is of. */
export function rowOf({ body }: Pick<RawRequest, "body">): number {
  return Number((JSON.parse(body) as { n: string }).n);
}

/** How often each row arrived: `[1, 2, 1]` where the second one came twice. */
export function receiptsOfRows(
  requests: readonly Pick<RawRequest, "body">[],
  rows: number,
): number[] {
  const receipts = Array.from({ length: rows }, () => 0);
  for (const request of requests) receipts[rowOf(request) - 1]!++;
  return receipts;
}

/** @param env in place of the environment, in which only the token stands otherwise */
export async function rowsToImport(
  rows: number,
  env: Readonly<Record<string, string>> = {},
): Promise<RowsToImport> {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  await writeFile(path("rows.csv"), `${numberedRows(rows).join("\n")}\n`);
  await writeFile(path("rows.yaml"), mapping);

  const run = async (args: readonly string[]): Promise<Imported> => {
    const { status, stdout, stderr } = await eventload([...args, "--json"], { env, cwd: folder });
    const summary = JSON.parse(stdout) as Imported["summary"];
    const { results } = summary;
    // Until the import is complete, its lines are in the journal.
    const written = existsSync(String(results)) ? readLines : linesSoFar;
    const lines = typeof results === "string" ? await written(results) : [];
    return { status, stderr, summary, lines };
  };
  return {
    folder,
    path,
    import: (baseUrl, ...args) =>
      run([
        ...["import", path("rows.csv"), "--mapping", path("rows.yaml")],
        ...["--base-url", baseUrl, "--results", path("rows.results.csv"), ...args],
      ]),
    resume: (...args) => run(["resume", path("rows.results.csv"), ...args]),
    retry: (...args) => run(["retry", path("rows.failed.csv"), ...args]),
  };
}

/** What the results say of a row, in short. */
export function endOf({ lines }: Imported, row: number) {
  const line = lines[row - 1];
  if (line === undefined) throw new Error(`the results have no row ${row}`);
  return {
    status: line.import_status,
    httpStatus: line.import_http_status,
    attempts: Number(line.import_attempts),
    unanswered: Number(line.import_unanswered),
    code: line.import_error_code,
    error: line.import_error ?? "",
  };
}

/** The run has stopped, as none of so many attempts reached the service; no files are left of it. */
export function expectUnreachable(
  { status, summary }: Pick<Imported, "status" | "summary">,
  attempts: number,
): void {
  expect(status).toBe(3);
  expect(summary).toMatchObject({
    ...{ exit_reason: "unreachable", succeeded: 0, not_sent: 3, attempts, unanswered: 0 },
    results: null,
  });
}

/** Imports three rows over one connection. The first request of the second row meets the fault. */
export async function importThrough(
  fault: Fault,
  ...args: readonly string[]
): Promise<{ imported: Imported; server: RawServer }> {
  let isOver = false;
  const server = await startRawServer({
    onRequest(socket, request) {
      if (isOver || rowOf(request) !== 2) return void socket.write(answer("202 Accepted"));
      isOver = true;
      fault(socket);
    },
  });
  const rows = await rowsToImport(3);
  const imported = await rows.import(server.origin, "--concurrency", "1", ...args);
  return { imported, server };
}
