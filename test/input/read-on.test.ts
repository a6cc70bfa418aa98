import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import type { Row } from "../../src/model/row.ts";
import type { SourcePosition } from "../../src/model/source-position.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Cells that make lines hard to count and characters hard to cut. */
const cell = fc.oneof(
  fc
    .constantFrom("", "a", '"b\r\nc"', '"d\ne"', '"f\rg"', '"""', '"é,ü"')
    .map((text) => (text === '"""' ? '""""' : text)),
  fc.integer({ min: 1, max: 3000 }).map((length) => "é".repeat(length)),
);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(cell, cell).map((cells) => cells.join(",")) },
  { weight: 1, arbitrary: fc.constantFrom("", "one", "1,2,3") },
);
const file = fc.record({
  bom: fc.constantFrom("", "\ufeff"),
  header: fc.constantFrom("a,b", '"a\r\nx",b'),
  lines: fc.array(line, { maxLength: 300 }),
  end: fc.constantFrom("\n", "\r\n"),
});

it("reading on from the beginning of any batch gives the rest of the same rows", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "input.csv");
  await fc.assert(
    fc.asyncProperty(file, async ({ bom, header, lines, end }) => {
      await writeFile(path, `${bom}${header}${end}${lines.join(end)}${end}`);
      const input = { kind: "file", path, name: "input.csv" } as const;
      const source = await openSource(input);
      const batches: { start: SourcePosition | undefined; rows: readonly Row[] }[] = [];
      for await (const rows of source.batches) batches.push({ start: source.batchStart(), rows });
      await source.close();

      for (const [at, { start }] of batches.entries()) {
        const again = await openSource(input, {}, start);
        const rows: Row[] = [];
        for await (const batch of again.batches) rows.push(...batch);
        await again.close();
        expect(rows).toEqual(batches.slice(at).flatMap((batch) => batch.rows));
        expect(again.columns).toEqual(source.columns);
        expect(again.blankLines()).toBe(source.blankLines());
        expect(again.bytesRead()).toBe(source.bytesRead());
      }
    }),
    { numRuns: 40 },
  );
  await rm(folder, { recursive: true, force: true });
});
