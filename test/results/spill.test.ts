import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Disk } from "../../src/domain/disk.ts";
import { eventStatuses, type Outcome } from "../../src/domain/outcome.ts";
import { nodeDisk } from "../../src/journal/node-disk.ts";
import { createOutcomeShapes } from "../../src/results/outcome-shapes.ts";
import { createSpillFile } from "../../src/results/spill-file.ts";
import { createSpillIndex } from "../../src/results/spill-index.ts";
import { createSimulatedDisk } from "../journal/simulated-disk.ts";
import { nastyCells } from "../nasty-cells.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  simulatedFiles as files,
  linesOn,
  outcome,
  rowAt,
  writerUnderTest,
} from "./writer-under-test.ts";

interface PlannedRow {
  readonly cells: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** When it ends, among the others. */
  readonly endsAt: number;
}

const never = () => () => {};

/** Places all rows, ends them in their order of ending, and tells what is written after each step. */
async function written(plan: readonly PlannedRow[], spillBeyond: { rows: number; chars: number }) {
  const disk = createSimulatedDisk();
  const settings = { disk, files, spillBeyond, schedule: never };
  const { writer, released, errors, onDisk } = await writerUnderTest(settings);
  const places = plan.map(({ cells }, at) => writer.place(rowAt(at + 1, cells)));
  const order = plan.map((_, at) => at).sort((a, b) => plan[a]!.endsAt - plan[b]!.endsAt);
  const checkpoints = [];
  let mostOnDisk = 0;
  for (const at of order) {
    places[at]?.settle(plan[at]!.outcomes);
    if (plan[at]!.endsAt % 5 === 0) await new Promise(setImmediate);
    if (plan[at]!.endsAt % 3 > 0) continue;
    await writer.flush();
    checkpoints.push(await writer.checkpoint());
    mostOnDisk = Math.max(mostOnDisk, onDisk().rows);
  }
  await writer.flush();
  checkpoints.push(await writer.checkpoint());
  await writer.close();
  expect(errors).toEqual([]);
  expect(onDisk()).toEqual({ rows: 0, bytes: 0 });
  expect(released.toSorted((a, b) => a - b)).toEqual(plan.map((_, at) => at + 1));
  expect(await disk.read(files.spill)).toBeUndefined();
  return {
    checkpoints,
    results: (await disk.read(files.results))?.toString("latin1"),
    failed: (await disk.read(files.failed))?.toString("latin1"),
    mostOnDisk,
  };
}

describe("rows that end before their turn", () => {
  const outcomes = fc.array(
    fc.record({
      ending: fc.constantFrom(...eventStatuses),
      event: fc.integer({ min: 1, max: 3 }),
      attempts: fc.nat(4),
      unanswered: fc.nat(4),
      eventId: fc.constant("id"),
      error: nastyCells,
    }),
    { maxLength: 3 },
  );
  const plans = fc.array(
    fc.record({ cells: fc.tuple(nastyCells, nastyCells), outcomes, endsAt: fc.nat(300) }),
    { minLength: 15, maxLength: 60 },
  );

  test("are written the same, and at the same time, whether they were on the disk or not", async () => {
    let spilled = 0;
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(5), async (plan, rows) => {
        const { mostOnDisk: none, ...inMemory } = await written(plan, { rows: 1e9, chars: 1e9 });
        const { mostOnDisk, ...aside } = await written(plan, { rows, chars: 1e9 });
        expect(none).toBe(0);
        expect(aside).toEqual(inMemory);
        spilled += mostOnDisk;
      }),
      { numRuns: 150 },
    );
    expect(spilled).toBeGreaterThan(500);
  });

  test("a hundred thousand behind one, more than once, take the disk again and again", async () => {
    const { writer, onDisk, released } = await writerUnderTest({
      spillBeyond: { rows: 2000, chars: 1e9 },
      schedule: never,
    });
    const rows = 100_000;
    for (let round = 0; round < 2; round++) {
      const first = writer.place(rowAt(round * rows + 1));
      for (let row = 2; row <= rows; row++) {
        writer.place(rowAt(round * rows + row)).settle([outcome("succeeded")]);
        if (row % 1000 === 0) await writer.flush();
      }
      expect(onDisk().rows).toBeGreaterThan(rows - 3000);
      expect(released.length).toBeGreaterThan((round + 1) * rows - 3000);
      expect(await writer.checkpoint()).toMatchObject({ rows: round * rows });
      first.settle([outcome("failed")]);
      await writer.flush();
      expect(await writer.checkpoint()).toMatchObject({ rows: (round + 1) * rows });
      expect(onDisk()).toEqual({ rows: 0, bytes: 0 });
    }
    await writer.close();
  });

  test("stay in memory as long as they are few", async () => {
    const disk = createSimulatedDisk();
    const { writer, onDisk } = await writerUnderTest({
      ...{ disk, files, schedule: never },
      spillBeyond: { rows: 100, chars: 1e9 },
    });
    const first = writer.place(rowAt(1));
    const before = disk.calls();
    for (let row = 2; row <= 101; row++) writer.place(rowAt(row)).settle([outcome("succeeded")]);
    await writer.flush();
    expect(disk.calls()).toBe(before);
    writer.place(rowAt(102)).settle([outcome("succeeded")]);
    await writer.flush();
    expect(onDisk().rows).toBe(101);
    first.settle([outcome("succeeded")]);
    await writer.flush();
    expect(await linesOn(disk, files.results)).toHaveLength(102);
  });

  test("and that do not fit on the disk end the run, with what was written before", async () => {
    const base = createSimulatedDisk();
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    const disk: Disk = {
      ...base,
      async createTemporary(path) {
        const made = await base.createTemporary(path);
        return { ...made, file: { ...made.file, write: () => Promise.reject(full) } };
      },
    };
    const { writer, errors } = await writerUnderTest({
      ...{ disk, files, schedule: never },
      spillBeyond: { rows: 3, chars: 1e9 },
    });
    writer.place(rowAt(1)).settle([outcome("succeeded")]);
    await writer.flush();
    const second = writer.place(rowAt(2));
    for (let row = 3; row <= 9; row++) writer.place(rowAt(row)).settle([outcome("succeeded")]);
    await writer.flush();
    second.settle([outcome("succeeded")]);
    await writer.flush();
    expect(errors.map(({ message }) => message)).toEqual([
      `${files.spill} cannot be written: the disk is full`,
    ]);
    await expect(writer.checkpoint()).rejects.toBe(errors[0]);
    expect(await linesOn(disk, files.results)).toEqual(["1 succeeded"]);
    await writer.close();
    expect(await base.read(files.spill)).toBeUndefined();
  });
});

describe("the file that they are in", () => {
  test("has no name from the first", async () => {
    const folder = await temporaryFolder();
    const file = createSpillFile(nodeDisk, `${folder}/spill`);
    expect(readdirSync(folder)).toEqual([]);
    const offset = await file.write(Buffer.from("some lines\n"), 1);
    expect(readdirSync(folder)).toEqual([]);
    const into = Buffer.alloc(4);
    await file.read(into, offset + 5);
    expect(into.toString()).toBe("line");
    await file.close();
  });

  test("goes at the end where its name cannot be taken away before", async () => {
    const folder = await temporaryFolder();
    let refusals = 1;
    const disk: Disk = {
      ...nodeDisk,
      remove: (path) =>
        refusals-- > 0 ? Promise.reject(new Error("busy")) : nodeDisk.remove(path),
    };
    const file = createSpillFile(disk, `${folder}/spill`);
    await file.write(Buffer.from("some lines\n"), 1);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^spill\.\w+\.part$/)]);
    await file.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is not the one that stands at its name", async () => {
    const folder = await temporaryFolder();
    await writeFile(`${folder}/spill`, "of somebody else");
    const file = createSpillFile(nodeDisk, `${folder}/spill`);
    await file.write(Buffer.from("some lines\n"), 1);
    expect(readFileSync(`${folder}/spill`, "utf8")).toBe("of somebody else");
    await file.close();
  });

  test("grows only as far as what is in it at a time", async () => {
    const disk = createSimulatedDisk();
    const file = createSpillFile(disk, "spill");
    const bytes = Buffer.alloc(50_000, "x");
    const inside: number[] = [];
    let furthest = 0;
    for (let round = 0; round < 500; round++) {
      inside.push(await file.write(bytes.subarray(0, 30_000 + ((round * 7919) % 20_000)), 2));
      furthest = Math.max(furthest, inside.at(-1) ?? 0);
      expect(new Set(inside).size).toBe(inside.length);
      if (inside.length < 10) continue;
      const offset = inside.shift() ?? 0;
      file.release(offset);
      file.release(offset + 29_999);
    }
    expect(furthest).toBeLessThan(40 * 32 * 1024);
  });
});

test("the index finds every row, however far they are apart and in whatever order they came", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(fc.nat(20_000), { maxLength: 200 }), (oldest, rows) => {
      const index = createSpillIndex();
      index.leave(oldest);
      const placeOf = (row: number) => ({ offset: row * 3, bytes: row, shape: row % 7 });
      for (const row of rows) index.set(oldest + row, placeOf(oldest + row));
      for (const row of rows) expect(index.get(oldest + row)).toEqual(placeOf(oldest + row));
    }),
  );
});

test("shapes are kept once, and as long as a row has them", () => {
  const shapes = createOutcomeShapes();
  const one = shapes.keep([outcome("succeeded")]);
  expect(shapes.keep([outcome("succeeded", { eventId: "other" })])).toBe(one);
  expect(shapes.keep([outcome("succeeded", { attempts: 2 })])).not.toBe(one);
  shapes.release(one);
  expect(shapes.get(one)).toEqual([{ ending: "succeeded", event: 1, attempts: 1, unanswered: 0 }]);
  shapes.release(one);
  expect(shapes.get(one)).toEqual([]);
});
