import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noCounts, type OutcomeStatus } from "../../src/model/outcome.ts";
import { createHashedFile } from "../../src/results/hashed-file.ts";
import { mergeResults } from "../../src/results/merge-results.ts";
import type { ResultsReader } from "../../src/results/results-reader.ts";
import { createSimulatedDisk } from "../journal/simulated-disk.ts";
import {
  anyLines,
  chunkSizes,
  columnsOf,
  openText,
  textOf,
  type WrittenLine,
} from "./written-results.ts";

const columns = columnsOf(2);

/** Merges files on a disk in memory. */
async function merged(
  files: readonly (readonly WrittenLine[])[],
  sizes: readonly number[] = [1_000_000],
  onTwice: (replaced: ResultsReader, by: ResultsReader) => void = () => {},
) {
  const disk = createSimulatedDisk();
  const readers = await Promise.all(files.map((lines) => openText(textOf(columns, lines), sizes)));
  const open: (number | undefined)[] = [];
  const result = await mergeResults(
    readers,
    {
      results: await createHashedFile(disk, "results"),
      createFailed: () => createHashedFile(disk, "failed"),
    },
    onTwice,
    ({ row }) => open.push(row),
  );
  const text = async (path: string) => (await disk.read(path))?.toString();
  return { result, open, results: await text("results"), failed: await text("failed") };
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

function expectedOf(files: readonly (readonly WrittenLine[])[]) {
  const lines = replaced(files);
  const open = lines.filter(({ status }) => status !== "succeeded" && status !== "skipped");
  const counts = noCounts();
  for (const { status } of lines) counts[(status || "not_sent") satisfies OutcomeStatus]++;
  const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
  const results = textOf(columns, lines);
  const failed = open.length === 0 ? undefined : textOf(columns, open);
  return {
    results,
    failed,
    open: open.map(({ row }) => row),
    result: {
      rows: new Set(lines.map(({ row }) => row)).size,
      tally: {
        counts,
        events: lines.filter(({ event }) => event !== "").length,
        perhapsTwice: lines.filter(
          ({ status, unanswered }) => unanswered + (status === "succeeded" ? 1 : 0) > 1,
        ).length,
        lines: lines.length,
        kept: 0,
        attempts: total(lines.map(({ attempts }) => attempts)),
        unanswered: total(lines.map(({ unanswered }) => unanswered)),
      },
      read: files.map((one) => fingerprintOf(textOf(columns, one))),
      results: fingerprintOf(results),
      failed: failed === undefined ? undefined : fingerprintOf(failed),
    },
  };
}

function fingerprintOf(text: string) {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
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
      const refuse = () => {
        throw new Error("a row is in two of them");
      };
      expect((await merged(shards, [100], refuse)).results).toBe(textOf(columns, lines));
      if (lines.length === 0) return;
      await expect(merged([...shards, lines.slice(0, 1)], [100], refuse)).rejects.toThrow("in two");
    }),
    { numRuns: 40 },
  );
});

describe("of one file", () => {
  const line: WrittenLine = {
    ...{ row: 1, cells: ["a", "b"], event: "1", status: "succeeded" },
    ...{ attempts: 1, unanswered: 0, error: "" },
  };

  test("only the failed lines are written, if the results are there already", async () => {
    const disk = createSimulatedDisk();
    const lines = [line, { ...line, row: 2, status: "failed" } as const];
    const result = await mergeResults(
      [await openText(textOf(columns, lines))],
      { results: undefined, createFailed: () => createHashedFile(disk, "failed") },
      () => {},
      () => {},
    );
    const failed = textOf(columns, lines.slice(1));
    expect((await disk.read("failed"))?.toString()).toBe(failed);
    expect(result).toMatchObject({ results: undefined, failed: fingerprintOf(failed) });
  });

  test("no file of failed lines is made where there are none", async () => {
    const { failed, result } = await merged([[line, { ...line, row: 2, status: "skipped" }]]);
    expect(failed).toBeUndefined();
    expect(result.failed).toBeUndefined();
  });

  test("with more lines than a chunk or a piece of the new file holds", async () => {
    const cells = ["x".repeat(700), "y\n".repeat(300)];
    const lines = Array.from({ length: 1000 }, (_, at) => ({
      ...{ ...line, row: at + 1, cells },
      status: at % 3 === 0 ? ("failed" as const) : ("succeeded" as const),
    }));
    const every = lines.filter((_, at) => at % 2 === 0);
    const part = every.map((one) => ({ ...one, status: "rejected" as const }));
    expect(await merged([lines, part], [64 * 1024])).toEqual(expectedOf([lines, part]));
  });
});
