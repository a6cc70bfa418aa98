import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { mulberry32 } from "../../src/sandbox/faults.ts";
import type { Ended } from "../cli/running-program.ts";
import { type Scenario, scenario } from "../scenarios/scenario.ts";

/** What happened in a round, for whoever reads the output. */
export interface CrashFigures {
  readonly rows: number;
  readonly kills: number;
  readonly concurrency: number;
  /** The most events that a kill left in doubt. */
  readonly mostPerhapsSent: number;
  /** Events that the service received more than once. */
  readonly receivedTwice: number;
}

type Range = readonly [least: number, most: number];

/** How a round starts the program, and kills it. */
export interface CrashMachine {
  readonly kills: Range;
  readonly rows: Range;
  readonly concurrency: Range;
  /** How long an answer takes, at most. */
  readonly longestMs: Range;
  /** How much the service receives before most kills, at most. */
  readonly receivedBytes: number;
  start(
    place: Scenario,
    line: readonly string[],
  ): {
    /** Its status is null if it was killed. */
    readonly ended: Promise<Ended>;
    kill(): void;
  };
}

const thisMachine: CrashMachine = {
  kills: [1, 5],
  rows: [50, 700],
  concurrency: [2, 16],
  longestMs: [0, 4],
  receivedBytes: 40_000,
  start(place, line) {
    const { child, ended } = place.start(line);
    return { ended, kill: () => void child.kill("SIGKILL") };
  },
};

/**
 * Imports an input while killing the process at random moments, resumes until it is complete, and
 * compares what the service received with what the results say, and the results with those of a run
 * that nobody disturbed.
 */
export async function crashRound(
  seed: number,
  machine: CrashMachine = thisMachine,
): Promise<CrashFigures> {
  const random = mulberry32(seed);
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const concurrency = whole(...machine.concurrency);
  const rows = whole(...machine.rows);
  const place = await scenario("crash");
  await writeFile(join(place.folder, "people.csv"), someRows(rows, random));
  const longestMs = whole(...machine.longestMs);

  const disturbed = await startOracle(join(place.folder, "disturbed.log"), seed, longestMs);
  const resumed: number[] = [];
  let kills = 0;
  let status: number | null = null;
  let said = "";
  const wantedKills = whole(...machine.kills);
  let isBegun = false;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (status === null) {
    if (isOver) throw new Error("the test has ended, and starts no more");
    const args = isBegun
      ? ["resume", "disturbed.results.csv"]
      : importArgs("disturbed.results.csv", disturbed);
    const limits = ["--concurrency", `${concurrency}`, "--log-file", "disturbed.jsonl", "--quiet"];
    const run = machine.start(place, [...args, ...limits]);
    if (kills < wantedKills) {
      // Mostly in the midst of sending, which is a short time; now and then at any moment.
      const more = () => whole(1, machine.receivedBytes);
      const received = random() < 0.85 ? bytesOf(place, "disturbed.log") + more() : 0;
      const atMs = received > 0 ? Number.POSITIVE_INFINITY : whole(100, 600);
      const startedMs = performance.now();
      const timer = setInterval(() => {
        const isTime = performance.now() - startedMs > atMs;
        const isFar = received > 0 && bytesOf(place, "disturbed.log") >= received;
        if (isTime || isFar) run.kill();
      }, 2);
      void run.ended.finally(() => clearInterval(timer));
    }
    const ended = await run.ended;
    said = `${ended.status}: ${ended.stderr}`;
    if (ended.status === null) kills++;
    else if (ended.status === 2) {
      // Killed before the run was on record, there is nothing to continue, so it begins; killed
      // after it had ended, there is nothing left to do.
      expect(ended.stderr).toMatch(/There is no account of disturbed/);
      expect(isBegun).toBe(true);
      isBegun = existsSync(join(place.folder, "disturbed.run.json"));
      if (isBegun) status = existsSync(join(place.folder, "disturbed.failed.csv")) ? 1 : 0;
      continue;
    } else status = ended.status;
    isBegun = true;
  }
  expect([0, 1]).toContain(status);
  expect(existsSync(join(place.folder, "disturbed.results.csv")), said).toBe(true);
  for (const line of await logLines(place, "disturbed.jsonl")) {
    if (line.kind === "resumed") resumed.push(line.in_flight as number);
  }

  const quiet = await startOracle(join(place.folder, "quiet.log"), seed, longestMs);
  const undisturbed = await place.eventload([...importArgs("quiet.results.csv", quiet), "--quiet"]);
  expect(undisturbed.status).toBe(status);

  const receipts = await countReceipts(place, "disturbed.log");
  const results = await place.records("disturbed.results.csv");
  const ids = new Set(results.map((line) => line.import_event_id));
  for (const { import_event_id: id = "", import_status, import_unanswered } of results) {
    if (import_status === "succeeded") expect(receipts.get(id) ?? 0).toBeGreaterThan(0);
    if ((receipts.get(id) ?? 0) > 1) expect(Number(import_unanswered)).toBeGreaterThan(0);
  }
  for (const id of receipts.keys()) expect(ids).toContain(id);
  expect(results.map(lasting)).toEqual((await place.records("quiet.results.csv")).map(lasting));
  expect((await place.records("disturbed.failed.csv")).map(lasting)).toEqual(
    (await place.records("quiet.failed.csv")).map(lasting),
  );
  const { reconciliation, rows: rowsTold } = JSON.parse(await place.read("disturbed.run.json"));
  expect(rowsTold).toBe(rows);
  expect(reconciliation).toMatchObject({ rows_written: rows, adds_up: true });
  const mostPerhapsSent = Math.max(0, ...resumed);
  expect(mostPerhapsSent).toBeLessThanOrEqual(2 * concurrency);

  const receivedTwice = [...receipts.values()].filter((times) => times > 1).length;
  return { rows, kills, concurrency, mostPerhapsSent, receivedTwice };
}

const importArgs = (results: string, url: string) => [
  ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", url],
  ...["--results", results, "--idempotency-header", "Idempotency-Key"],
];

/** Rows with quoted newlines, several events each, and few people, so that order matters. */
function someRows(rows: number, random: () => number): string {
  const lines = ["Person,Name,Note,Kind"];
  for (let row = 1; row <= rows; row++) {
    const person = Math.floor(random() * 20);
    const kind = ["both", "one", "none", "bad"][Math.floor(random() ** 3 * 4)];
    const age = kind === "bad" ? "?" : `${row}`;
    lines.push(`p${person}@example.com,${age},"a note\nof two lines, ${row}",${kind}`);
  }
  return `${lines.join("\n")}\n`;
}

async function startOracle(file: string, seed: number, longestMs: number): Promise<string> {
  const program = fileURLToPath(new URL("oracle-server.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, file, `${seed}`, `${longestMs}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  return String(url);
}

function bytesOf(place: Scenario, file: string): number {
  return statSync(join(place.folder, file)).size;
}

async function countReceipts(place: Scenario, file: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await place.read(file)).split("\n").filter((text) => text !== "")) {
    const id = line.slice(0, line.indexOf(" "));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

async function logLines(place: Scenario, file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(place.folder, file), "utf8");
  // A kill may cut the last line of the log.
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

/** What does not depend on how often a run was interrupted. */
function lasting(line: Record<string, string>): Record<string, string> {
  const { import_attempts, import_unanswered, import_finished_at, ...others } = line;
  return others;
}
