import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sealed } from "../../../src/journal/log.ts";
import { isLive, type Known, knownOf } from "../../../src/run/state/known-keys.ts";
import type { StateLog } from "../../../src/run/state/state-log.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../../journal/simulated-disk.ts";
import { night, open, path } from "./night-under-test.ts";

const openKey: Known = {};
const known = (number: number): Known => {
  return { d: String(number).padStart(16, "0") };
};

function knownIn({ keys }: StateLog, key: string): Known {
  return knownOf(keys.entry(key));
}

/** How many keys the service has something of, or may have. */
function liveIn({ keys }: StateLog): number {
  let live = 0;
  keys.forEach((entry) => {
    live += Number(isLive(entry));
  });
  return live;
}

async function textOf(disk: SimulatedDisk): Promise<string> {
  return ((await disk.read(path)) ?? "").toString();
}

async function linesOf(disk: SimulatedDisk): Promise<string[]> {
  const lines = (await textOf(disk)).trimEnd().split("\n");
  return lines.filter((line) => !line.startsWith('{"sum"'));
}

/** A disk that holds this text as a state. */
async function holding(text: string): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  const file = await disk.create(path);
  await file.write(Buffer.from(text), 0);
  return disk;
}

/** A state of a night that is over, with so many keys. */
async function someState(keys: number): Promise<SimulatedDisk> {
  const disk = createSimulatedDisk();
  const log = await open(disk);
  await log.begin(night);
  for (let key = 1; key <= keys; key++) {
    log.put(`key ${key}`, known(key));
    if (key % 3 === 0) await log.write(true);
  }
  await log.end("2026-11-22T02:00:00.000Z");
  await log.close();
  return disk;
}

describe("a state", () => {
  it("says of each key what was said last", async () => {
    const disk = createSimulatedDisk();
    const first = await open(disk);
    expect([first.isFirst, first.lastNight]).toEqual([true, undefined]);
    await first.begin(night);
    first.put("ann", openKey);
    first.put("bob", openKey);
    await first.write(true);
    first.put("ann", known(1));
    first.put("ann", { d: "00000000000000ff" });
    first.put("joe", { gone: true });
    await first.write(true);
    const broken = await open(disk);
    expect([broken.isFirst, broken.lastNight]).toEqual([false, night]);
    expect(knownIn(broken, "ann")).toMatchObject({ d: "00000000000000ff" });
    expect(knownIn(broken, "bob")).toEqual(openKey);
    expect(liveIn(broken)).toBe(2);
    await first.end("2026-11-22T02:00:00.000Z");
    const over = await open(disk);
    expect(over.lastNight).toEqual({ ...night, end: "2026-11-22T02:00:00.000Z" });
    expect(await linesOf(disk)).toEqual([
      '{"eventload_state":1,"base_url":"https://example.com","ordering_key":["Email"],"shard":null}',
      JSON.stringify(night),
      '{"k":["ann"]}',
      '{"k":["bob"]}',
      '{"k":["ann"],"d":"0000000000000001"}',
      '{"k":["ann"],"d":"00000000000000ff"}',
      '{"k":["joe"],"gone":true}',
      '{"end":"2026-11-22T02:00:00.000Z"}',
    ]);
  });

  it("keeps any text as a key, also of several cells", async () => {
    const cell = fc.string({ unit: "binary" });
    const property = fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 3 }), async (k) => {
      const disk = createSimulatedDisk();
      const key = k.length === 1 ? (k[0] ?? "") : JSON.stringify(k);
      const own = { ordering_key: k.map((_, at) => `Column ${at}`) };
      const log = await open(disk, own);
      await log.begin(night);
      log.put(key, known(1));
      await log.write(true);
      const read = await open(disk, own);
      expect([knownIn(read, key), read.keys.size]).toEqual([known(1), 1]);
      for await (const text of read.keyTexts()) expect(text).toBe(key);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it("is rewritten when more than half of its lines are stale", async () => {
    const disk = createSimulatedDisk();
    const first = await open(disk);
    await first.begin(night);
    for (const key of ["ann", "bob", "eve", "joe"]) first.put(key, openKey);
    for (const key of ["ann", "bob", "joe"]) first.put(key, known(1));
    first.put("joe", { gone: true });
    await first.write(true);
    const second = await open(disk);
    await second.begin({ ...night, run: "2026-11-23T01:00:00.000Z" });
    for (let time = 0; time < 20; time++) second.put("bob", known(time));
    await second.end("2026-11-23T02:00:00.000Z");
    const third = await open(disk);
    await third.begin({ ...night, run: "2026-11-24T01:00:00.000Z" });
    expect(await linesOf(disk)).toEqual([
      expect.stringContaining("eventload_state"),
      expect.stringContaining('{"run":"2026-11-23'),
      '{"end":"2026-11-23T02:00:00.000Z"}',
      '{"k":["ann"],"d":"0000000000000001"}',
      '{"k":["bob"],"d":"0000000000000019"}',
      '{"k":["eve"]}',
      expect.stringContaining('{"run":"2026-11-24'),
    ]);
    third.put("ann", known(2));
    await third.write(true);
    const read = await open(disk);
    expect(knownIn(read, "eve")).toEqual(openKey);
    expect(knownIn(read, "ann")).toEqual(known(2));
    expect(liveIn(read)).toBe(3);
  });

  it("ends with its last whole batch, before what was torn", async () => {
    const torn = '{"k":["bob"]}\n{"k":["bob"],"d":"0123';
    const disk = await someState(30);
    const whole = await textOf(disk);
    const next = await holding(whole + torn);
    const log = await open(next);
    expect(liveIn(log)).toBe(30);
    expect(await textOf(next)).toBe(whole + torn);
    await log.begin(night);
    expect(await linesOf(next)).toEqual([...(await linesOf(disk)), JSON.stringify(night)]);
  });

  it.each([1, 2, 3])(
    "of a killed run is whole if the power is cut at sync %d later",
    async (at) => {
      let syncs = Number.NEGATIVE_INFINITY;
      const disk = createSimulatedDisk((_, name) =>
        name === "datasync" && ++syncs >= at ? "crash" : undefined,
      );
      const killed = await open(disk);
      await killed.begin(night);
      for (let key = 1; key <= 30; key++) killed.put(`key ${key}`, known(key));
      await killed.write(true);
      syncs = 0;
      const log = await open(disk);
      const begun = await log.begin(night).then(
        () => true,
        () => false,
      );
      expect(begun).toBe(at > 2);
      for (let seed = 0; seed < 50; seed++) {
        const read = await open(disk.afterPowerCut(mulberry32(seed)));
        if (at > 1) expect(liveIn(read)).toBe(30);
      }
    },
  );

  it("keeps its name through a power cut, though the run that made it ended before it was synced", async () => {
    let isEnding = true;
    const disk = createSimulatedDisk((_, name) =>
      isEnding && name === "syncFolder" ? "EIO" : undefined,
    );
    await expect((await open(disk)).begin(night)).rejects.toThrow();
    isEnding = false;
    await (await open(disk)).begin(night);
    for (let seed = 0; seed < 50; seed++) {
      expect(await textOf(disk.afterPowerCut(mulberry32(seed)))).toContain("eventload_state");
    }
  });

  it("begins no night where it cannot be rewritten, and stays as it was", async () => {
    const isNow = { value: false };
    const disk = createSimulatedDisk((_, name) =>
      isNow.value && name === "rename" ? "EIO" : undefined,
    );
    const log = await open(disk);
    await log.begin(night);
    for (let time = 0; time < 20; time++) log.put("ann", known(time));
    await log.end("2026-11-22T02:00:00.000Z");
    const next = await open(disk);
    isNow.value = true;
    await expect(next.begin(night)).rejects.toThrow("cannot be written: EIO");
    expect(knownIn(await open(disk), "ann")).toEqual(known(19));
  });

  it("does not begin a night in a file that its rewriting has replaced", async () => {
    let syncs = Number.POSITIVE_INFINITY;
    const disk = createSimulatedDisk((_, name) =>
      name === "syncFolder" && syncs-- === 0 ? "EIO" : undefined,
    );
    const log = await open(disk);
    await log.begin(night);
    for (let time = 0; time < 20; time++) log.put("ann", known(time));
    await log.end("2026-11-22T02:00:00.000Z");
    syncs = 1;
    await expect((await open(disk)).begin(night)).rejects.toThrow("cannot be written: EIO");
    await (await open(disk)).begin(night);
  });

  it("that something else has changed stops the run", async () => {
    const disk = createSimulatedDisk();
    const log = await open(disk);
    await log.begin(night);
    const other = await open(disk);
    log.put("ann", openKey);
    await log.write(true);
    await expect(other.begin(night)).rejects.toThrow("has changed it since it was read");
    const third = await open(disk);
    await third.begin(night);
    log.put("ann", known(1));
    const stopped = { name: "ChangedFileError", message: expect.stringContaining("was changed") };
    await expect(log.write(true)).rejects.toMatchObject(stopped);
    await expect(log.end("")).rejects.toMatchObject(stopped);
    expect(knownIn(await open(disk), "ann")).toEqual(openKey);
  });

  it("that cannot be written is an error at each later write", async () => {
    const isNow = { value: false };
    const disk = createSimulatedDisk((_, name) =>
      isNow.value && name === "datasync" ? "EIO" : undefined,
    );
    const log = await open(disk);
    await log.begin(night);
    isNow.value = true;
    log.put("ann", openKey);
    await expect(log.write(true)).rejects.toMatchObject({ name: "DiskError" });
    isNow.value = false;
    await expect(log.write(true)).rejects.toThrow(`${path} cannot be written: EIO`);
  });
});

describe("a state is refused", () => {
  it.each([
    ["it is not a state", ""],
    ["it is not a state", "Email,Name\nann@example.com,Ann\n"],
    ["it is not a state", header()],
    ["it is not a state", sealed('{"kind":"run","run":{}}\n', 0)],
    ["another version of eventload wrote it", sealed('{"eventload_state":2}\n', 0)],
  ])("%s: %j", async (why, text) => {
    const refused = open(await holding(text));
    await expect(refused).rejects.toMatchObject({ code: "state_unreadable" });
    await expect(refused).rejects.toThrow(`The state ${path} cannot be read: ${why}`);
  });

  it.each([
    [{ base_url: "https://other.example" }, 'service ("https://example.com", not "https:'],
    [{ ordering_key: ["Id"] }, 'ordering key (["Email"], not ["Id"])'],
    [{ shard: "1/2" }, 'shard (none, not "1/2")'],
  ])("%j", async (other, words) => {
    const refused = open(await someState(3), other);
    await expect(refused).rejects.toThrow(`The state ${path} belongs to another ${words}`);
  });

  it("not if only the order of the key's members differs", async () => {
    const disk = createSimulatedDisk();
    const log = await open(disk, { ordering_key: [{ column: "Email", transform: ["trim"] }] });
    await log.begin(night);
    await open(disk, { ordering_key: [{ transform: ["trim"], column: "Email" }] });
  });

  it("if any byte is changed that had reached the disk", async () => {
    const disk = await someState(20);
    const log = await open(disk);
    await log.begin({ ...night, run: "2026-11-23T01:00:00.000Z" });
    await log.close();
    const whole = Buffer.from(await textOf(disk));
    // What was written last may be a torn end.
    const places = fc.integer({ min: header().length, max: whole.lastIndexOf('{"run"') - 1 });
    const property = fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ by;
      const refused = open(await holding(changed.toString("latin1")));
      await expect(refused).rejects.toMatchObject({ code: "state_unreadable" });
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

function header(): string {
  return '{"eventload_state":1,"base_url":"https://example.com","ordering_key":["Email"],"shard":null}\n';
}

it("after a power cut, the state claims nothing that was not written, and each key that was open is", async () => {
  const keys = ["ann@example.com", "bob@example.com", "eve@example.com"];
  const step = fc.record({
    key: fc.constantFrom(...keys),
    isOpen: fc.boolean(),
    write: fc.boolean(),
  });
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
    fc.nat(),
    fc.integer({ min: 1, max: 60 }),
    async (nights, seed, crashAt) => {
      const disk = createSimulatedDisk((call) => (call >= crashAt ? "crash" : undefined));
      /** All that was put of a key, and since which of it an event of it may have left. */
      const put = new Map<string, Known[]>(keys.map((key) => [key, [{ gone: true }]]));
      const sure = new Map<string, number>();
      try {
        for (const steps of nights) {
          const log = await open(disk);
          await log.begin(night);
          const batch = new Map<string, number>();
          for (const [at, { key, isOpen, write }] of steps.entries()) {
            const next = isOpen ? openKey : known(at);
            log.put(key, next);
            const count = put.get(key)?.push(next) ?? 0;
            if (isOpen) batch.set(key, count - 1);
            if (!write) continue;
            await log.write(true);
            for (const [key, openAt] of batch) sure.set(key, openAt);
          }
          await log.close();
        }
      } catch (error) {
        expect((error as Error).name).toMatch(/CannotStartError|DiskError/);
      }
      const read = await open(disk.afterPowerCut(mulberry32(seed)));
      for (const [key, all] of put) {
        expect(all.slice(sure.get(key) ?? 0)).toContainEqual(knownIn(read, key));
      }
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
