import { expect, test } from "vitest";
import { cellsOf, readTable, xlsxParts, zipOf } from "./given-workbook.ts";

/** The same archive with all its numbers in fields of Zip64, as some programs write every archive. */
function asZip64(zip: Buffer): Buffer {
  const end = zip.length - 22;
  const offset = zip.readUInt32LE(end + 16);
  const entries: Buffer[] = [];
  for (let at = offset; at < end; ) {
    const nameAt = at + 46;
    const nameEnd = nameAt + zip.readUInt16LE(at + 28);
    const fixed = Buffer.from(zip.subarray(at, nameAt));
    const extra = Buffer.alloc(28);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    for (const [place, from] of [24, 20, 42].entries()) {
      extra.writeBigUInt64LE(BigInt(fixed.readUInt32LE(from)), 4 + 8 * place);
      fixed.writeUInt32LE(0xffffffff, from);
    }
    fixed.writeUInt16LE(extra.length, 30);
    entries.push(fixed, zip.subarray(nameAt, nameEnd), extra);
    at = nameEnd;
  }
  const directory = Buffer.concat(entries);
  const wideEnd = Buffer.alloc(56);
  wideEnd.writeUInt32LE(0x06064b50, 0);
  wideEnd.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) wideEnd.writeBigUInt64LE(BigInt(entries.length / 3), at);
  wideEnd.writeBigUInt64LE(BigInt(directory.length), 40);
  wideEnd.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + directory.length), 8);
  locator.writeUInt32LE(1, 16);
  const narrowEnd = Buffer.from(zip.subarray(end));
  narrowEnd.fill(0xff, 8, 20);
  return Buffer.concat([zip.subarray(0, offset), directory, wideEnd, locator, narrowEnd]);
}

const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
const workbook = asZip64(zipOf(xlsxParts(`<row>${cell("Name")}</row><row>${cell("Ann")}</row>`)));

test("a workbook in Zip64 is read", async () => {
  const read = await readTable(workbook);
  expect([read.columns, cellsOf(read)]).toEqual([["Name"], [["Ann"]]]);
});

test.each([
  ["its locator", 0x07064b50],
  ["the end of its directory", 0x06064b50],
])("one that has lost %s is refused", async (_, signature) => {
  const damaged = Buffer.from(workbook);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(signature);
  damaged.fill(0, damaged.lastIndexOf(mark), damaged.lastIndexOf(mark) + 4);
  await expect(readTable(damaged)).rejects.toThrow("its directory is damaged");
});
