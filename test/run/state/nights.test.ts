import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { statusOfComplete } from "../../../src/cli/run-command.ts";
import { CannotStartError } from "../../../src/model/errors.ts";
import type { ImportNotice, RunSummary } from "../../../src/model/run-events.ts";
import { runFiles } from "../../../src/model/run-files.ts";
import { runNextPart } from "../../../src/run/account/next-part.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { connectTo, type Post } from "../../delivery/simulated-wire.ts";
import { createFakeClock, deadlineMs } from "../../fake-clock.ts";
import {
  createSimulatedDisk,
  type Fault,
  type SimulatedDisk,
} from "../../journal/simulated-disk.ts";
import { runs } from "../../runs.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { put } from "../account/account-on-disk.ts";

const keys = ["ann", "bob", "eve", "joe", "kim"] as const;

/** Two mappings, by which the events of one of two rows differ. */
type Second = "2" | "3";
const numberBy = (second: Second) => `{ column: Number, map: { "1": "1", "2": "${second}" } }`;

const mapping = (makesGone: boolean, second: Second) => `version: 1
ordering_key: [Person]
when: { column: Kind, not_in: [skipped] }
events:
  - resource: users
    event: noted
    members: { person: Person, number: ${numberBy(second)} }
  - resource: contacts
    event: noted
    when: { column: Kind, in: [both] }
    members: { person: Person, number: ${numberBy(second)} }
${makesGone ? "gone: { resource: users, event: gone, members: { person: Person } }" : ""}
`;

interface TestRow {
  readonly key: string;
  readonly number: string;
  readonly kind: string;
}

const rowOf = fc.record({
  key: fc.constantFrom<string[]>(...keys),
  number: fc.constantFrom("1", "2"),
  kind: fc.constantFrom("one", "one", "both"),
});
const anExport = fc.record({
  rows: fc.array(
    fc.constantFrom("sound", "sound", "sound", "sound", "absent", "skipped", "invalid", "blank"),
    { minLength: 8, maxLength: 8 },
  ),
  hasOtherNumbers: fc.boolean(),
});
const night = fc.record({
  /** Which export it is: each may come back. */
  at: fc.nat({ max: 2 }),
  seed: fc.integer(),
  failing: fc.constantFrom(0, 0, 0.2, 0.6),
  fault: fc.option(
    fc.record({
      at: fc.integer({ min: 1, max: 90 }),
      kind: fc.constantFrom<Fault[]>("crash", "EIO", "ENOSPC", "short", "full"),
    }),
    { nil: undefined },
  ),
  after: fc.constantFrom("kill", "power cut"),
  isRetried: fc.boolean(),
  /** At which call of the disk the retry is killed. */
  retryUntil: fc.option(fc.integer({ min: 20, max: 80 }), { nil: undefined, freq: 1 }),
  second: fc.constantFrom<Second[]>("2", "2", "3"),
  /** What goes before the night: the state, the journal beside it, or a part of its last line is left. */
  isLost: fc.constantFrom(false, false, false, true),
  journal: fc.constantFrom("kept", "kept", "kept", "removed", "damaged"),
  torn: fc.constantFrom("", "", '{"run":"2026-', '{"run":1}\n'),
});

/** Nights that are killed, one after another, while the export and the mapping change and change back. */
const soundExport = fc.record({
  rows: fc.constant(Array<string>(8).fill("sound")),
  hasOtherNumbers: fc.boolean(),
});
const killedNight: typeof night = fc.record({
  ...{ at: fc.nat({ max: 2 }), seed: fc.integer(), failing: fc.constant<0>(0) },
  fault: fc.option(
    fc.record({ at: fc.integer({ min: 15, max: 60 }), kind: fc.constant<Fault>("crash") }),
    { nil: undefined },
  ),
  ...{ after: fc.constant<"kill">("kill"), isRetried: fc.constant(false) },
  ...{ second: fc.constantFrom<Second[]>("2", "3"), isLost: fc.constantFrom(false, false, true) },
  ...{
    journal: fc.constant("kept"),
    torn: fc.constant(""),
    retryUntil: fc.constant(undefined),
  },
});

/** The events of a key as the service has to have them. */
function wantedOf(rows: readonly TestRow[], key: string, second: Second = "2"): string[] {
  return rows.flatMap((row) => {
    if (row.key !== key || row.kind === "skipped") return [];
    const number = row.number === "2" ? second : row.number;
    return row.kind === "both" ? [`users ${number}`, `contacts ${number}`] : [`users ${number}`];
  });
}

/** @param dropsKnown whether the service does nothing about an event whose id it has seen */
async function place(makesGone: boolean, dropsKnown = false) {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  const map = (makesGone: boolean, second: Second = "2") =>
    writeFile(path("people.yaml"), mapping(makesGone, second));
  await map(makesGone);
  /** All that took effect, by key. */
  const service = new Map<string, string[]>();
  const lastId = new Map<string, string>();
  const ids = new Set<string>();
  let requests: { key: string; isTaken: boolean; id: string }[] = [];
  const post =
    (random: () => number, takes: () => boolean): Post =>
    async ({ path: address, headers, body }) => {
      const { person, number, event } = JSON.parse(String(body));
      const { id = "" } = headers;
      const isTaken = takes();
      requests.push({ key: person, isTaken, id });
      const resource = address.includes("users") ? "users" : "contacts";
      for (let turns = Math.floor(random() * 4); turns > 0; turns--) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (isTaken || random() < 0.4) {
        const value = event === "gone" ? "gone" : `${resource} ${number}`;
        // An event that was perhaps sent arrives once more, right after itself.
        if (lastId.get(person) !== id && !(dropsKnown && ids.has(id))) {
          service.set(person, [...(service.get(person) ?? []), value]);
        }
        lastId.set(person, id);
        ids.add(id);
        if (isTaken) return { kind: "answered", httpStatus: 202, body: "" };
        return { kind: "unanswered", code: "ECONNRESET", message: "reset" };
      }
      return random() < 0.5
        ? { kind: "answered", httpStatus: 422, body: "" }
        : { kind: "unanswered", code: "ECONNRESET", message: "reset" };
    };
  let nights = 0;
  const common = (disk: SimulatedDisk, random: () => number, takes: () => boolean) => {
    const options = {
      mapping: path("people.yaml"),
      baseUrl: "https://example.com",
      token: "any",
      idempotencyHeader: "id",
      concurrency: 3,
      maxAttempts: 2,
      maxOutageMs: 0,
      timeoutMs: deadlineMs,
      clock: createFakeClock({ random, date: `2026-03-${10 + nights}T01:00:00.000Z` }),
    };
    const ports = {
      disk,
      acquireLock: async () => ({ release: async () => {} }),
      connect: connectTo(post(random, takes)),
    };
    return { options, ports };
  };
  const orError = (error: unknown): CannotStartError => {
    if (error instanceof CannotStartError) return error;
    throw error;
  };
  const results = () => path(`people.${nights}.results.csv`);
  return {
    service,
    results,
    map,
    state: path("people.state.jsonl"),
    input: path("people.csv"),
    async live(
      disk: SimulatedDisk,
      rows: readonly TestRow[],
      random: () => number,
      takes = () => true,
      maxGone: `${number}%` = "100%",
      onNotice: (notice: ImportNotice) => void = () => {},
    ): Promise<{ ended: RunSummary | CannotStartError; sent: typeof requests }> {
      nights++;
      requests = [];
      const lines = rows.map(({ key, number, kind }) => `${key},${number},${kind}`);
      await writeFile(path("people.csv"), `${["Person,Number,Kind", ...lines].join("\n")}\n`);
      const { options, ports } = common(disk, random, takes);
      const night = { state: path("people.state.jsonl"), maxGone, onNotice };
      const ended = await runNextPart(
        { ...options, ...night, input: path("people.csv"), results: results() },
        "import",
        ports,
      ).catch(orError);
      return { ended, sent: requests };
    },
    async retry(disk: SimulatedDisk, random: () => number) {
      requests = [];
      const { options, ports } = common(disk, random, () => random() >= 0.2);
      const ended = await runNextPart(
        { ...options, input: results(), results: results(), given: results() },
        "retry",
        ports,
      ).catch(orError);
      return { ended, sent: requests };
    },
  };
}

async function append(disk: SimulatedDisk, path: string, text: string): Promise<void> {
  const file = await disk.open(path).catch(() => undefined);
  await file?.write(Buffer.from(text), await file.size());
  await file?.close();
}

async function damage(disk: SimulatedDisk, path: string): Promise<void> {
  const file = await disk.open(path);
  await file.write(Buffer.from("?"), 40);
  await file.close();
}

/** What the service has of a key is what its last events made of it. */
function expectContent(service: Map<string, string[]>, key: string, wanted: readonly string[]) {
  const has = service.get(key) ?? [];
  expect([key, has.slice(has.length - wanted.length)]).toEqual([key, wanted]);
}

test.each([
  ["any nights", 40, 2, anExport, night],
  ["killed nights", 60, 0, soundExport, killedNight],
])(
  "whatever becomes of %s, one that ends with 0 has brought the service to what its input says",
  async (_, numRuns, leastRetried, anExport, night) => {
    let [broken, retried] = [0, 0];
    const property = fc.asyncProperty(
      fc.array(rowOf, { minLength: 3, maxLength: 8 }),
      fc.array(anExport, { minLength: 3, maxLength: 3 }),
      fc.array(night, { minLength: 1, maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      fc.record({ makesGone: fc.boolean(), dropsKnown: fc.boolean() }),
      async (rows, exports, nights, isInLast, { makesGone, dropsKnown }) => {
        const { service, live, retry, map, state } = await place(makesGone, dropsKnown);
        let isLost = false;
        let faultAt: (call: number) => Fault | undefined = () => undefined;
        const faults = (call: number) => faultAt(call);
        let disk = createSimulatedDisk(faults);
        /** What was settled of a key in a night that was completed, and not touched since. */
        const settled = new Map<string, string>();
        for (const { seed, failing, fault, after, at, isRetried, ...tonight } of nights) {
          const random = mulberry32(seed);
          const { rows: states = [], hasOtherNumbers } = exports[at] ?? {};
          await map(makesGone, tonight.second);
          if (tonight.isLost) {
            isLost = true;
            await disk.remove(state).catch(() => {});
            settled.clear();
          }
          const journals = (await disk.namesBeside(state)).filter((one) =>
            one.includes(".jsonl.j"),
          );
          if (tonight.journal !== "kept" && journals.length > 0) {
            for (const name of journals) {
              const path = join(dirname(state), name);
              if (tonight.journal === "removed") await disk.remove(path);
              else await damage(disk, path);
            }
            settled.clear();
          }
          if (tonight.torn !== "") await append(disk, state, tonight.torn);
          const before = disk.calls();
          faultAt = (call) => {
            const isNow =
              fault?.kind === "crash" ? call >= before + fault.at : call - before === fault?.at;
            return isNow ? fault?.kind : undefined;
          };
          const exported = rows.flatMap((one, at): TestRow[] => {
            const row = hasOtherNumbers ? { ...one, number: one.number === "1" ? "2" : "1" } : one;
            switch (states[at]) {
              case "absent":
                return [];
              case "skipped":
                return [{ ...row, kind: "skipped" }];
              case "invalid":
                return [{ ...row, number: "?" }];
              case "blank":
                return [{ ...row, key: "" }];
              default:
                return [row];
            }
          });
          const { ended, sent } = await live(disk, exported, random, () => random() >= failing);
          const isComplete =
            !(ended instanceof CannotStartError) && ended.exitReason === "complete";
          if (!isComplete) broken++;
          for (const key of keys) {
            const wanted = JSON.stringify(wantedOf(exported, key, tonight.second));
            const ofKey = sent.filter((one) => one.key === key);
            const isInvalid = exported.some((one) => one.key === key && one.number === "?");
            if (ofKey.length > 0) {
              if (settled.has(key)) expect(settled.get(key)).not.toBe(wanted);
              if (isInvalid) throw new Error(`${key} has an invalid row, and was sent`);
              settled.delete(key);
            }
            // It may be noted as open, though nothing of it has left.
            if (!isComplete && settled.get(key) !== wanted) settled.delete(key);
            const isSound = ofKey.length > 0 && ofKey.every(({ isTaken }) => isTaken);
            if (isComplete && isSound && wanted !== "[]") settled.set(key, wanted);
            if (isComplete && statusOfComplete(ended) === 0) {
              expectContent(service, key, wantedOf(exported, key, tonight.second));
            }
          }
          faultAt = () => undefined;
          if (after === "power cut") disk = disk.afterPowerCut(random, faults);
          else if (fault?.kind === "crash" || fault?.kind === "full") disk = disk.afterKill(faults);
          if (isRetried && isComplete) {
            const from = disk.calls();
            const { retryUntil = Number.POSITIVE_INFINITY } = tonight;
            faultAt = (call) => (call >= from + retryUntil ? "crash" : undefined);
            const { sent: again } = await retry(disk, random);
            if (again.length > 0) retried++;
            for (const { key } of again) settled.delete(key);
            faultAt = () => undefined;
            if (disk.calls() >= from + retryUntil) disk = disk.afterKill(faults);
          }
        }
        const last = rows.filter((_, at) => isInLast[at] ?? true);
        await map(makesGone);
        const { ended } = await live(disk, last, mulberry32(1));
        expect(ended).toMatchObject({ exitReason: "complete" });
        for (const key of keys) {
          const wanted = wantedOf(last, key);
          const has = service.get(key) ?? [];
          if (wanted.length > 0) expectContent(service, key, wanted);
          else if (makesGone && !isLost && has.length > 0)
            expect([key, has.at(-1)]).toEqual([key, "gone"]);
        }
        const again = await live(disk.afterPowerCut(mulberry32(2)), last, mulberry32(3));
        expect(again.ended).toMatchObject({ exitReason: "complete", rows: 0 });
        expect(again.sent).toEqual([]);
      },
    );
    // A night waits for the disk most of its time.
    const { seed = Date.now() } = fc.readConfigureGlobal() ?? {};
    const atOnce = [0, 1, 2, 3].map((at) =>
      fc.assert(property, { numRuns: numRuns / 4, seed: seed + at }),
    );
    await Promise.all(atOnce);
    expect(broken).toBeGreaterThan(runs(numRuns) / 6);
    expect(retried).toBeGreaterThanOrEqual(leastRetried);
  },
);

test.each([
  // Whether the first night breaks, the exports of that and of later ones, and the mapping of the last.
  ["repeats a broken one", true, ["1", "1"], "2", true],
  ["repeats one that broke as that did", true, ["1", "1", "1"], "2", true],
  ["repeats a whole one whose row failed", false, ["1", "1"], "2", false],
  ["comes behind one of another export", true, ["1", "2", "1"], "2", false],
  ["has another mapping than the broken one", true, ["1", "1"], "3", false],
] as const)(
  "only a night that repeats the last one after that broke has its ids: one that %s",
  async (_, isBroken, exports, second, isTakenOver) => {
    const { live, map } = await place(false, true);
    let disk = createSimulatedDisk();
    let sent: { id: string }[] = [];
    const ids: string[] = [];
    for (const [at, number] of exports.entries()) {
      if (at === exports.length - 1) await map(false, second);
      const row = { key: "ann", number, kind: "one" };
      // Without an answer, an outage stops the night; a refusal does not.
      ({ sent } = await live(disk, [row], () => (isBroken ? 0.6 : 0.45), noneTaken));
      ids.push(sent[0]?.id ?? "");
      disk = disk.afterKill();
    }
    expect(ids).not.toContain("");
    expect(ids.at(-1) === ids[0]).toBe(isTakenOver);
  },
);

test("what succeeded does not count as all that the service has, where more may have arrived", async () => {
  const { live } = await place(false);
  const disk = createSimulatedDisk();
  const [one, two] = ["1", "2"].map((number) => ({ key: "ann", number, kind: "one" }));
  let requests = 0;
  await live(
    disk,
    [one!, two!],
    () => 0.1,
    () => ++requests === 1,
  );
  const { sent } = await live(disk, [one!], () => 0.1);
  expect(sent).toMatchObject([{ key: "ann", isTaken: true }]);
});

test("what may have arrived and was never answered is not what the service had before", async () => {
  const { live } = await place(false);
  const disk = createSimulatedDisk();
  const [one, two] = ["1", "2"].map((number) => ({ key: "ann", number, kind: "one" }));
  await live(disk, [one!], () => 0.1);
  await live(
    disk,
    [two!],
    () => 0.1,
    () => false,
  );
  const { sent } = await live(disk, [one!], () => 0.1);
  expect(sent).toMatchObject([{ key: "ann", isTaken: true }]);
});

test("an export that is too short sends nothing", async () => {
  const everyKey = fc.record({
    before: fc.integer({ min: 20, max: 40 }),
    left: fc.double({ min: 0, max: 1, noNaN: true }),
    most: fc.integer({ min: 0, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(everyKey, async ({ before, left, most }) => {
      const { live } = await place(true);
      const disk = createSimulatedDisk();
      const all = Array.from({ length: before }, (_, at) => ({
        ...{ key: `k${at}`, number: "1", kind: "one" },
      }));
      await live(disk, all, () => 0.5);
      const gone = Math.floor(left * before);
      const short = await live(disk, all.slice(gone), () => 0.5, undefined, `${most}%`);
      const isRefused = short.ended instanceof CannotStartError;
      // Of a few, two may always go.
      expect(isRefused).toBe(gone / before > most / 100 && gone > (most === 0 ? 0 : 2));
      if (isRefused) expect(short.ended).toMatchObject({ code: "state_too_many_gone" });
      expect(short.sent).toHaveLength(isRefused ? 0 : gone);
    }),
    { numRuns: 15 },
  );
});

const noneTaken = () => false;
const anyKey = { key: "", number: "1", kind: "one" };
test.each([
  // What the night before lacked, whether it says so, whether that is taken; and what comes of it.
  ["has no event for them", 4, false, undefined, true],
  ["had its events refused", 4, true, noneTaken, true],
  ["had the other half", 20, false, undefined, false],
] as const)(
  "keys that an earlier export lacked count once: it %s",
  async (_, lacked, makesGone, takes, isSent) => {
    const { live } = await place(makesGone);
    const disk = createSimulatedDisk();
    const all = Array.from({ length: 40 }, (_, at) => ({
      key: `k${at}`,
      number: "1",
      kind: "one",
    }));
    const halves = [all.slice(20), all.slice(0, 20)] as const;
    const random = () => 0.45; // a refusal, where it is not taken
    await live(disk, all, random);
    await live(disk, isSent ? all.slice(lacked) : halves[0], random, takes);
    const next = isSent ? all.slice(lacked + 3) : halves[1];
    // Twice: what the second of them knows was read from the log.
    for (let night = 3; night < 5; night++) {
      const { ended } = await live(disk, next, random, takes, "10%");
      if (isSent) expect(ended).toMatchObject({ exitReason: "complete" });
      else expect(ended).toMatchObject({ code: "state_too_many_gone" });
    }
  },
);

test.each([
  ["there was no gone: in the mapping", false, []],
  ["a row had no key that can be read", true, [anyKey]],
])(
  "keys whose gone events could not be sent count when they can: %s",
  async (_, makesGone, more) => {
    const { live, map } = await place(makesGone);
    const disk = createSimulatedDisk();
    const all = Array.from({ length: 40 }, (_, at) => ({ ...anyKey, key: `k${at}` }));
    await live(disk, all, () => 0.5);
    for (const lacked of [4, 7]) {
      const { ended } = await live(
        disk,
        [...all.slice(lacked), ...more],
        () => 0.5,
        undefined,
        "10%",
      );
      expect(ended).toMatchObject({ exitReason: "complete" });
    }
    await map(true);
    for (const mostGone of ["10%", "20%"] as const) {
      const { ended, sent } = await live(disk, all.slice(7), () => 0.5, undefined, mostGone);
      if (mostGone === "10%") expect(ended).toMatchObject({ code: "state_too_many_gone" });
      expect(sent).toHaveLength(mostGone === "10%" ? 0 : 7);
    }
  },
);

test("a night that was killed at its end, and whose failed rows were edited since, holds up no other", async () => {
  const row = { key: "ann", number: "1", kind: "one" };
  const random = () => 0.45; // a refusal
  let calls = Number.POSITIVE_INFINITY;
  let refused = 0;
  for (let at = 0; at < Math.min(calls, 24); at++) {
    const { live, results } = await place(false);
    const crashed = createSimulatedDisk((call) => (call > calls - at ? "crash" : undefined));
    await live(crashed, [row], random, noneTaken);
    if (calls > 1e9) calls = crashed.calls();
    const { failed, newFailed } = runFiles(results());
    const disk = crashed.afterKill();
    if ((await disk.length(newFailed)) !== undefined) refused++;
    await put(disk, failed, "edited");
    const { ended } = await live(disk, [row], random);
    expect(ended, `${at} calls before the end`).toMatchObject({ exitReason: "complete" });
  }
  expect(refused).toBeGreaterThan(0);
});

test("a night that was killed at its end completes no account whose manifest names another state", async () => {
  const row = { key: "ann", number: "1", kind: "one" };
  let calls = Number.POSITIVE_INFINITY;
  let recorded = 0;
  for (let at = 0; at < Math.min(calls, 24); at++) {
    const { live, results } = await place(false);
    const crashed = createSimulatedDisk((call) => (call > calls - at ? "crash" : undefined));
    await live(crashed, [row], () => 0.45, noneTaken);
    if (calls > 1e9) calls = crashed.calls();
    const { manifest, newFailed } = runFiles(results());
    const disk = crashed.afterKill();
    if ((await disk.length(newFailed)) === undefined) continue;
    recorded++;
    const known = JSON.parse(((await disk.read(manifest)) ?? "").toString());
    const other = JSON.stringify({ ...known, state: "/elsewhere.state.jsonl" });
    await put(disk, manifest, other);
    const { ended } = await live(disk, [row], () => 0.45);
    expect(ended, `${at} calls before the end`).toMatchObject({ exitReason: "complete" });
    expect((await disk.read(manifest))?.toString()).toBe(other);
  }
  expect(recorded).toBeGreaterThan(0);
});

test("an error of the disk while a broken night is completed costs none of its results", async () => {
  const rows = keys.map((key) => ({ key, number: "1", kind: "one" }));
  let refused = 0;
  for (let at = 1; at < 60; at++) {
    const { live, results } = await place(false);
    let [requests, until] = [0, Number.POSITIVE_INFINITY];
    const crashed = createSimulatedDisk((call) => (call > until ? "crash" : undefined));
    const takes = () => {
      if (++requests === 2) until = crashed.calls();
      return true;
    };
    await live(crashed, rows, () => 0.5, takes);
    const broken = runFiles(results());
    const disk = crashed.afterKill((call) => (call === at ? "EIO" : undefined));
    const { ended, sent } = await live(disk, rows, () => 0.5);
    if (ended instanceof CannotStartError) {
      refused++;
      expect(sent).toEqual([]);
      expect((await live(disk, rows, () => 0.5)).ended).toMatchObject({ exitReason: "complete" });
    }
    const manifest = JSON.parse(((await disk.read(broken.manifest)) ?? "").toString());
    const bytes = await disk.length(broken.results);
    const closed = { exit_reason: "closed", results_file: { bytes } };
    expect(manifest, `call ${at}`).toMatchObject(closed);
  }
  expect(refused).toBeGreaterThan(10);
});

test.each([
  ["is compared sends nothing", "night", { code: "input_changing" }],
  ["is sent sends nothing for gone keys", "post", { exitReason: "input_changed" }],
] as const)("a night whose input changes while it %s", async (_, when, expected) => {
  const { live, service, input } = await place(true);
  const disk = createSimulatedDisk();
  const [ann, bob, kim] = ["ann", "bob", "kim"].map((key) => ({ ...anyKey, key }));
  await live(disk, [ann!, bob!, kim!], () => 0.5);
  const replace = () => writeFileSync(input, "Person,Number,Kind\nann,2,one\nbob,1,one\n");
  const onNotice = ({ kind }: ImportNotice) => kind === when && replace();
  const random = () => {
    if (when === "post") replace();
    return 0.5;
  };
  const changed = [{ ...ann!, number: "2" }, kim!];
  const { ended } = await live(disk, changed, random, undefined, "100%", onNotice);
  expect(ended).toMatchObject(expected);
  const last = ["ann", "bob"].map((key) => service.get(key)?.at(-1));
  expect(last).toEqual([when === "post" ? "users 2" : "users 1", "users 1"]);
});

test("a night that was killed before anything left is as if it had not been", async () => {
  const [ann, bob] = ["ann", "bob"].map((key) => ({ key, number: "1", kind: "one" }));
  const changed = [{ ...ann!, number: "2" }, bob!];
  for (let at = 1, hasLeft = false; !hasLeft; at++) {
    const { live } = await place(false);
    let until = Number.POSITIVE_INFINITY;
    const disk = createSimulatedDisk((call) => (call > until ? "crash" : undefined));
    await live(disk, [ann!, bob!], () => 0.5);
    until = disk.calls() + at;
    hasLeft = (await live(disk, changed, () => 0.5)).sent.length > 0;
    const { ended, sent } = await live(disk.afterKill(), changed, () => 0.5);
    expect(ended, `at call ${at}`).toMatchObject({ exitReason: "complete" });
    if (!hasLeft) expect([at, sent.map(({ key }) => key)]).toEqual([at, ["ann"]]);
  }
});

test("a key whose event was in flight when its night was killed is sent again, though its row is as before", async () => {
  const [ann, bob] = ["ann", "bob"].map((key) => ({ key, number: "1", kind: "one" }));
  const changed = [{ ...ann!, number: "2" }, bob!];
  for (let at = 1, isOver = false; !isOver; at++) {
    const { live, service } = await place(false);
    let until = Number.POSITIVE_INFINITY;
    const disk = createSimulatedDisk((call) => (call > until ? "crash" : undefined));
    await live(disk, [ann!, bob!], () => 0.5);
    until = disk.calls() + at;
    const { ended } = await live(disk, changed, () => 0.5);
    isOver = "exitReason" in ended && ended.exitReason === "complete";
    await live(disk.afterKill(), [ann!, bob!], () => 0.5);
    expect([at, service.get("ann")?.at(-1)]).toEqual([at, "users 1"]);
  }
});
