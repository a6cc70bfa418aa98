import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../src/input/create-decoder.ts";
import { openSource } from "../../src/input/open-source.ts";
import type { Reading } from "../../src/model/reading.ts";
import { anySizes, cut, readAll, refusal, streamOf } from "./given-bytes.ts";

const read = (bytes: Buffer, reading: Reading = {}, sizes = [1000]) =>
  readAll(streamOf(...cut(bytes, sizes)), (input) => openSource(input, reading));

/** Bytes of the upper half of windows-1252 and what they are, from its definition by Unicode. */
const windows1252 =
  "€\u0000‚ƒ„…†‡ˆ‰Š‹Œ\u0000Ž\u0000\u0000‘’“”•–—˜™š›œ\u0000žŸ" +
  Array.from({ length: 96 }, (_, at) => String.fromCharCode(0xa0 + at)).join("");

function toWindows1252(text: string): Buffer {
  return Buffer.from(
    [...text].map((character) => {
      const code = character.charCodeAt(0);
      return code < 0x80 ? code : 0x80 + windows1252.indexOf(character);
    }),
  );
}

function toUtf16be(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

test("every byte of windows-1252 is what Unicode says, and the five without a meaning are damage", () => {
  for (let byte = 0; byte < 256; byte++) {
    const expected = byte < 0x80 ? String.fromCharCode(byte) : windows1252[byte - 0x80];
    const text = createDecoder("latin1")(Buffer.from([byte]), false);
    expect(text).toBe(byte > 0 && expected === "\0" ? undefined : expected);
  }
});

const anyText = fc.array(fc.constantFrom("é", "€", "…", "x", " ", "😀", "0"), { maxLength: 8 });
const anyTable = fc.array(
  fc.tuple(anyText, anyText).map((cells) => cells.map((parts) => parts.join(""))),
  { minLength: 1, maxLength: 5 },
);

const written: readonly [string, Reading, (text: string) => Buffer][] = [
  ["UTF-8", {}, (text) => Buffer.from(text)],
  ["UTF-8", {}, (text) => Buffer.from(`\ufeff${text}`)],
  ["UTF-16LE", {}, (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ["UTF-16BE", {}, (text) => toUtf16be(`\ufeff${text}`)],
  ["UTF-16LE", { encoding: "utf-16le" }, (text) => Buffer.from(text, "utf16le")],
  ["UTF-16BE", { encoding: "utf-16be" }, (text) => toUtf16be(text)],
  ["windows-1252", { encoding: "cp1252" }, (text) => toWindows1252(text.replaceAll("😀", "?"))],
];

test.each(written)(
  "%s %j: a table is read as it was written, however the bytes are cut",
  async (name, reading, encode) => {
    await fc.assert(
      fc.asyncProperty(anyTable, anySizes, async (table, sizes) => {
        const text = ["é,b", ...table.map((cells) => cells.join(","))].join("\r\n");
        const input = streamOf(...cut(encode(text), sizes));
        let dialect = {};
        const { columns, rows } = await readAll(input, async (spec) => {
          const source = await openSource(spec, reading);
          dialect = source.dialect;
          return source;
        });
        expect(dialect).toEqual({ encoding: name, delimiter: ",", quote: '"' });
        expect(columns).toEqual(["é", "b"]);
        const expected = table.map((cells) =>
          name === "windows-1252" ? cells.map((cell) => cell.replaceAll("😀", "?")) : cells,
        );
        expect(rows.map(({ cells }) => cells)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  },
);

test.each([
  ["shift_jis", [0x83, 0x65, 0x83, 0x58, 0x83, 0x67], "テスト"],
  ["gb18030", [0xc4, 0xe3, 0xba, 0xc3, 0x95, 0x32, 0x82, 0x36], "你好𠀀"],
  ["windows-1250", [0x8a, 0xe8], "Šč"],
  ["koi8-r", [0xe4, 0xc1], "Да"],
])("%s is read, a byte at a time too", async (encoding, bytes, text) => {
  const input = Buffer.concat([Buffer.from("a,b\n1,"), Buffer.from(bytes), Buffer.from("\n2,x\n")]);
  const { rows } = await read(input, { encoding }, [1]);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ["1", text],
    ["2", "x"],
  ]);
});

describe("bytes that mean nothing in the encoding are reported, after the rows before them", () => {
  const line3 = (bytes: readonly number[], of: (text: string) => Buffer = Buffer.from) =>
    Buffer.concat([of("a,b\n1,2\n"), Buffer.from(bytes), of("3,4\n")]);
  test.each([
    ["shift_jis", line3([0x83, 0x0a]), "line 3 is not shift_jis (byte 0x83 at offset 8)"],
    ["windows-1252", line3([0x78, 0x81]), "line 3 is not windows-1252 (byte 0x81 at offset 9)"],
    ["iso-8859-2", line3([0x93]), "line 3 is not iso-8859-2 (byte 0x93 at offset 8)"],
    [
      "utf-16le",
      line3([0x3d, 0xd8, 0x61, 0], (text) => Buffer.from(text, "utf16le")),
      "line 3 is not UTF-16LE (byte 0x3d at offset 16)",
    ],
  ])("%s", async (encoding, bytes, message) => {
    for (const sizes of [[1], [3, 2], [1000]]) {
      const { rows, damage } = await read(bytes, { encoding }, sizes);
      expect(rows.map(({ cells }) => cells)).toEqual([["1", "2"]]);
      expect(damage).toMatchObject({ line: 3, message: expect.stringContaining(message) });
    }
  });

  test("a character that the end cuts off", async () => {
    const { rows, damage } = await read(Buffer.from("a,b\n1,\x83", "latin1"), {
      encoding: "shift_jis",
    });
    expect(rows).toEqual([]);
    expect(damage?.message).toContain("line 2 is not shift_jis (byte 0x83 at offset 6)");
  });
});

test("a byte order mark counts more than the option, and that is reported", async () => {
  const source = await openSource(streamOf("\ufeffa,b\n"), { encoding: "windows-1252" });
  expect(source.columns).toEqual(["a", "b"]);
  expect(source.warnings).toEqual([
    "people.csv begins with the mark of UTF-8, so it is read as that, not as windows-1252.",
  ]);
});

test.each([
  [
    "UTF-16LE",
    Buffer.from("name,age\n", "utf16le"),
    "encoding_needed: people.csv looks like UTF-16LE",
  ],
  ["UTF-16BE", toUtf16be("name,age\n"), "give --encoding utf-16be, or save it as UTF-8."],
  [
    "UTF-32",
    Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
    "encoding_unsupported: people.csv is UTF-32",
  ],
  [
    "a program",
    Buffer.from("\x7fELF\0\0,\0\n"),
    "input_no_text: people.csv: the names of its columns",
  ],
])("without a mark it is asked which encoding it is: %s", async (_, bytes, sentence) => {
  expect(await refusal(streamOf(...cut(bytes, [1])))).toContain(sentence);
});

test("a row with a NUL is invalid on its own", async () => {
  const { rows } = await read(Buffer.from('a,b\n1,2\n3,"x\0y"\n5,6\n'), {}, [7]);
  expect(rows.map(({ cells, problem }) => [cells, problem?.code, problem?.column])).toEqual([
    [["1", "2"], undefined, undefined],
    [["3", "x\0y"], "nul_character", "b"],
    [["5", "6"], undefined, undefined],
  ]);
});

test("reading can only begin again where offsets are those of the input", async () => {
  for (const [bytes, can] of [
    [Buffer.from(`a,b\n${"1,2\n".repeat(101)}`), true],
    [Buffer.from(`\ufeffa,b\n${"1,2\n".repeat(101)}`, "utf16le"), false],
  ] as const) {
    const source = await openSource(streamOf(...cut(bytes, [bytes.length - (can ? 4 : 8)])));
    const lengths: number[] = [];
    for await (const rows of source.batches) lengths.push(rows.length);
    expect(lengths).toEqual([100, 1]);
    expect(source.batchStart() !== undefined).toBe(can);
  }
});
