import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { CannotStartError } from "../../src/model/errors.ts";
import { run } from "../../src/run/import.ts";
import type { RunSummary } from "../../src/run/import-options.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";
import { connectTo, type Post } from "../delivery/simulated-wire.ts";
import { createFakeClock } from "../fake-clock.ts";
import { createSimulatedDisk, type Fault, type SimulatedDisk } from "../journal/simulated-disk.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Runs whose disk fails, and what the service received of them. */

const rows = 14;
const people = ["ann", "bob", "cid"];
const lines = Array.from({ length: rows }, (_, at) => {
  const kind = at % 5 === 3 ? "one" : at === 6 ? "bad" : "both";
  return `${people[at % 3]},${kind === "bad" ? "?" : at},"two\nlines",${kind}`;
});
const header = "Person,Number,Note,Kind";
const csv = `${[header, ...lines].join("\n")}\n`;
/** The same in several files, of which one has no row. */
const parts = [lines.slice(0, 5), [], lines.slice(5, 6), lines.slice(6)].map(
  (part) => `${[header, ...part].join("\n")}\n`,
);
const mapping = `version: 1
ordering_key: [Person]
events:
  - resource: users
    event: noted
    members: { person: Person, number: { column: Number, type: integer }, at: { meta: imported_at } }
  - resource: contacts
    event: noted
    when: { column: Kind, in: [both] }
    members: { person: Person, note: Note }
`;

async function place(texts: readonly string[]) {
  const folder = await temporaryFolder();
  const input = texts.map((_, at) => join(folder, `people-${at}.csv`));
  for (const [at, path] of input.entries()) await writeFile(path, texts[at] ?? "");
  await writeFile(join(folder, "people.yaml"), mapping);
  const results = join(folder, "people.results.csv");
  let attempt = 0;

  /** One process: a run that begins, or continues what it finds on the disk. */
  const live = async (
    disk: SimulatedDisk,
    service: Service,
    random: () => number,
    // So little that the journal is compacted again and again in a run as small as this.
    { journalGrowthBytes, concurrency }: Sizes = { journalGrowthBytes: 600, concurrency: 3 },
  ) => {
    attempt++;
    return run(
      {
        input,
        mapping: join(folder, "people.yaml"),
        baseUrl: "https://example.com",
        token: "any",
        results,
        resume: "if-unfinished",
        idempotencyHeader: "id",
        concurrency,
        maxAttempts: 3,
        clock: createFakeClock({ random }),
      },
      "import",
      {
        disk,
        journalGrowthBytes,
        acquireLock: async () => ({ release: async () => {} }),
        connect: connectTo(service.post(random)),
      },
    ).catch((error: unknown): RunSummary | CannotStartError => {
      if (error instanceof CannotStartError) return error;
      throw error;
    });
  };
  return { results, live, attempts: () => attempt };
}

interface Sizes {
  readonly journalGrowthBytes: number;
  readonly concurrency: number;
}

interface Service {
  post(random: () => number): Post;
  /** How often each event was received. */
  readonly receipts: ReadonlyMap<string, number>;
}

/** Takes what it gets; refuses some events, always the same, and asks for some to come again. */
function createService(): Service {
  const receipts = new Map<string, number>();
  return {
    receipts,
    post:
      (random) =>
      async ({ headers }) => {
        const id = headers.id ?? "";
        receipts.set(id, (receipts.get(id) ?? 0) + 1);
        for (let turns = Math.floor(random() * 6); turns > 0; turns--) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        const httpStatus = id.charCodeAt(0) % 5 === 0 ? 422 : 202;
        return { kind: "answered", httpStatus, body: "" };
      },
  };
}

async function csvOf(disk: SimulatedDisk, path: string): Promise<Record<string, string>[]> {
  return parse((await disk.read(path)) ?? Buffer.alloc(0), { columns: true });
}

function lasting(line: Record<string, string>): Record<string, string> {
  const { import_attempts, import_unanswered, import_finished_at, ...others } = line;
  return others;
}

/** A run that nothing disturbs, to compare with. */
async function undisturbed(texts: readonly string[] = [csv]) {
  const { results, live } = await place(texts);
  const disk = createSimulatedDisk();
  const summary = await live(disk, createService(), () => 0.5);
  expect(summary).toMatchObject({ exitReason: "complete", rows });
  return { lines: (await csvOf(disk, results)).map(lasting), calls: disk.calls() };
}

/** Lets a run meet faults, brings the disk back, and goes on until it is complete. */
async function disturbed(
  seed: number,
  faultAt: (call: number) => Fault | undefined,
  afterwards: (disk: SimulatedDisk, random: () => number) => SimulatedDisk,
  expected: readonly Record<string, string>[],
  texts: readonly string[] = [csv],
): Promise<void> {
  const random = mulberry32(seed);
  const { results, live } = await place(texts);
  const service = createService();
  let disk = createSimulatedDisk(faultAt);
  let ended: RunSummary | CannotStartError = await live(disk, service, random);
  for (let more = 0; more < 4; more++) {
    const isComplete = !(ended instanceof CannotStartError) && ended.exitReason === "complete";
    // Where the disk failed at the very last, the journal is left, and the next process removes it.
    if (isComplete && (await disk.read(`${results}.journal`)) === undefined) break;
    if (!(ended instanceof CannotStartError)) {
      if (!isComplete) expect(ended.exitReason).toBe("disk");
    } else if (ended.code === "results_exist") break;
    disk = afterwards(disk, random);
    ended = await live(disk, service, random);
  }
  // Where the power went right after the journal was taken away, the run had ended.
  if (ended instanceof CannotStartError) {
    expect(ended.code).toBe("results_exist");
    const manifest = results.replace(".results.csv", ".run.json");
    ended = { ...JSON.parse(await readFile(manifest, "utf8")), exitReason: "complete" };
  }
  expect(ended).toMatchObject({ exitReason: "complete", rows });

  const written = await csvOf(disk, results);
  expect(written.map(lasting)).toEqual(expected);
  const ids = new Set(written.map((line) => line.import_event_id));
  for (const id of service.receipts.keys()) expect(ids).toContain(id);
  for (const line of written) {
    const times = service.receipts.get(line.import_event_id ?? "") ?? 0;
    if (line.import_status === "succeeded") expect(times).toBeGreaterThan(0);
    expect(times).toBeLessThanOrEqual(1 + Number(line.import_unanswered));
  }
  expect(await disk.read(`${results}.journal`)).toBeUndefined();
}

const powerCuts = Number(process.env.POWER_CUTS ?? 350);

describe("a run on a disk that fails", () => {
  it.each<[Fault, (disk: SimulatedDisk, random: () => number) => SimulatedDisk]>([
    ["ENOSPC", (disk) => disk.afterKill()],
    ["EIO", (disk) => disk.afterKill()],
    ["short", (disk) => disk.afterKill()],
    ["crash", (disk) => disk.afterKill()],
    ["crash", (disk, random) => disk.afterPowerCut(random)],
  ])("reconciles with %s at any call", { timeout: 120_000 }, async (fault, afterwards) => {
    const { lines: expected, calls } = await undisturbed();
    expect(calls).toBeGreaterThan(30);
    for (let failing = 1; failing <= calls; failing++) {
      const faultAt = (call: number) => (call === failing ? fault : undefined);
      await disturbed(failing, faultAt, afterwards, expected);
    }
  });

  it.each<[string, Sizes]>([
    ["is compacted", { journalGrowthBytes: 600, concurrency: 3 }],
    // With so many its reserve is such that it needs more space in the midst of this run.
    ["takes more space", { journalGrowthBytes: 1e6, concurrency: 63 }],
  ])(
    "leaves nothing in doubt where it is full and the journal %s",
    { timeout: 120_000 },
    async (_, sizes) => {
      const more = `${[header, ...lines, ...lines, ...lines].join("\n")}\n`;
      const sound = createSimulatedDisk();
      await (await place([more])).live(sound, createService(), () => 0.5, sizes);
      for (let failing = 1; failing <= sound.calls(); failing += 3) {
        const random = mulberry32(failing);
        const { live } = await place([more]);
        const service = createService();
        const disk = createSimulatedDisk((call) => (call === failing ? "full" : undefined));
        const stopped = await live(disk, service, random, sizes);
        if (stopped instanceof CannotStartError || stopped.exitReason === "complete") continue;
        const resumed = await live(disk.afterKill(), service, random, sizes);
        expect([failing, resumed]).toMatchObject([failing, { unanswered: 0 }]);
        for (const times of service.receipts.values())
          expect([failing, times]).toEqual([failing, 1]);
      }
    },
  );

  it("reconciles where it reads several files", { timeout: 120_000 }, async () => {
    const { lines: expected, calls } = await undisturbed(parts);
    expect(expected.map((line) => line.import_source)).toContain("people-3.csv");
    for (let failing = 1; failing <= calls; failing += 2) {
      const faultAt = (call: number) => (call === failing ? "crash" : undefined);
      await disturbed(failing, faultAt, (disk) => disk.afterKill(), expected, parts);
    }
  });

  it(`reconciles through ${powerCuts} power cuts`, { timeout: 200_000 }, async () => {
    const { lines: expected, calls } = await undisturbed();
    for (let seed = 1; seed <= powerCuts; seed++) {
      const crashAt = 1 + Math.floor(mulberry32(seed * 7919)() * calls);
      const faultAt = (call: number) => (call >= crashAt ? "crash" : undefined);
      await disturbed(seed, faultAt, (disk, random) => disk.afterPowerCut(random), expected);
    }
  });
});
