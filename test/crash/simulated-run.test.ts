import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { fingerprintOn } from "../../src/journal/fingerprint.ts";
import { journalNumbers } from "../../src/journal/read-journal.ts";
import { CannotStartError, DiskError } from "../../src/model/errors.ts";
import type { Manifest } from "../../src/model/manifest.ts";
import type { RunSummary } from "../../src/model/run-events.ts";
import { runFiles } from "../../src/model/run-files.ts";
import { toCsv } from "../../src/results/to-csv.ts";
import { summaryOfAccount } from "../../src/run/account/account-manifest.ts";
import { completeLeft } from "../../src/run/account/hold-account.ts";
import { type PartOptions, runNextPart } from "../../src/run/account/next-part.ts";
import { readAccount } from "../../src/run/account/read-account.ts";
import { mulberry32 } from "../../src/sandbox/faults.ts";
import { connectTo, type Post } from "../delivery/simulated-wire.ts";
import { createFakeClock, deadlineMs } from "../fake-clock.ts";
import {
  createSimulatedDisk,
  type Fault,
  type FaultAt,
  type SimulatedDisk,
} from "../journal/simulated-disk.ts";
import { isThorough, runs } from "../runs.ts";
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
/** Enough for a full disk to be noticed, and for a retry. */
const more = `${[header, ...lines, ...lines, ...lines].join("\n")}\n`;
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

/** How a process ended: with a summary, refused, or with an error of its disk. */
type Ended = RunSummary | CannotStartError | DiskError;

async function place(texts: readonly string[], mappingText = mapping) {
  const folder = await temporaryFolder();
  const input = texts.map((_, at) => join(folder, `people-${at}.csv`));
  for (const [at, path] of input.entries()) await writeFile(path, texts[at] ?? "");
  await writeFile(join(folder, "people.yaml"), mappingText);
  const files = runFiles(join(folder, "people.results.csv"));
  const given = join(folder, "given.csv");

  const start = async (
    options: Partial<PartOptions>,
    kind: "import" | "retry",
    disk: SimulatedDisk,
    service: Service,
    random: () => number,
    concurrency: number,
  ): Promise<Ended> =>
    runNextPart(
      {
        input,
        mapping: join(folder, "people.yaml"),
        baseUrl: "https://example.com",
        token: "any",
        results: files.results,
        idempotencyHeader: "id",
        concurrency,
        maxAttempts: 3,
        timeoutMs: deadlineMs,
        clock: createFakeClock({ random }),
        ...options,
      },
      kind,
      {
        disk,
        acquireLock: async () => ({ release: async () => {} }),
        connect: connectTo(service.post(random)),
      },
    ).catch((error: unknown): Ended => {
      if (error instanceof CannotStartError || error instanceof DiskError) return error;
      throw error;
    });

  return {
    files,
    given,
    /** One process: an import that begins, or continues what it finds on the disk. */
    live: (
      disk: SimulatedDisk,
      service: Service,
      random: () => number,
      concurrency = usualConcurrency,
    ) => start({ resume: "if-unfinished" }, "import", disk, service, random, concurrency),
    /** The same of the retry of the given file, once the import is complete. */
    async retry(disk: SimulatedDisk, service: Service, random: () => number) {
      const account = await readAccount(files.results, disk);
      if (account.kind === "complete" && account.manifest.parts.at(-1)?.part === 2) {
        return summaryOfAccount(files, account.manifest);
      }
      const options: Partial<PartOptions> =
        account.kind === "unfinished"
          ? { input: files.results, resume: "must" }
          : { input: given, given };
      return start(options, "retry", disk, service, random, usualConcurrency);
    },
  };
}

type Place = Awaited<ReturnType<typeof place>>;

const usualConcurrency = 3;

interface Service {
  post(random: () => number): Post;
  /** How often each event was received. */
  readonly receipts: ReadonlyMap<string, number>;
}

/** Takes what it gets, and refuses some events, always the same. */
function createService(refuses = (id: string) => id.charCodeAt(0) % 5 === 0): Service {
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
        const httpStatus = refuses(id) ? 422 : 202;
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

/** The account without what depends on how often it was interrupted. */
async function accountOn(disk: SimulatedDisk, { files }: Place) {
  const left = [files.newResults, files.newFailed];
  for (const path of left) expect(await disk.length(path), path).toBeUndefined();
  expect(await journalNumbers(disk, files.journal)).toEqual([]);
  const account = await readAccount(files.results, disk);
  if (account.kind !== "complete") throw new Error(`it is ${account.kind}`);
  const { rows, events, counts, reconciliation, exit_reason, failed_rows, parts } =
    account.manifest;
  expect(parts.at(-1)?.is_over).toBe(true);
  expect(await fingerprintOn(disk, files.results)).toEqual(account.manifest.results_file);
  expect((await fingerprintOn(disk, files.failed)) ?? null).toEqual(
    account.manifest.failed_rows_file,
  );
  return {
    lines: (await csvOf(disk, files.results)).map(lasting),
    failed: (await csvOf(disk, files.failed)).map(lasting),
    told: { rows, events, counts, reconciliation, exit_reason, hasFailed: failed_rows !== null },
  };
}

type ExpectedAccount = Awaited<ReturnType<typeof accountOn>>;

/** A run that nothing disturbs, to compare with. */
async function undisturbed(texts: readonly string[] = [csv], mappingText = mapping) {
  const made = await place(texts, mappingText);
  const disk = createSimulatedDisk();
  const summary = await made.live(disk, createService(), () => 0.5);
  expect(summary).toMatchObject({ exitReason: "complete" });
  return { disk, made, expected: await accountOn(disk, made), calls: disk.calls() };
}

/** Brings the disk back after each process that has met a fault, until one ends well, and its account stays so. */
async function untilComplete(
  { files }: Place,
  live: (disk: SimulatedDisk) => Promise<Ended>,
  faulty: SimulatedDisk,
  afterwards: (disk: SimulatedDisk) => SimulatedDisk,
): Promise<SimulatedDisk> {
  let disk = faulty;
  let last: Ended | undefined;
  for (let process = 1; process <= 4; process++) {
    const ended = await live(disk);
    const isWell = !(ended instanceof Error) && ended.exitReason === "complete";
    if (!isWell && !(ended instanceof Error)) expect(ended.exitReason).toBe("disk");
    disk = afterwards(disk);
    const found = disk.afterKill();
    const account = await readAccount(files.results, found);
    if (isWell && account.kind === "complete") {
      await completeLeft(found, account, () => {});
      return found;
    }
    last = ended;
  }
  throw new Error("it does not come to an end", { cause: last });
}

/** Each event arrived once, but for attempts whose end nobody knows. */
async function expectNoneDoubled(disk: SimulatedDisk, { files }: Place, service: Service) {
  const { manifest } = (await readAccount(files.results, disk)) as { manifest: Manifest };
  const lastPart = String(manifest.parts.at(-1)?.part);
  const lines = await csvOf(disk, files.results);
  const ofPart = lines.filter((line) => line.import_part === lastPart);
  const ids = new Set(ofPart.map((line) => line.import_event_id));
  for (const id of service.receipts.keys()) expect(ids).toContain(id);
  for (const { import_event_id: id = "", import_status, import_unanswered } of ofPart) {
    const times = service.receipts.get(id) ?? 0;
    if (import_status === "succeeded") expect(times).toBeGreaterThan(0);
    expect(times).toBeLessThanOrEqual(1 + Number(import_unanswered));
  }
}

/** Lets an import meet faults, brings the disk back, and goes on until it is complete. */
async function disturbed(
  seed: number,
  faultAt: (call: number) => Fault | undefined,
  afterwards: (disk: SimulatedDisk, random: () => number) => SimulatedDisk,
  expected: ExpectedAccount,
  texts: readonly string[] = [csv],
): Promise<void> {
  const random = mulberry32(seed);
  const made = await place(texts);
  const service = createService();
  const disk = await untilComplete(
    made,
    (on) => made.live(on, service, random),
    createSimulatedDisk(faultAt),
    (after) => afterwards(after, random),
  );
  expect(await accountOn(disk, made)).toEqual(expected);
  await expectNoneDoubled(disk, made, service);
}

const faults: [Fault, (disk: SimulatedDisk, random: () => number) => SimulatedDisk][] = [
  ["ENOSPC", (disk) => disk.afterKill()],
  ["EIO", (disk) => disk.afterKill()],
  ["short", (disk) => disk.afterKill()],
  ["full", (disk) => disk.afterKill()],
  ["crash", (disk) => disk.afterKill()],
  ["crash", (disk, random) => disk.afterPowerCut(random)],
];
const powerCuts = runs(20);
/** The calls that fail in turn: every third, in the soak every one. */
const step = isThorough ? 1 : 3;

/** Each call that fails, with each fault in turn; in the soak with all of them. */
function* failuresOf(calls: number) {
  for (let failing = 1; failing <= calls; failing += step) {
    const turn = Math.floor(failing / step) % faults.length;
    for (const fault of isThorough ? faults : faults.slice(turn, turn + 1)) {
      yield [failing, ...fault] as const;
    }
  }
}

describe("a run on a disk that fails", () => {
  it("reconciles with a fault at any call", async () => {
    const { expected, calls } = await undisturbed();
    expect(calls).toBeGreaterThan(30);
    for (const [failing, fault, afterwards] of failuresOf(calls)) {
      const faultAt = (call: number) => (call === failing ? fault : undefined);
      await disturbed(failing, faultAt, afterwards, expected);
    }
  });

  // With so many its reserve is such that it needs more space in the midst of this run.
  it.each([3, 63])("leaves nothing in doubt where it is full, with %i in flight", async (many) => {
    const sound = createSimulatedDisk();
    await (await place([more])).live(sound, createService(), () => 0.5, many);
    for (let failing = 1; failing <= sound.calls(); failing += 5 * step) {
      const random = mulberry32(failing);
      const { live } = await place([more]);
      const service = createService();
      const disk = createSimulatedDisk((call) => (call === failing ? "full" : undefined));
      const stopped = await live(disk, service, random, many);
      if (stopped instanceof Error || stopped.exitReason === "complete") continue;
      const resumed = await live(disk.afterKill(), service, random, many);
      expect([failing, resumed]).toMatchObject([failing, { unanswered: 0 }]);
      for (const times of service.receipts.values()) expect([failing, times]).toEqual([failing, 1]);
    }
  });

  it("reconciles where it reads several files", async () => {
    const { expected, calls } = await undisturbed(parts);
    expect(expected.lines.map((line) => line.import_source)).toContain("people-3.csv");
    for (let failing = 1; failing <= calls; failing += 4 * step) {
      const faultAt = (call: number) => (call === failing ? "crash" : undefined);
      await disturbed(failing, faultAt, (disk) => disk.afterKill(), expected, parts);
    }
  });

  it(`reconciles through ${powerCuts} power cuts`, async () => {
    const { expected, calls } = await undisturbed();
    for (let seed = 1; seed <= powerCuts; seed++) {
      const crashAt = 1 + Math.floor(mulberry32(seed * 7919)() * calls);
      const faultAt = (call: number) => (call >= crashAt ? "crash" : undefined);
      await disturbed(seed, faultAt, (disk, random) => disk.afterPowerCut(random), expected);
    }
  });
});

/** Without a key no later row stands in the way of one that is sent again. */
const withoutKey = mapping.replace("ordering_key: [Person]\n", "");
/** Of what the import did not bring through, some are refused again. */
const refusesAgain = (id: string) => id.charCodeAt(1) % 3 === 0;

/** An import that is complete, with a file of its failed rows in which a cell was fixed, and a row was taken out. */
async function imported(mappingText: string) {
  const { disk, made } = await undisturbed([more], mappingText);
  const text = (await disk.read(made.files.failed))?.toString() ?? "";
  const [first = [], ...failed] = parse(text) as string[][];
  const fixed = failed.slice(1).map((cells) => cells.map((cell) => (cell === "?" ? "6" : cell)));
  await writeFile(made.given, toCsv([first, ...fixed]));
  const before = await csvOf(disk, made.files.results);
  expect(before.filter((line) => line.import_status === "rejected").length).toBeGreaterThan(3);
  const done = before.filter((line) => line.import_status === "succeeded");
  const afterImport = (faultAt?: FaultAt) => disk.afterKill(faultAt);

  const again = afterImport();
  const service = createService(refusesAgain);
  const summary = await made.retry(again, service, () => 0.5);
  expect(summary).toMatchObject({ exitReason: "complete", part: { number: 2 } });
  const sent = service.receipts.size;
  return {
    made,
    done,
    sent,
    afterImport,
    expected: await accountOn(again, made),
    calls: again.calls(),
  };
}

describe("a retry on a disk that fails", () => {
  async function disturbedRetry(
    { made, done, afterImport, expected }: Awaited<ReturnType<typeof imported>>,
    seed: number,
    faultAt: FaultAt,
    afterwards: (disk: SimulatedDisk, random: () => number) => SimulatedDisk,
  ) {
    const random = mulberry32(seed);
    const service = createService(refusesAgain);
    const disk = await untilComplete(
      made,
      (on) => made.retry(on, service, random),
      afterImport(faultAt),
      (after) => afterwards(after, random),
    );
    expect([seed, await accountOn(disk, made)]).toEqual([seed, expected]);
    const received = [...service.receipts.keys()];
    for (const { import_event_id: id } of done) expect(received).not.toContain(id);
    await expectNoneDoubled(disk, made, service);
  }

  it("reconciles with a fault at any call", async () => {
    const before = await imported(withoutKey);
    expect(before.sent).toBeGreaterThan(3);
    expect(before.calls).toBeGreaterThan(30);
    for (const [failing, fault, afterwards] of failuresOf(before.calls)) {
      const faultAt = (call: number) => (call === failing ? fault : undefined);
      await disturbedRetry(before, failing, faultAt, afterwards);
    }
  });

  it(`reconciles through ${powerCuts} times two power cuts, and keeps the order of each key`, async () => {
    const before = await imported(mapping);
    const codes = before.expected.failed.map((line) => line.import_error_code);
    expect(codes).toContain("superseded");
    for (let seed = 1; seed <= powerCuts; seed++) {
      const random = mulberry32(seed * 7919);
      const crashSoon = (): FaultAt => {
        const crashAt = 1 + Math.floor(random() * before.calls);
        return (call) => (call >= crashAt ? "crash" : undefined);
      };
      const next = [crashSoon()];
      await disturbedRetry(before, seed, crashSoon(), (disk, chance) =>
        disk.afterPowerCut(chance, next.pop()),
      );
    }
  });
});
