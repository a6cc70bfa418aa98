import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CannotStartError } from "../../src/model/errors.ts";
import { anySizes, cut, readAll, streamOf } from "./given-bytes.ts";
import { anyWrittenTable, compress, rowsAmong, type WrittenTable } from "./given-dialects.ts";

async function expectTable(written: WrittenTable, pieces: readonly Buffer[]) {
  const { table, dialect, reading } = written;
  const found = await readAll(streamOf(...pieces), reading);
  const { columns, rows, blankLines, damage } = found;
  expect(damage).toBeUndefined();
  const numbers = table[0]?.map((_, index) => `${index + 1}`);
  expect(columns).toEqual(dialect.hasHeader ? table[0] : numbers);
  const among = rowsAmong(written);
  expect(rows).toEqual(among.rows.map((row, index) => ({ row: index + 1, ...row })));
  expect(blankLines).toBe(written.blankLines + among.blank);
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
