import fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../src/model/row.ts";
import { selectRows } from "../../src/run/prepare/prepare-input.ts";

test("the chosen rows are those of an array's slice, and no batch is read that is not needed", async () => {
  const sizes = fc.array(fc.nat(4), { maxLength: 6 });
  const anyLimit = fc.oneof(fc.nat(25), fc.constant(Number.POSITIVE_INFINITY));
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(25), anyLimit, async (batchSizes, skip, limit) => {
      let row = 0;
      const batches = batchSizes.map((size) =>
        Array.from({ length: size }, (): Row => ({ row: ++row, line: row + 1, cells: [] })),
      );
      let rowsRead = 0;
      async function* source() {
        for (const batch of batches) {
          // Whoever asks for this batch has not had enough from those before it.
          expect(rowsRead).toBeLessThan(skip + limit);
          expect(limit).toBeGreaterThan(0);
          rowsRead += batch.length;
          yield batch;
        }
      }
      const chosen: Row[] = [];
      for await (const rows of selectRows(source(), { skip, limit })) chosen.push(...rows);
      expect(chosen).toEqual(batches.flat().slice(skip, skip + limit));
    }),
    { numRuns: 300 },
  );
});
