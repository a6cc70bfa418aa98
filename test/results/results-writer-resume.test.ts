import fc from "fast-check";
import { expect, test } from "vitest";
import type { Disk } from "../../src/model/disk/disk.ts";
import { eventStatuses, type OutcomeStatus } from "../../src/model/outcome.ts";
import type { Checkpoint } from "../../src/model/run-record.ts";
import { createTally } from "../../src/results/tally.ts";
import { mulberry32 } from "../../src/sandbox/faults.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../journal/simulated-disk.ts";
import { nastyCells } from "../nasty-cells.ts";
import { simulatedFiles as files, outcome, rowAt, writerUnderTest } from "./writer-under-test.ts";

interface PlannedLine {
  readonly cells: readonly string[];
  readonly statuses: readonly OutcomeStatus[];
}

const nothing: Checkpoint = {
  ...{ rows: 0, resultsBytes: 0 },
  tally: createTally().copy(),
};

/**
 * Writes the rows that are not written yet, with a checkpoint after every third row.
 *
 * @param until the row after which the process is killed; default none
 * @returns the last checkpoint
 */
async function writeRest(
  disk: Disk,
  plan: readonly PlannedLine[],
  from: Checkpoint,
  until = plan.length,
): Promise<Checkpoint> {
  let reached = from;
  try {
    const { writer, place } = await writerUnderTest({
      disk,
      files,
      from,
      schedule: () => () => {},
    });
    for (let row = from.rows + 1; row <= until; row++) {
      const { cells, statuses } = plan[row - 1]!;
      place(rowAt(row, cells)).settle(
        statuses.map((status, at) => outcome(status, { event: at + 1 })),
      );
      if (row % 3 === 2) await writer.flush();
      if (row % 3 === 0) reached = await writer.snapshot();
    }
    await writer.flush();
    if (until === plan.length) reached = await writer.snapshot();
  } catch {
    // A disk that fails ends a run; what it has said for sure before counts.
  }
  return reached;
}

async function contentOf(disk: SimulatedDisk) {
  return (await disk.read(files.part))?.toString("latin1") ?? "";
}

async function undisturbed(plan: readonly PlannedLine[]) {
  const disk = createSimulatedDisk();
  const reached = await writeRest(disk, plan, nothing);
  return { reached, content: await contentOf(disk) };
}

/** What is told to be on the disk is what an undisturbed run would have written there by then. */
async function expectPrefix(disk: SimulatedDisk, { resultsBytes }: Checkpoint, whole: string) {
  expect((await contentOf(disk)).slice(0, resultsBytes)).toBe(whole.slice(0, resultsBytes));
}

const plans = fc.array(
  fc.record<PlannedLine>({
    cells: fc.tuple(nastyCells, nastyCells),
    statuses: fc.array(fc.constantFrom<OutcomeStatus>("succeeded", ...eventStatuses), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  { minLength: 1, maxLength: 25 },
);

test("results that are resumed after any number of kills and power cuts are those of an undisturbed run", async () => {
  await fc.assert(
    fc.asyncProperty(
      plans,
      fc.array(fc.tuple(fc.nat(25), fc.boolean()), { maxLength: 5 }),
      fc.nat(),
      async (plan, ends, seed) => {
        const random = mulberry32(seed);
        const whole = await undisturbed(plan);
        let disk: SimulatedDisk = createSimulatedDisk();
        let reached = nothing;
        for (const [until, isPowerCut] of ends) {
          const last = Math.min(until, plan.length);
          reached = await writeRest(disk, plan, reached, last);
          disk = isPowerCut ? disk.afterPowerCut(random) : disk.afterKill();
          await expectPrefix(disk, reached, whole.content);
        }
        expect(await writeRest(disk, plan, reached)).toEqual(whole.reached);
        expect(await contentOf(disk)).toEqual(whole.content);
      },
    ),
    { numRuns: 150 },
  );
});

test("a checkpoint and the records beside it know every row that has settled, whenever it is taken", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom("settle", "snap", "turn")),
        {
          maxLength: 80,
        },
      ),
      async (steps) => {
        const { writer, place } = await writerUnderTest({ disk: createSimulatedDisk(), files });
        const places = Array.from({ length: 40 }, (_, at) => place(rowAt(at + 1)));
        const settled = new Set<number>();
        const snapshots: Promise<unknown>[] = [];
        for (const [row, step] of steps) {
          if (step === "turn") await new Promise(setImmediate);
          if (step === "settle" && !settled.has(row)) {
            settled.add(row);
            places[row - 1]?.settle([outcome(row % 4 === 0 ? "failed" : "succeeded")]);
            if (row % 3 === 0) void writer.flush();
          }
          if (step !== "snap") continue;
          snapshots.push(
            writer.snapshot(({ rows }, records) => {
              const known = new Set([...records].map(({ rowOfRun }) => rowOfRun));
              for (const one of settled) expect(one <= rows || known.has(one)).toBe(true);
              for (const one of known) expect(one).toBeGreaterThan(rows);
            }),
          );
        }
        await Promise.all(snapshots);
        await writer.close();
      },
    ),
    { numRuns: 100 },
  );
});
