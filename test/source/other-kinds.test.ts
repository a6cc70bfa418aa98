import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { cut, refusal, streamOf } from "./given-bytes.ts";

const mark = Buffer.from([0xff, 0xfe]);

test.each([
  ["HTML", '<html xmlns:x="urn:schemas">', "workbook_of_old", "an HTML page"],
  ["HTML after blank lines", "\r\n <TABLE border=1><tr>", "workbook_of_old", "an HTML page"],
  ["HTML with its type", "\ufeff<!DOCTYPE html>\n", "workbook_of_old", "as .xlsx without a"],
  ["XML", '<?xml version="1.0"?>\n<Workbook>', "workbook_of_old", "Excel 2003 or a .fods"],
  [
    "XML in UTF-16",
    Buffer.concat([mark, Buffer.from("<?xml version='1.0'?>", "utf16le")]),
    "workbook_of_old",
    "or as CSV",
  ],
  ["bzip2", Buffer.from("BZh91AY&SY\xe3", "latin1"), "packed_otherwise", "with bzip2"],
  ["xz", Buffer.from("\xfd7zXZ\0\0", "latin1"), "packed_otherwise", "with xz"],
  ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24]), "packed_otherwise", "with zstd"],
  ["gzip in gzip", gzipSync(gzipSync("a,b\n")), "packed_twice", "with gzip twice"],
  ["HTML in gzip", gzipSync("<html>"), "workbook_of_old", "an HTML page"],
])("%s is told as what it is, however it comes", async (_, content, code, says) => {
  const bytes = Buffer.from(content as Buffer);
  for (const size of [bytes.length, 1]) {
    const told = await refusal(streamOf(...cut(bytes, [size])));
    expect(told).toContain(`${code}: people.csv is `);
    expect(told).toContain(says);
  }
});

test.each(["<a>,b\n1,2\n", "BZh9,b\n1,2\n", "<xml>,b\n", " ,b\n"])("%j is CSV", async (text) => {
  expect(await refusal(streamOf(...cut(Buffer.from(text), [1])))).toBe("opened");
});

test("a cell that would be control characters is not offered as a reading", async () => {
  const told = await refusal(streamOf(Buffer.from("a\x01\xe9,b\n", "latin1")));
  expect(told).toContain("is not UTF-8");
  expect(told).not.toContain("windows-1252");
  const text = await refusal(streamOf(Buffer.from("Andr\xe9,b\n", "latin1")));
  expect(text).toContain("windows-1252");
});
