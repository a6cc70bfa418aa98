import fc from "fast-check";
import { expect, test } from "vitest";
import { resultsColumns } from "../../src/model/results-columns.ts";
import { ResultsReader } from "../../src/results/results-reader.ts";
import { toCsv } from "../../src/results/to-csv.ts";
import { nastyCells } from "../nasty-cells.ts";

const line = fc.record({
  cells: fc.tuple(nastyCells, nastyCells),
  sameRow: fc.boolean(),
  event: fc.constantFrom("1", ""),
  status: fc.constantFrom("succeeded", "failed", "invalid", "skipped"),
  attempts: fc.nat(12),
});

async function* inPieces(text: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    yield text.subarray(at, at + size);
    at += size;
  }
}

test("however the file comes in pieces, each line is read as it was written", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 }),
      async (lines, sizes) => {
        let row = 1;
        const written = lines.map(({ cells, sameRow, event, status, attempts }) => {
          row += sameRow ? 0 : 1;
          const own: Record<string, string> = {
            ...{ import_row: `${row}`, import_event: event, import_status: status },
            ...{ import_attempts: `${attempts}`, import_unanswered: "0" },
          };
          return [...cells, ...resultsColumns.map((column) => own[column] ?? "")];
        });
        const text = Buffer.from(toCsv([["a", "b", ...resultsColumns], ...written]));
        const refuse = (why: string) => new Error(why);
        const reader = await ResultsReader.open(inPieces(text, sizes), "r.csv", refuse);
        for (const [at, cells] of written.entries()) {
          expect(reader.row).toBe(Number(cells[2]));
          expect(reader.cells()).toEqual(cells);
          expect(reader.bytes().toString()).toBe(toCsv([cells]));
          expect(reader.status).toBe(lines[at]?.status);
          expect(reader.hasEvent).toBe(lines[at]?.event === "1");
          expect(reader.attempts).toBe(lines[at]?.attempts);
          await reader.next();
        }
        expect(reader.row).toBeUndefined();
        expect(reader.fingerprint().bytes).toBe(text.length);
      },
    ),
  );
});
