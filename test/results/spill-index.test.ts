import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { createSpillIndex } from "../../src/results/spill-index.ts";

const place = (row: number) => ({ offset: row * 100, bytes: row + 1, shape: row % 7 });

test.each([0, 1000])(
  "knows all rows that are asked for, however many wait from row %i on",
  (from) => {
    const index = createSpillIndex();
    index.leave(from);
    // As many as there is room for at first, one more, and many more.
    for (const rows of [4096, 4097, 20_000]) {
      const all = Array.from({ length: rows }, (_, at) => from + at);
      for (const row of all) index.set(row, place(row));
      expect(all.filter((row) => !isDeepStrictEqual(index.get(row), place(row)))).toEqual([]);
    }
  },
);
