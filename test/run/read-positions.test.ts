import fc from "fast-check";
import { expect, test } from "vitest";
import { noCounts } from "../../src/model/outcome.ts";
import type { SourcePosition } from "../../src/model/run-record.ts";
import type { WrittenResults } from "../../src/results/results-writer.ts";
import { createReadPositions } from "../../src/run/send/open-run.ts";

const tally = {
  counts: noCounts(),
  events: 0,
  lines: 0,
  ...{ kept: 0, perhapsTwice: 0, attempts: 0, unanswered: 0 },
};

function writtenTo(rows: number): WrittenResults {
  return { rows, resultsBytes: 100 + rows, tally };
}

function positionAt(rowsBefore: number): SourcePosition {
  return { offset: 10 * rowsBefore, line: rowsBefore + 2, rowsBefore, blankLines: 0 };
}

test("whatever is read and written, reading on misses no row and goes back no further than a batch", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(1000), { maxLength: 30 }),
      (sizes, steps) => {
        const positions = createReadPositions(undefined);
        const starts: number[] = [];
        let read = 0;
        let written = 0;
        for (const [at, size] of sizes.entries()) {
          starts.push(read);
          positions.beginBatch(read, read === 0 ? undefined : positionAt(read));
          read += size;
          // Only rows that were read can have been written.
          written += (steps[at] ?? 0) % (read - written + 1);
          const { rows, position, rowsBeforePosition } = positions.checkpoint(writtenTo(written));
          expect(rows).toBe(written);
          expect(rowsBeforePosition).toBe(starts.filter((start) => start <= written).at(-1));
          expect(position?.rowsBefore ?? 0).toBe(rowsBeforePosition);
        }
      },
    ),
  );
});
