import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import { expect, onTestFinished } from "vitest";
import { type CommandLine, eventload, type Surroundings } from "../cli/fake-host.ts";
import { type Ended, type Running, type RunOptions, startProgram } from "../cli/running-program.ts";
import { readRecord } from "../sandbox/sandbox-under-test.ts";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));

export const testToken = "token-that-nobody-may-see";

/** A folder of its own, with the files of a situation in it. */
export interface Scenario {
  readonly folder: string;
  /** Runs the program there, in this process: to start one takes longer than most runs do. */
  eventload(line: CommandLine, options?: Surroundings): Promise<Ended>;
  /** Runs the built program there, as a process of its own, to its end. */
  program(line: CommandLine, options?: RunOptions): Promise<Ended>;
  /** Starts it and leaves it running. */
  start(line: CommandLine, options?: RunOptions): Running;
  read(file: string): Promise<string>;
  /** The records of a CSV file by the names of its columns. */
  records(file: string): Promise<Record<string, string>[]>;
}

/** Copies `fixtures/<name>` into a temporary folder that goes away with the test. */
export async function scenario(name: string): Promise<Scenario> {
  const folder = await mkdtemp(join(tmpdir(), `eventload-${name}-`));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(fixtures, name), folder, { recursive: true });

  const start: Scenario["start"] = (line, { env, stdin = "", ...options } = {}) => {
    const withToken = { EVENTLOAD_TOKEN: testToken, ...env };
    return startProgram(line, { ...options, cwd: folder, env: withToken, stdin });
  };

  return {
    folder,
    start,
    async eventload(line, { env, stdin = "" } = {}) {
      const before = process.cwd();
      process.chdir(folder);
      try {
        const withToken = { EVENTLOAD_TOKEN: testToken, ...env };
        return await eventload(line, { cwd: folder, env: withToken, stdin });
      } finally {
        process.chdir(before);
      }
    },
    program: (line, options) => start(line, options).ended,
    read: (file) => readFile(join(folder, file), "utf8"),
    records: async (file) =>
      parse(await readFile(join(folder, file)), { bom: true, columns: true }),
  };
}

/**
 * Expects each event of these lines to have arrived, and none more often than the lines admit.
 *
 * @param received the ids of events in the order of their arrival
 * @returns how many have arrived more than once
 */
export function expectNoSilentRepeat(
  lines: readonly Record<string, string>[],
  received: readonly (string | undefined)[],
): number {
  const receipts = new Map<string | undefined, number>();
  for (const id of received) receipts.set(id, (receipts.get(id) ?? 0) + 1);
  const times = lines.map((line) => receipts.get(line.import_event_id) ?? 0);
  for (const [at, line] of lines.entries()) {
    expect(times[at]).toBeGreaterThan(0);
    expect(times[at]).toBeLessThanOrEqual(1 + Number(line.import_unanswered));
  }
  return times.filter((count) => count > 1).length;
}

/** The ids of events in a record of the sandbox. */
export async function idsIn(record: string): Promise<(string | undefined)[]> {
  return (await readRecord(record)).map(({ headers }) => headers["idempotency-key"]);
}
