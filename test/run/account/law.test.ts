import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { journalNumbers } from "../../../src/journal/read-journal.ts";
import { CannotStartError } from "../../../src/model/errors.ts";
import { completeLeft } from "../../../src/run/account/hold-account.ts";
import { type PartOptions, runNextPart } from "../../../src/run/account/next-part.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { mulberry32 } from "../../../src/sandbox/faults.ts";
import { connectTo, type Post } from "../../delivery/simulated-wire.ts";
import { createFakeClock, deadlineMs } from "../../fake-clock.ts";
import {
  createSimulatedDisk,
  type Fault,
  type SimulatedDisk,
} from "../../journal/simulated-disk.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Two events a row, of which each reads a cell of its own; with `block`, nothing arrives before what it follows. */
const mapping = `version: 1
ordering_key: [Key]
on_key_failure: block
events:
  - resource: users
    event: one
    when: { column: A, not_in: [left] }
    members: { key: Key, row: { meta: row }, cell: { column: A, map: { ok: ok, no: no } } }
  - resource: contacts
    event: two
    when: { column: B, not_in: [left] }
    members: { key: Key, row: { meta: row }, cell: { column: B, map: { ok: ok, no: no } } }
`;

type Line = Record<string, string>;
type Cell = "ok" | "no" | "left" | "bad";
interface Person {
  readonly key: string;
  readonly a: Cell;
  readonly b: Cell;
}

const cell = (...others: Cell[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Cell>("ok") },
    fc.constantFrom<Cell>("no", ...others),
  );
const people = fc.array(
  fc.record<Person>({
    key: fc.constantFrom("a", "b", "alone", "alone"),
    a: cell("left", "bad"),
    b: cell("left"),
  }),
  { minLength: 1, maxLength: 7 },
);

/** What a process meets on its disk, and what the next one finds. */
const faults = fc.array(
  fc.record({
    kind: fc.constantFrom<Fault>("crash", "crash", "ENOSPC", "EIO", "short"),
    at: fc.integer({ min: 1, max: 80 }),
    isPowerCut: fc.boolean(),
  }),
  { maxLength: 3 },
);

/** What a person does with failed rows before they are retried. */
const retries = fc.array(
  fc.record({
    faults,
    /** Of failed rows as they are now, as they were at some time before, or all of the results. */
    file: fc.constantFrom("failed", "failed", "failed", "old", "results"),
    kept: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    order: fc.constantFrom("as it is", "reversed"),
    fixed: fc.array(fc.constantFrom<Cell | undefined>(undefined, "ok", "ok", "no", "left"), {
      minLength: 6,
      maxLength: 6,
    }),
  }),
  { maxLength: 4 },
);

/** Takes and refuses by the cell; as long as it is troubled, it also fails, or does not answer. */
function createService(random: () => number) {
  const taken = new Map<string, number>();
  const received: string[] = [];
  let isTroubled = true;
  const post: Post = async ({ body }) => {
    const { event, row, cell } = JSON.parse(body) as Record<string, string>;
    const name = `${row}/${event === "one" ? 1 : 2}`;
    received.push(name);
    for (let turns = Math.floor(random() * 4); turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const mood = isTroubled ? random() : 1;
    if (mood < 0.15) return { kind: "answered", httpStatus: 500, body: "" };
    if (cell === "ok") taken.set(name, (taken.get(name) ?? 0) + 1);
    if (mood < 0.3) return { kind: "unanswered", code: "cut", message: "cut" };
    return { kind: "answered", httpStatus: cell === "ok" ? 202 : 422, body: "" };
  };
  return {
    ...{ post, taken, received },
    calm() {
      isTroubled = false;
    },
  };
}

type Service = ReturnType<typeof createService>;

const csv = (rows: readonly Person[]) =>
  stringify([
    ["Key", "A", "B"],
    ...rows.map(({ key, a, b }, at) => [key === "alone" ? `key ${at}` : key, a, b]),
  ]);

async function place(rows: readonly Person[]) {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  await writeFile(path("people.csv"), csv(rows));
  await writeFile(path("people.yaml"), mapping);
  const results = path("people.results.csv");

  let processes = 0;
  /** One process. */
  const live = async (
    disk: SimulatedDisk,
    service: Service,
    random: () => number,
    more: object,
  ) => {
    const { kind = "import", ...options } = more as Partial<PartOptions> & { kind?: "retry" };
    return runNextPart(
      {
        input: path("people.csv"),
        mapping: path("people.yaml"),
        baseUrl: "https://example.com",
        token: "any",
        results,
        concurrency: 3,
        maxAttempts: 2,
        timeoutMs: deadlineMs,
        clock: createFakeClock({ random, date: new Date(++processes * 3.6e6).toISOString() }),
        ...options,
      },
      kind,
      {
        ...{ disk, connect: connectTo(service.post) },
        acquireLock: async () => ({ release: async () => {} }),
      },
    ).catch((error: unknown) => {
      if (error instanceof CannotStartError) return error;
      throw error;
    });
  };
  return { path, results, live };
}

const linesIn = async (disk: SimulatedDisk, path: string): Promise<Line[]> =>
  parse((await disk.read(path)) ?? "", { columns: true });
const nameOf = (line: Line) => `${line.import_row}/${line.import_event}`;
const isDone = ({ import_status: status }: Line) => status === "succeeded" || status === "skipped";

function rowsOf(lines: readonly Line[]): Map<string | undefined, Line[]> {
  const rows = new Map<string | undefined, Line[]>();
  for (const line of lines) rows.set(line.import_row, [...(rows.get(line.import_row) ?? []), line]);
  return rows;
}

/** The same whenever, in however many parts and attempts it came to be. */
function lasting(line: Line): unknown {
  const { import_row, import_line, import_event, import_status } = line;
  return { Key: line.Key, import_row, import_line, import_event, import_status };
}

/** Nothing is left of any part, and manifest, results and failed rows say the same. */
async function expectWhole(disk: SimulatedDisk, results: string): Promise<Line[]> {
  const base = results.replace(".results.csv", "");
  expect(await journalNumbers(disk, `${results}.journal`)).toEqual([]);
  const [text, failed] = [await disk.read(results), await disk.read(`${base}.failed.csv`)];
  const manifest = JSON.parse(String(await disk.read(`${base}.run.json`)));
  const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  expect(manifest.results_file.sha256).toBe(sha256(text as Buffer));
  expect(manifest.failed_rows_file?.sha256).toBe(failed && sha256(failed));
  const lines = await linesIn(disk, results);
  expect(failed === undefined ? [] : await linesIn(disk, `${base}.failed.csv`)).toEqual(
    lines.filter((line) => !isDone(line)),
  );
  const count = (of: string) => lines.filter((line) => line.import_status === of).length;
  for (const [status, number] of Object.entries(manifest.counts)) {
    expect([status, number]).toEqual([status, count(status)]);
  }
  expect(manifest.parts.at(-1)).toMatchObject({ is_over: true });
  expect(Number(manifest.parts.at(-1).part)).toBe(
    Math.max(...manifest.parts.map(({ part }: { part: number }) => part)),
  );
  return lines;
}

/** The failed rows as a person gives them back, and what they then say of each event. */
function edited(
  lines: readonly Line[],
  account: readonly Line[],
  { kept, order, fixed }: { kept: boolean[]; order: string; fixed: (Cell | undefined)[] },
) {
  const byRow = rowsOf(account);
  const chosen = lines.filter((_, at) => kept[at % kept.length]);
  const changed = chosen.map((line): Line => {
    const ofRow = byRow.get(line.import_row) ?? [];
    const given = chosen.filter((other) => other.import_row === line.import_row);
    const number = Number(line.import_row);
    const [a, b] = [fixed[number % fixed.length], fixed[(number + 1) % fixed.length]];
    // As long as nothing of a row can have arrived and all of it is given, it may give other events.
    const isOpen = ofRow.every((own) => !isDone(own) && own.import_unanswered === "0");
    if (isOpen && given.length === ofRow.length) {
      const [first = line] = ofRow;
      const next = { A: a ?? first.A ?? "", B: b ?? first.B ?? "" };
      return next.A === "left" && next.B === "left"
        ? { ...line, ...next, B: "ok" }
        : { ...line, ...next };
    }
    const own = ofRow.find((other) => other.import_event === line.import_event);
    const column = line.import_event === "2" ? "B" : "A";
    const fix = column === "A" ? a : b;
    const before = { ...line, A: own?.A ?? "", B: own?.B ?? "" };
    // Otherwise it gives as many as it has lines, in which the cells are the same.
    const isAsBefore =
      ofRow.length === 1 || ofRow.every((other) => other.A !== "left" && other.B !== "left");
    // What may have arrived stays as it is.
    const mayChange = own?.import_unanswered === "0" || own?.import_status === "rejected";
    const isFixed = isAsBefore && mayChange && (fix === "ok" || fix === "no");
    return isFixed ? { ...before, [column]: fix } : before;
  });
  return order === "reversed" ? changed.toReversed() : changed;
}

let rounds = 0;
let retried = 0;

/** What is said where a file cannot be read or written before a part begins. */
const codesOfDisk = [
  "output_not_writable",
  "run_unfinished",
  "input_unreadable",
  "manifest_unreadable",
];

test("whatever happens to its parts, an account ends as one import of the rows' last cells", async () => {
  await fc.assert(
    fc.asyncProperty(people, faults, retries, fc.nat(), async (...given) => {
      const [rows, importFaults, steps, seed] = given;
      const random = mulberry32(seed);
      const service = createService(random);
      const { path, results, live } = await place(rows);
      let disk = createSimulatedDisk();
      const failedOf = async () => linesIn(disk, results.replace("results", "failed"));

      /** Lets processes meet faults until the part is over. */
      const complete = async (begin: object, met: (typeof steps)[number]["faults"]) => {
        const [first, ...rest] = met;
        const at = (fault: typeof first) => (call: number) =>
          call === fault?.at ? fault.kind : undefined;
        disk = disk.afterKill(at(first));
        let last = first;
        let ended = await live(disk, service, random, begin);
        for (let left = 12; left > 0; left--) {
          const isOver = !(ended instanceof CannotStartError) && ended.isOver === true;
          // If the disk fails at the very last, a resume removes the journal.
          if (isOver && (await journalNumbers(disk, `${results}.journal`)).length === 0) return;
          if (ended instanceof CannotStartError) {
            expect(codesOfDisk).toContain(ended.code);
          }
          const next = rest.shift();
          disk = last?.isPowerCut ? disk.afterPowerCut(random, at(next)) : disk.afterKill(at(next));
          last = next;
          const account = await readAccount(results, disk.afterKill());
          if (account.kind === "damaged") throw account.error;
          if (account.kind === "complete") {
            if ((account.manifest.parts.at(-1)?.part ?? 0) > partsBefore) {
              disk = disk.afterKill();
              return void (await completeLeft(disk, account, () => {}));
            }
          }
          const kind = account.kind === "unfinished" ? account.part.run.kind : undefined;
          const again = kind === undefined ? begin : { kind, resume: "must" as const };
          ended = await live(disk, service, random, again);
        }
        throw ended instanceof CannotStartError ? ended : new Error(JSON.stringify(ended));
      };
      let partsBefore = 0;
      await complete({}, importFaults);
      partsBefore = 1;
      let lines = await expectWhole(disk, results);
      let old = await failedOf();

      for (const [at, step] of steps.entries()) {
        const failed = await failedOf();
        const known = new Set(lines.map(nameOf));
        // A row that gives other events now is refused where it stands as before.
        const source = step.file === "old" ? old.filter((line) => known.has(nameOf(line))) : failed;
        const file = step.file === "results" ? [] : edited(source, lines, step);
        if (step.file !== "results" && file.length === 0) continue;
        if (failed.length > 0) old = failed;
        const name = `given-${at}.csv`;
        await writeFile(path(name), stringify(file, { header: true }));
        const done = new Set(lines.filter(isDone).map(nameOf));
        const received = service.received.length;
        const isResults = step.file === "results";
        const before = lines;
        const open = lines.filter((line) => !isDone(line)).length;
        const given = isResults ? results : path(name);
        await complete({ kind: "retry", given }, step.faults);
        retried++;
        lines = await expectWhole(disk, results);
        const manifest = JSON.parse(
          String(await disk.read(results.replace("results.csv", "run.json"))),
        );
        partsBefore = manifest.parts.at(-1).part;
        for (const sent of service.received.slice(received)) expect(done).not.toContain(sent);
        const givenRows = new Set(file.map((line) => line.import_row));
        if (!isResults) {
          const untouched = (all: Line[]) => all.filter((line) => !givenRows.has(line.import_row));
          expect(untouched(lines)).toEqual(untouched(before));
        }
        for (const line of before.filter(isDone)) expect(lines).toContainEqual(line);
        for (const line of file) {
          if (done.has(nameOf(line))) continue;
          const now = lines.find((other) => nameOf(other) === nameOf(line));
          if (now !== undefined) expect(now).toMatchObject({ A: line.A, B: line.B });
        }
        if (open === 0) expect(service.received.length).toBe(received);
      }

      service.calm();
      await complete({ kind: "retry", given: results }, []);
      lines = await expectWhole(disk, results);
      const last = rowsOf(lines);
      const lastPeople = [...last.values()].map((ofRow): Person => {
        const of = (event: string) => ofRow.find((line) => line.import_event === event) ?? ofRow[0];
        return { key: ofRow[0]?.Key ?? "", a: of("1")?.A as Cell, b: of("2")?.B as Cell };
      });
      const once = await place(lastPeople);
      const sound = createSimulatedDisk();
      const undisturbed = createService(random);
      undisturbed.calm();
      await once.live(sound, undisturbed, random, {});
      const expected = await linesIn(sound, once.results);
      expect(lines.map(lasting)).toEqual(expected.map(lasting));
      for (const line of lines) {
        const times = service.taken.get(nameOf(line)) ?? 0;
        if (line.import_status === "succeeded") expect(times).toBeGreaterThan(0);
        // Nothing arrives twice in silence.
        expect(times).toBeLessThanOrEqual(1 + Number(line.import_unanswered));
      }
      rounds++;
    }),
    { numRuns: 60 },
  );
  expect(retried).toBeGreaterThan(rounds / 2);
});
