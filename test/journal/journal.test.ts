import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkEveryMs, claimJournal, openJournal } from "../../src/journal/journal.ts";
import { type JournalRecord, journalFile, readJournal } from "../../src/journal/read-journal.ts";
import type { DiskFile } from "../../src/model/disk/disk.ts";
import { runFiles } from "../../src/model/run-files.ts";
import { mulberry32 } from "../../src/sandbox/faults.ts";
import { createFakeClock } from "../fake-clock.ts";
import { beginOf, intentOf, lineOf, sealed } from "./given-import.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./simulated-disk.ts";

const files = runFiles("people.results.csv");
const { journal: path } = files;
const first = journalFile(path, 1);

/** The journal of a process that has begun. */
async function open(disk: SimulatedDisk, { reserveBytes = 4096, read = {} } = {}) {
  const clock = createFakeClock();
  const claimed = await claimJournal(disk, files, 0, clock, true);
  const failures: unknown[] = [];
  const onFailure = (...failure: unknown[]) => void failures.push(failure);
  const journal = openJournal({ disk, path, clock, reserveBytes, onFailure }, claimed);
  journal.add(beginOf(undefined, read));
  await journal.write(true);
  return {
    ...{ ...journal, clock, failures, file: claimed.file },
    /** Puts the intent of a row on record, at a time when the journal looks at its file. */
    async intend(row: number) {
      clock.advance(checkEveryMs);
      journal.add(intentOf(row));
      return journal.write(true);
    },
    settle: (row: number) => journal.add(lineOf(row)),
  };
}

/** Intends and settles rows from 1, and stops in the midst of it. */
async function someRows(journal: Awaited<ReturnType<typeof open>>, rows: number) {
  for (let row = 1; row <= rows; row++) {
    if (!(await journal.intend(row))) return;
    if (row % 3 !== 0) journal.settle(row);
  }
}

/** What is read of row after row: `intent` or `line`. */
async function known(disk: SimulatedDisk): Promise<Record<number, string>> {
  const rows: Record<number, string> = {};
  for await (const { records } of readJournal(disk, path)) {
    for (const one of records) if ("rowOfRun" in one) rows[one.rowOfRun] = one.kind;
  }
  return rows;
}

/** A disk with a journal of these bytes. */
async function diskWith(bytes: Buffer): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  await (await disk.create(first)).write(bytes, 0);
  return disk;
}

/** A journal without the space that is allocated behind it. */
async function bytesOn(disk: SimulatedDisk): Promise<Buffer> {
  const bytes = (await disk.read(first)) ?? Buffer.alloc(0);
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

/** After which byte a journal is damaged. */
async function damageIn(bytes: Buffer): Promise<number> {
  const error = await known(await diskWith(bytes)).catch((reason: Error) => reason);
  expect(error).toMatchObject({ code: "journal_damaged" });
  return Number(/offset (\d+)/.exec((error as Error).message)?.[1]);
}

/** A disk that counts its syncs, the nth of which may fail. */
function syncing(failing = 0) {
  let syncs = 0;
  const disk = createSimulatedDisk((_, name) =>
    name === "datasync" && ++syncs === failing ? "EIO" : undefined,
  );
  return { disk, syncs: () => syncs };
}

describe("a batch", () => {
  it("that something waits for is synced, others are written within 25 ms and synced in a second", async () => {
    const { disk, syncs } = syncing();
    const { add, clock, settle, write } = await open(disk);
    const before = syncs();
    add(intentOf(1));
    await write(true);
    expect(syncs()).toBe(before + 1);
    clock.end();
    settle(1);
    clock.advance(24);
    expect(await known(disk)).toEqual({ 1: "intent" });
    clock.advance(1);
    await write(false);
    expect(await known(disk)).toEqual({ 1: "line" });
    expect(syncs()).toBe(before + 1);
    clock.advance(1000);
    await write(false);
    expect(syncs()).toBe(before + 2);
  });

  it("is cut at a megabyte, however many records come at once, and a longer one stands alone", async () => {
    const disk = createSimulatedDisk();
    const { add, write } = await open(disk);
    const long = { ...lineOf(1), text: "ü".repeat(800_000), isKept: true } as const;
    const kept = { ...lineOf(2), text: "x".repeat(250_000), isKept: true } as const;
    for (const record of [long, kept, kept, kept, kept, kept, long]) add(record);
    await write(true);
    const rows: number[][] = [];
    for await (const { records } of readJournal(disk, path)) {
      rows.push(records.flatMap((one) => ("rowOfRun" in one ? one.rowOfRun : [])));
    }
    expect(rows.slice(1)).toEqual([[1], [2, 2, 2, 2], [2], [1]]);
  });
});

describe("a process that is not the last one any more stops, and nothing more is sent:", () => {
  it.each<[string, string, (disk: SimulatedDisk, file: DiskFile) => Promise<unknown>]>([
    [
      "another has made its file",
      "taken_over",
      (disk) => claimJournal(disk, files, 0, instantly, false),
    ],
    ["its file was removed", "gone", (disk) => disk.remove(first)],
    [
      "its file was replaced",
      "taken_over",
      (disk) => disk.remove(first).then(() => disk.create(first)),
    ],
    [
      "its file is longer",
      "taken_over",
      async (_, file) => file.write(Buffer.from("x"), await file.size()),
    ],
    ["its file is shorter", "taken_over", async (_, file) => file.truncate(100)],
  ])("%s", async (_, standing, change) => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await someRows(journal, 2);
    await change(disk, await disk.open(first));
    expect(await journal.intend(3)).toBe(false);
    expect(await journal.intend(4)).toBe(false);
    expect(journal.failures).toEqual([[expect.any(Error), standing]]);
    expect(await journal.standing()).toBe(standing);
    expect(await journal.end({} as never)).toBe(false);
    const left = (await disk.read(first))?.length;
    await journal.close(true);
    // What is gone is written again, so that the run can be resumed.
    if (standing === "gone") expect(await known(disk)).toMatchObject({ 1: "line", 2: "line" });
    else expect(Math.abs(((await disk.read(first))?.length ?? 0) - (left ?? 0))).toBe(0);
  });

  it("what is gone is not written again where another has ended the part", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await someRows(journal, 2);
    await disk.remove(first);
    expect(await journal.standing()).toBe("gone");
    await journal.close(false);
    expect(await disk.read(first)).toBeUndefined();
  });

  it("it removes its own file only", async () => {
    const disk = createSimulatedDisk();
    const journal = await open(disk);
    await disk.remove(first);
    await disk.create(first);
    await journal.discard();
    expect(await disk.length(first)).toBe(0);
  });
});

const instantly = createFakeClock();

describe("the next process", () => {
  it("takes the next number, also where files before it are gone, and waits for two looks of the others", async () => {
    const disk = createSimulatedDisk();
    const clock = createFakeClock();
    expect(await claimJournal(disk, files, 6, clock, true)).toMatchObject({ number: 7 });
    expect(clock.delays).toEqual([]);
    expect(await claimJournal(disk, files, 0, clock, false)).toMatchObject({ number: 8 });
    expect(clock.delays).toEqual([2 * checkEveryMs]);
    const taken = { ...disk, namesBeside: async () => [] };
    await disk.create(first);
    await expect(claimJournal(taken, files, 0, clock, true)).rejects.toMatchObject({
      code: "locked",
    });
  });

  it("names the file that another program holds, with its number", async () => {
    const disk = createSimulatedDisk();
    for (const number of [2, 3]) await disk.create(journalFile(path, number));
    for (const [held, call] of [
      [3, "open"],
      [4, "create"],
    ] as const) {
      const busy = async (at: string) => {
        if (at === journalFile(path, held)) throw Object.assign(new Error(), { code: "EBUSY" });
        return disk[call](at);
      };
      const claimed = claimJournal({ ...disk, [call]: busy }, files, 0, instantly, false);
      const message = `${journalFile(path, held)} cannot be written: another program has it open.`;
      await expect(claimed).rejects.toMatchObject({ message });
      await disk.remove(journalFile(path, 4));
    }
  });
});

describe("a torn tail", () => {
  it("may end anywhere in what was not synced, with allocated space behind it", async () => {
    const disk = createSimulatedDisk();
    await someRows(await open(disk), 120);
    const bytes = await bytesOn(disk);
    const whole = await known(await diskWith(Buffer.concat([bytes, Buffer.alloc(4096)])));
    for (let cut = bytes.length - 4096; cut <= bytes.length; ) {
      const read = await known(await diskWith(bytes.subarray(0, cut)));
      // What is read was written, and never more than that.
      for (const [row, kind] of Object.entries(read)) {
        expect(["intent", whole[Number(row)]]).toContain(kind);
      }
      expect(Object.keys(read).length).toBeGreaterThan(20);
      cut += cut > bytes.length - 300 ? 3 : 97;
    }
  });

  it("further in it is damage, and its place is reported", async () => {
    const disk = createSimulatedDisk();
    await someRows(await open(disk), 120);
    const bytes = await bytesOn(disk);
    for (let at = 0; at < bytes.length - 4096; at += 61) {
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
    const torn = batchOf(intentOf(3));
    torn[3] = (torn[3] ?? 0) ^ 0x04;
    const [written, after] = [batchOf(beginOf(), intentOf(2)), batchOf(lineOf(2), intentOf(4))];
    const disk = await diskWith(Buffer.concat([written, torn, after]));
    expect(await known(disk)).toEqual({ 2: "intent" });
  });
});

describe("a disk that fails", () => {
  it("never tries a sync again that has failed, and takes no intent after it", async () => {
    const { disk, syncs } = syncing(3);
    const journal = await open(disk);
    expect(await journal.intend(1)).toBe(true);
    expect(await journal.intend(2)).toBe(false);
    expect(await journal.intend(3)).toBe(false);
    journal.settle(1);
    await journal.close(true);
    expect(syncs()).toBe(3);
    expect(journal.failures).toHaveLength(1);
    // What was in flight is on record all the same.
    expect(await known(disk)).toMatchObject({ 1: "line" });
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
    await journal.close(true);
    expect(taken.length).toBeGreaterThan(100);
    const rows = await known(disk.afterKill());
    expect(taken.filter((row) => rows[row] !== "line")).toEqual([]);
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
          await journal.close(true);
        } catch {
          // it could not begin
        }
        const rows = await known(disk.afterPowerCut(random));
        for (const row of taken) expect(rows[row]).toBeDefined();
        for (const [row, kind] of Object.entries(rows)) {
          if (kind === "line") expect(settled).toContain(Number(row));
        }
      }),
      { numRuns: 150 },
    );
  });
});
