import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfTurn } from "../../src/delivery/clock.ts";
import type { DiskFile } from "../../src/domain/disk.ts";
import { noEndings } from "../../src/domain/outcome.ts";
import type { Checkpoint } from "../../src/domain/run-record.ts";
import { nodeDisk } from "../../src/journal/node-disk.ts";
import { type JournalContent, readJournal } from "../../src/journal/read-journal.ts";
import { encodeRecord } from "../../src/journal/record.ts";
import { type Journal, openJournal } from "../../src/journal/write-journal.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { createSimulatedDisk, type Fault, type SimulatedDisk } from "./simulated-disk.ts";

const path = "people.results.csv.journal";
const run = {
  version: 1,
  kind: "import",
  input: {
    path: "/people.csv",
    name: "people.csv",
    called: "people.csv",
    id: "0123456789abcdef",
    bytes: 1,
    sha256: "00",
  },
  results: "people.results.csv",
  mapping: { path: "/people.yaml", bytes: 1, sha256: "01" },
  baseUrl: "https://example.com",
  options: {
    delivery: "at-least-once",
    idempotencyHeader: null,
    allowHttp: false,
    skip: 0,
    limit: null,
  },
  startedAt: "2026-01-01T00:00:00.000Z",
  rowsTotal: null,
} as const;

const start: Checkpoint = {
  rows: 0,
  resultsBytes: 0,
  failedBytes: null,
  tally: { counts: noEndings(), events: 0, lines: 0, attempts: 0, unanswered: 0 },
  position: null,
  rowsBeforePosition: 0,
};

function open(disk: SimulatedDisk, changes: Partial<Parameters<typeof openJournal>[0]> = {}) {
  return openJournal({
    disk,
    path,
    run,
    isFirst: changes.events === undefined,
    durability: "power",
    events: [],
    reserveBytes: 4096,
    maxInDoubt: 1000,
    growthBytes: 2 * 1024 * 1024,
    endOfTurn,
    checkpoint: async () => start,
    onFailure: () => {},
    ...changes,
  });
}

const intent = (rowOfRun: number) => ({
  ...{ rowOfRun, event: 1, attempt: 1, unanswered: 0 },
  importedAt: "2026-01-01T00:00:00.000Z",
});
const outcome = { ending: "succeeded", event: 1, attempts: 1, unanswered: 0 } as const;

/** In pieces, as a file comes: a record may begin in one and end in another. */
function readBytes(bytes: Buffer): Promise<JournalContent> {
  const pieceBytes = 1000;
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  return readJournal(pieces);
}

async function content(disk: SimulatedDisk): Promise<JournalContent> {
  return readBytes((await disk.read(path)) ?? Buffer.alloc(0));
}

/** What is known of row after row: `intent`, `outcome`, or nothing. */
function known(journal: JournalContent): Record<number, string | undefined> {
  if (journal.kind !== "run") throw new Error(journal.kind);
  return Object.fromEntries([...journal.events].map(([row, [record]]) => [row, record?.kind]));
}

/** Intends and settles rows from 1, and stops in the midst of it. */
async function someRows(journal: Journal, rows: number): Promise<void> {
  for (let row = 1; row <= rows; row++) {
    if (!(await journal.intend(intent(row)))) return;
    if (row % 3 !== 0) journal.settle(row, outcome);
  }
}

describe("a journal", () => {
  it("tells of each event what was said last", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await journal.intend(intent(1));
    await journal.intend(intent(2));
    await journal.intend(intent(3));
    journal.settle(1, outcome);
    journal.attempted({ ...intent(2), attempts: 1, unanswered: 1, httpStatus: 503 });
    await journal.close();
    const read = await content(disk);
    expect(read).toMatchObject({ kind: "run", run, checkpoint: start });
    expect(known(read)).toEqual({ 1: "outcome", 2: "attempted", 3: "intent" });
  });

  it("of a run that goes on says that what was in doubt is an attempt without an answer", async () => {
    const disk = createSimulatedDisk();
    await (await open(disk)).intend({ ...intent(1), attempt: 3, unanswered: 1 });
    const interrupted = await content(disk);
    if (interrupted.kind !== "run") throw new Error(interrupted.kind);
    const events = [...interrupted.events.values()].flat();
    expect(events).toMatchObject([{ kind: "intent", attempt: 3, unanswered: 1 }]);
    await open(disk, { events });
    const goneOn = await content(disk);
    if (goneOn.kind !== "run") throw new Error(goneOn.kind);
    expect([...goneOn.events.values()].flat()).toMatchObject([
      { kind: "attempted", attempts: 3, unanswered: 2 },
    ]);
  });

  it("forgets what the checkpoint covers, and keeps the rest, when it is cut back", async () => {
    const disk = createSimulatedDisk();
    let rows = 0;
    const journal = await open(disk, { checkpoint: async () => ({ ...start, rows }) });
    await someRows(journal, 7);
    rows = 4;
    await journal.close();
    expect(known(await content(disk))).toEqual({ 5: "outcome", 6: "intent", 7: "outcome" });
  });

  it("stays small however much goes through it", async () => {
    const file = join(await temporaryFolder(), path);
    let rows = 0;
    let largest = 0;
    const journal = await open(createSimulatedDisk(), {
      disk: nodeDisk,
      path: file,
      durability: "process",
      checkpoint: async () => {
        largest = Math.max(largest, (await nodeDisk.read(file))?.length ?? 0);
        return { ...start, rows };
      },
    });
    for (let row = 1; row <= 60_000; row++) {
      await journal.intend(intent(row));
      journal.settle(row, outcome);
      rows = row - 5;
    }
    await journal.close();
    expect(largest).toBeGreaterThan(2 * 1024 * 1024);
    expect(largest).toBeLessThan(3 * 1024 * 1024);
  });

  it("copies no more than it was told, however long the oldest row waits", async () => {
    const growthBytes = 20_000;
    const disk = createSimulatedDisk();
    let cutBacks = -1; // the first is the beginning
    const journal = await open(disk, {
      growthBytes,
      checkpoint: async () => {
        cutBacks++;
        return start;
      },
    });
    await journal.intend(intent(1));
    const ended = { ...outcome, error: "ü".repeat(20) };
    for (let row = 2; row <= 5000; row++) {
      await journal.intend(intent(row));
      journal.settle(row, ended);
    }
    expect(cutBacks).toBeGreaterThan(3);
    // Less often the longer it gets: a few doublings, and not one for every piece of growth.
    expect(cutBacks).toBeLessThan(12);
    await journal.close();
    const read = await content(disk);
    if (read.kind !== "run") throw new Error(read.kind);
    expect(read.events.size).toBe(5000);
    expect(read.events.get(1)).toMatchObject([{ kind: "intent" }]);
    for (let row = 2; row <= 5000; row++) {
      expect(read.events.get(row)).toEqual([{ kind: "outcome", rowOfRun: row, outcome: ended }]);
    }
  });

  it("shares one sync among all the intents of the moment", async () => {
    let syncs = 0;
    const disk = createSimulatedDisk((_, name) => {
      if (name === "datasync") syncs++;
      return undefined;
    });
    const journal = await open(disk, { maxInDoubt: 1000 });
    const before = syncs;
    await Promise.all(Array.from({ length: 500 }, (_, at) => journal.intend(intent(at + 1))));
    expect(syncs - before).toBeLessThanOrEqual(2);
  });

  it("leaves the sync out where only the process matters", async () => {
    let syncs = 0;
    const disk = createSimulatedDisk((_, name) => {
      if (name === "datasync") syncs++;
      return undefined;
    });
    const journal = await open(disk, { durability: "process" });
    const before = syncs;
    await journal.intend(intent(1));
    expect(syncs).toBe(before);
    expect(known(await content(disk.afterKill()))).toEqual({ 1: "intent" });
  });

  it("has no more in doubt than it may", async () => {
    const journal = await open(createSimulatedDisk(), { maxInDoubt: 3 });
    let taken = 0;
    const all = Array.from({ length: 5 }, async (_, at) => {
      await journal.intend(intent(at + 1));
      taken++;
    });
    await Promise.all(all.slice(0, 3));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(taken).toBe(3);
    journal.settle(1, outcome);
    journal.attempted({ ...intent(2), attempts: 1 });
    await Promise.all(all);
    expect(taken).toBe(5);
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
    expect(await journal.intend(intent(3))).toBe(false);
    expect(await journal.intend(intent(4))).toBe(false);
    expect(told).toHaveLength(1);
    return { disk, journal, told: told[0] };
  }

  it("that puts its own journal in the place stops the first, which leaves it alone", async () => {
    const other = await open(createSimulatedDisk());
    await other.close();
    const { disk, journal, told } = await changed(async (disk) => {
      await disk.remove(path);
      await open(disk, { run: { ...run, startedAt: "another" } });
    });
    expect(told).toEqual([
      expect.objectContaining({ message: expect.stringContaining("another eventload has taken") }),
      "another's",
    ]);
    expect(await journal.standing()).toBe("another's");
    journal.settle(3, outcome);
    await journal.close();
    await journal.remove();
    expect(await content(disk)).toMatchObject({ run: { startedAt: "another" } });
  });

  it("that takes the journal over as a resume does is noticed", async () => {
    const { journal } = await changed((disk) => open(disk, { events: [] }));
    expect(await journal.standing()).toBe("another's");
  });

  it.each<[string, (file: DiskFile) => Promise<unknown>]>([
    ["longer", async (file) => file.write(Buffer.from("x"), await file.size())],
    ["shorter", async (file) => file.truncate((await file.size()) - 1)],
  ])("that makes the file %s is noticed", async (_, change) => {
    const { journal } = await changed(async (disk) => change(await disk.open(path)));
    expect(await journal.standing()).toBe("another's");
  });

  it("that is none, as the file was removed, stops the run too; it can be resumed then", async () => {
    const { disk, journal } = await changed((disk) => disk.remove(path));
    expect(await journal.standing()).toBe("gone");
    expect(await disk.read(path)).toBeUndefined();
    await journal.close();
    expect(known(await content(disk))).toEqual({ 1: "outcome", 2: "outcome", 3: "intent" });
  });

  it("that began the same run a moment before is not replaced; what began none is", async () => {
    const disk = createSimulatedDisk();
    const unborn = await disk.create(path);
    await unborn.write(Buffer.alloc(4096), 0);
    const journal = await open(disk);
    await expect(open(disk)).rejects.toMatchObject({ code: "EEXIST" });
    expect(await journal.intend(intent(1))).toBe(true);
    expect(known(await content(disk))).toEqual({ 1: "intent" });
  });
});

describe("a torn tail", () => {
  it("may end at every byte of the last 4 KiB", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await someRows(journal, 60);
    const bytes = (await disk.read(path)) ?? Buffer.alloc(0);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    const whole = known(await readBytes(bytes));
    for (let cut = end - 4096; cut <= end; cut++) {
      const read = known(await readBytes(bytes.subarray(0, cut)));
      for (const [row, kind] of Object.entries(read)) {
        // What is read was written, and never more than that.
        expect(["intent", whole[Number(row)]]).toContain(kind);
      }
      expect(Object.keys(read).length).toBeGreaterThan(20);
    }
  });

  it("further in it is damage, and its place is told", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await someRows(journal, 60);
    const bytes = (await disk.read(path)) ?? Buffer.alloc(0);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    for (let at = 0; at < end - 4096; at += 7) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x04;
      const read = await readBytes(flipped);
      if (read.kind !== "damaged") throw new Error(`byte ${at}: ${read.kind}`);
      expect(read.offset).toBeLessThanOrEqual(at);
      expect(bytes.subarray(read.offset, at).includes("\n")).toBe(false);
    }
  });

  it("no record of a journal that was closed may be damaged", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await someRows(journal, 20);
    await journal.close();
    const bytes = (await disk.read(path)) ?? Buffer.alloc(0);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    const last = bytes.lastIndexOf("\n", end - 2) + 1; // which only says how far all the others go
    for (let at = 0; at < last; at += 11) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x04;
      expect((await readBytes(flipped)).kind, `byte ${at}`).toBe("damaged");
    }
  });

  it("takes what follows it along: no record after a torn one is used", async () => {
    const written = [
      encodeRecord({ kind: "run", run }),
      encodeRecord({ kind: "checkpoint", checkpoint: start }),
      encodeRecord({ kind: "outcome", rowOfRun: 1, outcome }),
      encodeRecord({ kind: "intent", ...intent(2) }),
    ];
    const torn = Buffer.from(encodeRecord({ kind: "intent", ...intent(3) }));
    torn[20] = (torn[20] ?? 0) ^ 0x04;
    const after = [
      encodeRecord({ kind: "outcome", rowOfRun: 1, outcome: { ...outcome, ending: "rejected" } }),
      encodeRecord({ kind: "intent", ...intent(4) }),
      encodeRecord({ kind: "checkpoint", checkpoint: { ...start, rows: 99 } }),
      encodeRecord({ kind: "run", run: { ...run, startedAt: "another" } }),
    ];
    const read = await readBytes(
      Buffer.concat([Buffer.from(written.join("")), torn, Buffer.from(after.join(""))]),
    );
    expect(read).toMatchObject({ kind: "run", run, checkpoint: start });
    if (read.kind !== "run") throw new Error(read.kind);
    expect([...read.events]).toEqual([
      [1, [{ kind: "outcome", rowOfRun: 1, outcome }]],
      [2, [{ kind: "intent", ...intent(2) }]],
    ]);
  });

  it("before the run is on record, nothing was sent", async () => {
    expect(await readBytes(Buffer.alloc(0))).toEqual({ kind: "unborn" });
    expect(await readBytes(Buffer.alloc(4096))).toEqual({ kind: "unborn" });
    expect(await readBytes(Buffer.from('12345678 {"kind":"run"'))).toEqual({ kind: "unborn" });
  });
});

describe("a disk that fails", () => {
  const faults: Fault[] = ["ENOSPC", "EIO", "short", "crash"];

  it.each(faults)("with %s at any call loses no intent that was taken", async (fault) => {
    let calls = Number.POSITIVE_INFINITY;
    for (let failing = 1; failing <= calls; failing++) {
      const disk = createSimulatedDisk((call) => (call === failing ? fault : undefined));
      const taken: number[] = [];
      try {
        const journal = await open(disk);
        for (let row = 1; row <= 12; row++) {
          if (!(await journal.intend(intent(row)))) break;
          taken.push(row);
          if (row % 3 !== 0) journal.settle(row, outcome);
        }
        await journal.close();
        calls = disk.calls();
      } catch {
        expect(taken).toEqual([]); // it could not begin
      }
      const read = await content(disk.afterKill());
      const rows = read.kind === "run" ? known(read) : {};
      for (const row of taken) expect(rows[row], `${fault} at call ${failing}`).toBeDefined();
      if (fault === "short") expect(taken).toHaveLength(12);
    }
    expect(calls).toBeLessThan(200);
  });

  it("never tries a sync again that has failed, and takes no intent after it", async () => {
    let syncs = 0;
    const failures: unknown[] = [];
    const disk = createSimulatedDisk((_, name) => {
      if (name !== "datasync") return undefined;
      syncs++;
      return syncs === 3 ? "EIO" : undefined;
    });
    const journal = await open(disk, { onFailure: (error) => failures.push(error) });
    expect(await journal.intend(intent(1))).toBe(true);
    expect(await journal.intend(intent(2))).toBe(false);
    expect(await journal.intend(intent(3))).toBe(false);
    journal.settle(1, outcome);
    await journal.close();
    expect(syncs).toBe(3);
    expect(failures).toHaveLength(1);
    // What was in flight is on record all the same.
    expect(known(await content(disk))[1]).toBe("outcome");
  });

  it("keeps room for what is in flight when it is full", async () => {
    let isFull = false;
    const size = { most: 0 };
    const base = createSimulatedDisk();
    const filling = (file: DiskFile): DiskFile => ({
      ...file,
      async write(bytes, position) {
        if (isFull && position + bytes.length > size.most) {
          throw Object.assign(new Error("full"), { code: "ENOSPC" });
        }
        size.most = Math.max(size.most, position + bytes.length);
        return file.write(bytes, position);
      },
    });
    const disk: SimulatedDisk = {
      ...base,
      create: async (name) => filling(await base.create(name)),
      async createTemporary(name) {
        const { path, file } = await base.createTemporary(name);
        return { path, file: filling(file) };
      },
    };
    const journal = await open(disk, { maxInDoubt: 16, reserveBytes: 16 * 1024 });
    isFull = true;
    const taken: number[] = [];
    for (let row = 1; await journal.intend(intent(row)); row++) {
      taken.push(row);
      // The last sixteen are in flight when the disk turns out to be full.
      if (row > 15) journal.settle(row - 15, outcome);
    }
    for (const row of taken.slice(-15)) journal.settle(row, outcome);
    await journal.close();
    expect(taken.length).toBeGreaterThan(100);
    const rows = known(await content(base));
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
          const rows = Array.from({ length: 20 }, (_, at) => at + 1);
          await Promise.all(
            rows.map(async (row) => {
              if (!(await journal.intend(intent(row)))) return;
              taken.push(row);
              if (random() < 0.7) {
                settled.add(row);
                journal.settle(row, outcome);
              }
            }),
          );
          await journal.close();
        } catch {
          // it could not begin
        }
        const read = await content(disk.afterPowerCut(random));
        expect(read.kind).not.toBe("damaged");
        const rows = read.kind === "run" ? known(read) : {};
        for (const row of taken) expect(rows[row]).toBeDefined();
        for (const [row, kind] of Object.entries(rows)) {
          if (kind === "outcome") expect(settled).toContain(Number(row));
        }
      }),
      { numRuns: 400 },
    );
  });
});
