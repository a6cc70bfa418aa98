import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Journal, openJournal } from "../../src/journal/journal.ts";
import { checkEveryMs, sealed } from "../../src/journal/log.ts";
import { journalVersion, type RunIdentity } from "../../src/journal/run-identity.ts";
import {
  findUnfinishedRun,
  type JournalRecord,
  type UnfinishedRun,
} from "../../src/journal/unfinished-run.ts";
import type { DiskFile } from "../../src/model/disk/disk.ts";
import { eventStatuses, type Outcome } from "../../src/model/outcome.ts";
import type { Checkpoint, EventRecord } from "../../src/model/run-record.ts";
import { createTally } from "../../src/results/tally.ts";
import { mulberry32 } from "../../src/sandbox/faults.ts";
import { placeOf } from "../delivery/event-of.ts";
import { givenImport } from "./given-import.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./simulated-disk.ts";

const path = "people.results.csv.journal";
const run = {
  version: journalVersion,
  kind: "import",
  part: 1,
  imported: givenImport,
  parts: [],
  rowsTotal: null,
} as const;

const start: Checkpoint = {
  rows: 0,
  resultsBytes: 0,
  tally: createTally().copy(),
};

interface JournalUnderTest extends Omit<Journal, "write" | "intend" | "settle"> {
  /** Puts the intent of a row on record. */
  intend(row: number): Promise<boolean>;
  settle(row: number, more?: Partial<Outcome>): void;
  readonly raw: Journal;
}

/** A journal, with a run beside it that knows what is pending. */
async function open(
  disk: SimulatedDisk,
  changes: Partial<Parameters<typeof openJournal>[0]> = {},
  rowsWritten: () => number = () => 0,
): Promise<JournalUnderTest> {
  const pending = new Map<number, EventRecord>();
  let time = 0;
  const journal = await openJournal({
    disk,
    path,
    run,
    isFirst: true,
    reserveBytes: 4096,
    growthBytes: 2 * 1024 * 1024,
    now: () => (time += checkEveryMs), // it looks after every batch
    async snapshot(take) {
      const rows = rowsWritten();
      const records = [...pending.values()].filter(({ rowOfRun }) => rowOfRun > rows);
      take({ checkpoint: { ...start, rows }, records });
    },
    onFailure: () => {},
    ...changes,
  });
  return {
    ...journal,
    raw: journal,
    async intend(row) {
      const record = { kind: "intent", ...intent(row) } as const;
      pending.set(row, record);
      journal.add(record);
      const mayLeave = await journal.write(true);
      if (!mayLeave) pending.delete(row);
      return mayLeave;
    },
    settle(row, more) {
      const record = { kind: "outcome", rowOfRun: row, outcome: { ...outcome, ...more } } as const;
      pending.set(row, record);
      journal.add(record);
    },
  };
}

const intent = (rowOfRun: number) => ({
  ...{ rowOfRun, event: 1, attempt: 1, unanswered: 0 },
  importedAt: "2026-01-01T00:00:00.000Z",
});
const outcome = { status: "succeeded", event: 1, attempts: 1, unanswered: 0 } as const;

/** In pieces, as a file comes: a record may begin in one and end in another. */
function readBytes(bytes: Buffer): Promise<UnfinishedRun | undefined> {
  const pieceBytes = 1000;
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  async function* readChunks() {
    yield* pieces;
  }
  return findUnfinishedRun({ readChunks }, path);
}

/** A journal without the space that is allocated behind it. */
async function bytesOn(disk: SimulatedDisk): Promise<Buffer> {
  const bytes = (await disk.read(path)) ?? Buffer.alloc(0);
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

async function content(disk: SimulatedDisk): Promise<UnfinishedRun | undefined> {
  return readBytes(await bytesOn(disk));
}

/** After which byte a journal is damaged. */
async function damageIn(bytes: Buffer): Promise<number> {
  const error = await readBytes(bytes).catch((error: Error & { code?: string }) => error);
  expect(error).toMatchObject({ code: "journal_damaged" });
  return Number(/offset (\d+)/.exec((error as Error).message)?.[1]);
}

/** What is known of row after row: `intent`, `outcome`, or nothing. */
function known(run: UnfinishedRun | undefined): Record<number, string | undefined> {
  return Object.fromEntries([...(run?.events ?? [])].map(([row, [record]]) => [row, record?.kind]));
}

/** Intends and settles rows from 1, and stops in the midst of it. */
async function someRows(journal: JournalUnderTest, rows: number): Promise<void> {
  for (let row = 1; row <= rows; row++) {
    if (!(await journal.intend(row))) return;
    if (row % 3 !== 0) journal.settle(row);
  }
}

const times = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
const place = {
  rowOfRun: fc.integer({ min: 1, max: 1e9 }),
  event: fc.integer({ min: 1, max: 99 }),
};
const counts = { unanswered: fc.nat(200) };
const status = fc.option(fc.integer({ min: 200, max: 599 }), { nil: undefined });
const records = fc.oneof<fc.Arbitrary<EventRecord>[]>(
  fc.record({
    ...{ kind: fc.constant("intent"), ...place, ...counts, importedAt: times },
    attempt: fc.integer({ min: 1, max: 200 }),
  }),
  fc
    .record({
      ...{ kind: fc.constant("attempted"), ...place, ...counts, attempts: fc.nat(200) },
      ...{ importedAt: fc.oneof(times, fc.constant("")), httpStatus: status },
    })
    .map(({ httpStatus, ...rest }) => (httpStatus === undefined ? rest : { ...rest, httpStatus })),
  fc
    .record({
      rowOfRun: place.rowOfRun,
      event: place.event,
      status: fc.constantFrom(...eventStatuses),
      attempts: fc.nat(200),
      unanswered: fc.nat(200),
      httpStatus: status,
      said: fc.option(fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), {
        nil: undefined,
      }),
      finishedAt: fc.option(times, { nil: undefined }),
    })
    .map(({ rowOfRun, said, httpStatus, finishedAt, ...rest }) => ({
      kind: "outcome" as const,
      rowOfRun,
      outcome: {
        ...rest,
        ...(httpStatus === undefined ? {} : { httpStatus }),
        ...(said === undefined ? {} : { errorCode: said[0], error: said[1] }),
        ...(finishedAt === undefined ? {} : { finishedAt }),
      },
    })),
);

describe("a journal", () => {
  it("says of each event what was said last, whatever that is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(records, { maxLength: 40 }), async (all) => {
        const disk = createSimulatedDisk();
        const { raw } = await open(disk);
        const last = new Map<string, EventRecord>();
        for (const [at, record] of all.entries()) {
          raw.add(record);
          last.set(placeOf(record), record);
          if (at % 5 === 4) await raw.write(at % 2 === 0);
        }
        await raw.write(true);
        const read = await content(disk);
        const known = [...(read?.events ?? [])].flatMap(([, ofRow]) => ofRow);
        expect(known).toHaveLength(last.size);
        expect(known).toEqual(expect.arrayContaining([...last.values()]));
      }),
      { numRuns: 100 },
    );
  });

  it("forgets what the checkpoint covers, and keeps the rest, when it is compacted", async () => {
    const disk = createSimulatedDisk();
    let rows = 0;
    const journal = await open(disk, {}, () => rows);
    await someRows(journal, 7);
    rows = 4;
    await journal.close();
    expect(known(await content(disk))).toEqual({ 5: "outcome", 6: "intent", 7: "outcome" });
  });

  it("keeps how long the service has asked to wait, also when it is compacted", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    journal.waitUntil(1_800_000_000_000);
    journal.waitUntil(1_700_000_000_000);
    await journal.raw.write(false);
    expect(await content(disk)).toMatchObject({ waitUntil: 1_800_000_000_000 });
    await journal.close();
    expect(await content(disk)).toMatchObject({ waitUntil: 1_800_000_000_000 });
  });

  it("copies no more than was written since, however long the oldest row waits", async () => {
    const disk = createSimulatedDisk();
    let compactions = -1; // the first is the beginning
    const journal = await open(disk, { growthBytes: 20_000 }, () => {
      compactions++;
      return 0;
    });
    await journal.intend(1);
    for (let row = 2; row <= 5000; row++) {
      await journal.intend(row);
      journal.settle(row, { errorCode: "http_500", error: "ü".repeat(20) });
    }
    expect(compactions).toBeGreaterThan(3);
    // Less often the longer it gets: a few doublings, and not one for every piece of growth.
    expect(compactions).toBeLessThan(12);
    await journal.close();
    const read = await content(disk);
    expect([...(read?.events ?? [])]).toHaveLength(5000);
    expect(read?.events.get(1)).toMatchObject([{ kind: "intent" }]);
    expect(read?.events.get(5000)).toMatchObject([{ outcome: { error: "ü".repeat(20) } }]);
  });

  it("syncs a batch that has intents, and only where the power matters", async () => {
    let syncs = 0;
    const disk = createSimulatedDisk((_, name) => {
      if (name === "datasync") syncs++;
      return undefined;
    });
    const journal = await open(disk);
    const before = syncs;
    await journal.intend(1);
    expect(syncs).toBe(before + 1);
    journal.settle(1);
    await journal.raw.write(false);
    expect(syncs).toBe(before + 1);
  });

  it("of another version is not read: what its records mean may differ", async () => {
    for (const version of [journalVersion - 1, journalVersion + 1]) {
      const disk = createSimulatedDisk();
      const journal = await open(disk, { run: { ...run, version } as unknown as RunIdentity });
      await journal.intend(1);
      await journal.close();
      await expect(content(disk)).rejects.toMatchObject({ code: "journal_outdated" });
    }
  });
});

describe("a second writer", () => {
  /** A journal with two rows, of which something else has changed the file. */
  async function changed(change: (disk: SimulatedDisk) => Promise<unknown>) {
    const disk = createSimulatedDisk();
    const told: unknown[] = [];
    const journal = await open(disk, { onFailure: (...failure) => told.push(failure) });
    await someRows(journal, 2);
    await change(disk);
    expect(await journal.intend(3)).toBe(false);
    expect(await journal.intend(4)).toBe(false);
    expect(told).toHaveLength(1);
    return { disk, journal, told: told[0] };
  }

  it("that puts its own journal in the place stops the first, which leaves it alone", async () => {
    const other = await open(createSimulatedDisk());
    await other.close();
    const { disk, journal, told } = await changed(async (disk) => {
      await disk.remove(path);
      await open(disk, { run: { ...run, part: 9 } });
    });
    expect(told).toEqual([
      expect.objectContaining({ message: expect.stringContaining("another eventload has taken") }),
      "taken_over",
    ]);
    expect(await journal.ownership()).toBe("taken_over");
    journal.settle(3);
    await journal.close();
    await journal.remove();
    expect(await content(disk)).toMatchObject({ run: { part: 9 } });
  });

  it.each<[string, (disk: SimulatedDisk, file: DiskFile) => Promise<unknown>]>([
    ["takes the journal over as a resume does", (disk) => open(disk, { isFirst: false })],
    ["makes it longer", async (_, file) => file.write(Buffer.from("x"), await file.size())],
    ["makes it shorter", async (_, file) => file.truncate((await file.size()) - 1)],
  ])("that %s is noticed", async (_, change) => {
    const { journal } = await changed(async (disk) => change(disk, await disk.open(path)));
    expect(await journal.ownership()).toBe("taken_over");
  });

  it("that is none, as the file was removed, stops the run too; it can be resumed then", async () => {
    const { disk, journal } = await changed((disk) => disk.remove(path));
    expect(await journal.ownership()).toBe("gone");
    expect(await disk.read(path)).toBeUndefined();
    await journal.close();
    expect(known(await content(disk))).toEqual({ 1: "outcome", 2: "outcome" });
  });

  it("that began the same run a moment before is not replaced; what began none is", async () => {
    const disk = createSimulatedDisk();
    const empty = await disk.create(path);
    await empty.write(Buffer.alloc(4096), 0);
    const journal = await open(disk);
    await expect(open(disk)).rejects.toMatchObject({ code: "EEXIST" });
    expect(await journal.intend(1)).toBe(true);
    expect(known(await content(disk))).toEqual({ 1: "intent" });
  });
});

describe("a torn tail", () => {
  it("may end anywhere in the last 4 KiB, with allocated space behind it", async () => {
    const disk = createSimulatedDisk();
    await someRows(await open(disk), 120);
    const bytes = await bytesOn(disk);
    const whole = known(await readBytes(Buffer.concat([bytes, Buffer.alloc(4096)])));
    for (let cut = bytes.length - 4096; cut <= bytes.length; ) {
      const read = known(await readBytes(bytes.subarray(0, cut)));
      for (const [row, kind] of Object.entries(read)) {
        // What is read was written, and never more than that.
        expect(["intent", whole[Number(row)]]).toContain(kind);
      }
      expect(Object.keys(read).length).toBeGreaterThan(20);
      cut += cut > bytes.length - 300 ? 3 : 97;
    }
  });

  it.each([
    ["further in it is damage", false, 4096],
    // Its last line only says how far all the others go.
    ["no record of a journal that was closed may be damaged", true, 70],
  ])("%s, and its place is reported", async (_, isClosed, tail) => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await someRows(journal, 120);
    if (isClosed) await journal.close();
    const bytes = await bytesOn(disk);
    for (let at = 0; at < bytes.length - tail; at += 23) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x04;
      const offset = await damageIn(flipped);
      expect(offset).toBeLessThanOrEqual(at);
      // It is the batch that the byte is in.
      expect(bytes.toString("latin1", offset, at)).not.toMatch(/"synced":\d+\}\n/);
    }
  });

  it("takes what follows it along: no batch after a torn one is used", async () => {
    const batchOf = (...records: JournalRecord[]) =>
      Buffer.from(sealed(records.map((one) => `${JSON.stringify(one)}\n`).join(""), 0));
    const written = batchOf(
      { kind: "run", run },
      { kind: "checkpoint", checkpoint: start },
      { kind: "outcome", rowOfRun: 1, outcome },
      { kind: "intent", ...intent(2) },
    );
    const torn = batchOf({ kind: "intent", ...intent(3) });
    torn[3] = (torn[3] ?? 0) ^ 0x04;
    const after = batchOf(
      { kind: "outcome", rowOfRun: 1, outcome: { ...outcome, status: "rejected" } },
      { kind: "intent", ...intent(4) },
      { kind: "checkpoint", checkpoint: { ...start, rows: 99 } },
      { kind: "run", run: { ...run, part: 9 } },
    );
    const read = await readBytes(Buffer.concat([written, torn, after]));
    expect(read).toMatchObject({ run, checkpoint: start });
    expect([...(read?.events ?? [])]).toEqual([
      [1, [{ kind: "outcome", rowOfRun: 1, outcome }]],
      [2, [{ kind: "intent", ...intent(2) }]],
    ]);
  });

  it("may have a whole batch behind it, where neither was synced", async () => {
    let isOn = true;
    const disk = createSimulatedDisk((_, name) =>
      !isOn && name === "datasync" ? "crash" : undefined,
    );
    const journal = await open(disk);
    await journal.intend(1);
    const torn = (await bytesOn(disk)).length;
    journal.settle(1);
    await journal.raw.write(false);
    isOn = false;
    expect(await journal.intend(2)).toBe(false);
    const bytes = await bytesOn(disk);
    expect(known(await readBytes(bytes))).toEqual({ 1: "outcome", 2: "intent" });
    bytes.write("?", torn);
    expect(known(await readBytes(bytes))).toEqual({ 1: "intent" });
  });

  it("before the run is on record, nothing was sent", async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(4096),
      Buffer.from('{"kind":"run","run":{"v'),
    ]) {
      expect(await readBytes(bytes)).toBeUndefined();
    }
  });
});

describe("a disk that fails", () => {
  it("never tries a sync again that has failed, and takes no intent after it", async () => {
    let syncs = 0;
    const failures: unknown[] = [];
    const disk = createSimulatedDisk((_, name) => {
      if (name !== "datasync") return undefined;
      syncs++;
      return syncs === 3 ? "EIO" : undefined;
    });
    const journal = await open(disk, { onFailure: (error) => failures.push(error) });
    expect(await journal.intend(1)).toBe(true);
    expect(await journal.intend(2)).toBe(false);
    expect(await journal.intend(3)).toBe(false);
    journal.settle(1);
    await journal.close();
    expect(syncs).toBe(3);
    expect(failures).toHaveLength(1);
    // What was in flight is on record all the same.
    expect(known(await content(disk))[1]).toBe("outcome");
  });

  it("keeps room for what is in flight when it is full", async () => {
    let isFull = false;
    const disk = createSimulatedDisk(() => (isFull ? "full" : undefined));
    const journal = await open(disk, { reserveBytes: 16 * 1024 });
    isFull = true;
    const taken: number[] = [];
    for (let row = 1; await journal.intend(row); row++) {
      taken.push(row);
      // The last sixteen are in flight when the disk turns out to be full.
      if (row > 15) journal.settle(row - 15);
    }
    for (const row of taken.slice(-15)) journal.settle(row);
    await journal.close();
    expect(taken.length).toBeGreaterThan(100);
    const rows = known(await content(disk.afterKill()));
    expect(taken.filter((row) => rows[row] !== "outcome")).toEqual([]);
  });

  it("after a power cut, every intent that was taken is still known", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 60 }), async (seed, crashAt) => {
        const random = mulberry32(seed);
        const disk = createSimulatedDisk((call) => (call >= crashAt ? "crash" : undefined));
        const taken: number[] = [];
        const settled = new Set<number>();
        try {
          const journal = await open(disk);
          for (let row = 1; row <= 20; row++) {
            if (!(await journal.intend(row))) break;
            taken.push(row);
            if (random() < 0.3) continue;
            settled.add(row);
            journal.settle(row);
          }
          await journal.close();
        } catch {
          // it could not begin
        }
        const read = await content(disk.afterPowerCut(random));
        const rows = known(read);
        for (const row of taken) expect(rows[row]).toBeDefined();
        for (const [row, kind] of Object.entries(rows)) {
          if (kind === "outcome") expect(settled).toContain(Number(row));
        }
      }),
      { numRuns: 150 },
    );
  });
});
