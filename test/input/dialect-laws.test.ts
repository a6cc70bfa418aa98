import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { CannotStartError } from "../../src/model/errors.ts";
import type { Row } from "../../src/model/row.ts";
import type { SourcePosition } from "../../src/model/run-record.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { anySizes, cut, readAll, streamOf } from "./given-bytes.ts";
import { anyWrittenTable, compress, type WrittenTable } from "./given-dialects.ts";

async function expectTable(written: WrittenTable, pieces: readonly Buffer[]) {
  const { table, dialect, reading, records } = written;
  const found = await readAll(streamOf(...pieces), reading);
  const { columns, rows, blankLines, damage } = found;
  expect(damage).toBeUndefined();
  const numbers = table[0]?.map((_, index) => `${index + 1}`);
  expect(columns).toEqual(dialect.hasHeader ? table[0] : numbers);
  const first = dialect.hasHeader ? 1 : 0;
  expect(rows).toEqual(
    table.slice(first).map((cells, index) => {
      return { row: index + 1, line: records[index + first]?.line, cells };
    }),
  );
  expect(blankLines).toBe(written.blankLines);
}

test("a table is read as it was written, in any dialect and encoding, however it is packed and cut", async () => {
  await fc.assert(
    fc.asyncProperty(anyWrittenTable(), anySizes, fc.nat(3), async (written, sizes, members) => {
      const bytes = members === 0 ? written.bytes : compress(written.bytes, members);
      await expectTable(written, cut(bytes, sizes));
    }),
    { numRuns: 500 },
  );
});

test("compressed and damaged, it is never taken for another table", async () => {
  await fc.assert(
    fc.asyncProperty(anyWrittenTable(), fc.nat(), fc.nat(7), async (written, at, bit) => {
      const bytes = gzipSync(written.bytes);
      // The ten bytes before tell time and system, and what further fields there are.
      const place = 10 + (at % (bytes.length - 10));
      bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
      const read = readAll(streamOf(bytes), written.reading);
      const found = await read.catch((error: unknown) => {
        if (error instanceof CannotStartError) return { damage: error };
        throw error;
      });
      // A few bits between the last of the data and the checksum mean nothing.
      if (found.damage === undefined) return expectTable(written, [bytes]);
      expect(found.damage.message).toMatch(/gzip|line \d|names of its columns/);
    }),
    { numRuns: 100 },
  );
});

test("where reading can go on from a batch, it gives the rest of the same rows", async () => {
  const path = join(await temporaryFolder(), "people.csv");
  const goneOn = { times: 0 };
  await fc.assert(
    fc.asyncProperty(anyWrittenTable(), anySizes, async ({ bytes, reading }, sizes) => {
      await writeFile(path, bytes);
      const whole = await openSource(streamOf(...cut(bytes, sizes)), reading);
      const batches: { start: SourcePosition | undefined; rows: readonly Row[] }[] = [];
      for await (const rows of whole.batches) batches.push({ start: whole.batchStart(), rows });
      await whole.close();

      for (const [at, { start }] of batches.entries()) {
        if (start === undefined) continue;
        goneOn.times++;
        const again = await readAll({ kind: "file", path, name: "people.csv" }, (input) =>
          openSource(input, reading, start),
        );
        expect(again.rows).toEqual(batches.slice(at).flatMap(({ rows }) => rows));
        expect(again.columns).toEqual(whole.columns);
        expect(again.blankLines).toBe(whole.blankLines());
      }
    }),
    { numRuns: 100 },
  );
  expect(goneOn.times).toBeGreaterThan(0);
});
