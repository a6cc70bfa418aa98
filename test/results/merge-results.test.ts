import fc from "fast-check";
import { expect, test } from "vitest";
import { noCounts, type OutcomeStatus } from "../../src/model/outcome.ts";
import { mergeResults } from "../../src/results/merge-results.ts";
import { createSimulatedDisk } from "../journal/simulated-disk.ts";
import {
  anyLines,
  chunkSizes,
  columnsOf,
  fingerprintOf,
  inChunks,
  textOf,
  type WrittenLine,
} from "./written-results.ts";

const columns = columnsOf(2);

/** Merges files on a disk in memory. */
async function merged(
  files: readonly (readonly WrittenLine[])[],
  sizes: readonly number[] = [1_000_000],
  mayReplace = true,
  sha256?: string,
) {
  const disk = createSimulatedDisk();
  const sources = files.map((lines, at) => ({
    name: `${at}`,
    chunks: inChunks(Buffer.from(textOf(columns, lines)), sizes),
    sha256: at === 0 ? sha256 : undefined,
    refuse: (why: string) => new Error(why),
  }));
  const {
    problems: _,
    superseded: __,
    closed: ___,
    ...result
  } = await mergeResults(
    disk,
    { newResults: "results", newFailed: "failed" },
    sources,
    async () => new Map(),
    mayReplace,
  );
  const text = async (path: string) => (await disk.read(path))?.toString();
  return { result, results: await text("results"), failed: await text("failed") };
}

/** The same by replacing rows in a map. */
function replaced(files: readonly (readonly WrittenLine[])[]): WrittenLine[] {
  const rows = new Map<number, readonly WrittenLine[]>();
  for (const lines of files) {
    for (const { row } of lines)
      rows.set(
        row,
        lines.filter((one) => one.row === row),
      );
  }
  return [...rows].toSorted(([one], [other]) => one - other).flatMap(([, lines]) => lines);
}

function tallyOf(lines: readonly WrittenLine[]) {
  const counts = noCounts();
  for (const { status } of lines) counts[(status || "not_sent") satisfies OutcomeStatus]++;
  const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
  return {
    counts,
    // The line of an invalid row may say that it is of a gone key, of which no event was made.
    events: lines.filter(
      ({ event, status }) => event !== "" && !(event === "gone" && status === "invalid"),
    ).length,
    perhapsTwice: lines.filter(
      ({ status, unanswered }) => unanswered + (status === "succeeded" ? 1 : 0) > 1,
    ).length,
    lines: lines.length,
    attempts: total(lines.map(({ attempts }) => attempts)),
    unanswered: total(lines.map(({ unanswered }) => unanswered)),
  };
}

function expectedOf(files: readonly (readonly WrittenLine[])[]) {
  const lines = replaced(files);
  const open = lines.filter(({ status }) => status !== "succeeded" && status !== "skipped");
  const results = textOf(columns, lines);
  const failed = open.length === 0 ? undefined : textOf(columns, open);
  return {
    results,
    failed,
    result: {
      rows: new Set(lines.map(({ row }) => row)).size,
      tally: tallyOf(lines),
      tallies: files.map((one, at) => {
        const later = new Set(files.slice(at + 1).flatMap((other) => other.map(({ row }) => row)));
        return tallyOf(one.filter(({ row }) => !later.has(row)));
      }),
      results: fingerprintOf(results),
      failed: failed === undefined ? undefined : fingerprintOf(failed),
    },
  };
}

test("rows of later files replace those of earlier ones with all their lines, and all adds up", async () => {
  const files = fc.array(anyLines(2, 15), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(files, chunkSizes, async (all, sizes) => {
      expect(await merged(all, sizes)).toEqual(expectedOf(all));
    }),
  );
});

test("the rows of shards come in the order of the input, and a row that two have is told", async () => {
  await fc.assert(
    fc.asyncProperty(anyLines(2, 30), fc.integer({ min: 1, max: 5 }), async (lines, count) => {
      const shards = Array.from({ length: count }, (_, index) =>
        lines.filter(({ row }) => row % count === index),
      );
      expect((await merged(shards, [100], false)).results).toBe(textOf(columns, lines));
      const [first] = lines;
      if (first === undefined) return;
      const twice = merged([...shards, [first]], [100], false);
      await expect(twice).rejects.toThrow(`it has row ${first.row}, as `);
    }),
    { numRuns: 40 },
  );
});

const line: WrittenLine = {
  ...{ row: 1, cells: ["a", "b"], event: "1", status: "succeeded" },
  ...{ attempts: 1, unanswered: 0, error: "" },
};

test("of one file with more lines than a chunk or a piece of the new file holds", async () => {
  const cells = ["x".repeat(700), "y\n".repeat(300)];
  const lines = Array.from({ length: 1000 }, (_, at) => ({
    ...{ ...line, row: at + 1, cells },
    status: at % 3 === 0 ? ("failed" as const) : ("succeeded" as const),
  }));
  const every = lines.filter((_, at) => at % 2 === 0);
  const part = every.map((one) => ({ ...one, status: "rejected" as const }));
  expect(await merged([lines, part], [64 * 1024])).toEqual(expectedOf([lines, part]));
});

test("a source that is not as it was is refused", async () => {
  const { sha256 } = fingerprintOf(textOf(columns, [line]));
  expect((await merged([[line]], [100], true, sha256)).results).toBe(textOf(columns, [line]));
  const other = { ...line, status: "failed" as const };
  await expect(merged([[other]], [100], true, sha256)).rejects.toThrow("it was changed");
});
