import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createDecoder } from "../../src/input/decode-bytes.ts";
import { openSource } from "../../src/input/open-source.ts";
import type { Reading } from "../../src/model/reading.ts";
import { cut, readAll, refusal, streamOf } from "./given-bytes.ts";

const read = (bytes: Buffer, reading: Reading = {}, sizes = [1000]) =>
  readAll(streamOf(...cut(bytes, sizes)), reading);

/** Bytes of the upper half of windows-1252 and what they are, from its definition by Unicode. */
const windows1252 =
  "€\u0000‚ƒ„…†‡ˆ‰Š‹Œ\u0000Ž\u0000\u0000‘’“”•–—˜™š›œ\u0000žŸ" +
  Array.from({ length: 96 }, (_, at) => String.fromCharCode(0xa0 + at)).join("");

test("every byte of windows-1252 is what Unicode says, and the five without a meaning are damage", () => {
  for (let byte = 0; byte < 256; byte++) {
    const expected = byte < 0x80 ? String.fromCharCode(byte) : windows1252[byte - 0x80];
    const text = createDecoder("latin1")(Buffer.from([byte]), false);
    expect(text).toBe(byte > 0 && expected === "\0" ? undefined : expected);
  }
});

const line3 = (bytes: readonly number[], of: (text: string) => Buffer = Buffer.from) =>
  Buffer.concat([of("a,b\n1,2\n"), Buffer.from(bytes), of("3,4\n")]);
test.each([
  ["windows-1252", line3([0x78, 0x81]), "line 3 is not windows-1252 (byte 0x81 at offset 9)"],
  [
    "utf-16le",
    line3([0x3d, 0xd8, 0x61, 0], (text) => Buffer.from(text, "utf16le")),
    "line 3 is not UTF-16LE (byte 0x3d at offset 16)",
  ],
])(
  "bytes that mean nothing in the encoding are reported, after the rows before them: %s",
  async (encoding, bytes, message) => {
    for (const sizes of [[1], [3, 2], [1000]]) {
      const { rows, damage } = await read(bytes, { encoding }, sizes);
      expect(rows.map(({ cells }) => cells)).toEqual([["1", "2"]]);
      expect(damage).toMatchObject({ line: 3, message: expect.stringContaining(message) });
    }
  },
);

test("a byte order mark counts more than the option, and that is reported", async () => {
  const source = await openSource(streamOf("\ufeffa,b\n"), { encoding: "windows-1252" });
  expect(source.columns).toEqual(["a", "b"]);
  expect(source.warnings).toEqual([
    "people.csv begins with the byte order mark of UTF-8, so it is read as that, not as windows-1252.",
  ]);
});

test.each([
  ["UTF-16LE", Buffer.from("name,age\n", "utf16le"), "such as --encoding utf-16le."],
  ["UTF-16BE", Buffer.from("id\n1\n", "utf16le").swap16(), "such as --encoding utf-16be."],
  ["UTF-16LE beyond ASCII", Buffer.from("größe,age\n", "utf16le"), "give --encoding utf-16le."],
  [
    "UTF-16BE beyond ASCII",
    Buffer.from("größe,age\n", "utf16le").swap16(),
    "give --encoding utf-16be.",
  ],
  [
    "UTF-16LE of Chinese",
    Buffer.from("姓名,年龄\r\n张伟,31\r\n王芳,28\r\n", "utf16le"),
    "give --encoding utf-16le.",
  ],
  [
    "UTF-32",
    Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
    "encoding_unsupported: people.csv is UTF-32",
  ],
  ["a program", Buffer.from("\x7fELF\0\0,\0\n"), "input_no_text: people.csv: its column names"],
  [
    "an image",
    readFileSync("docs/report.png").subarray(0, 2000),
    "It seems to be no text, but an image, a program",
  ],
])("without a mark it is asked which encoding it is: %s", async (_, bytes, sentence) => {
  expect(await refusal(streamOf(...cut(bytes, [1])))).toContain(sentence);
});
