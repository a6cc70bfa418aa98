import fc from "fast-check";
import { expect, test } from "vitest";
import { toUtf8 } from "../../src/input/decode-bytes.ts";
import { EncodingError, unreadable } from "../../src/input/look-ahead.ts";
import { anySizes, cut, readAll, streamOf } from "./given-bytes.ts";

const anyText = fc
  .array(fc.constantFrom("a", ",", "\n", "\r\n", "\r", "é", "€", "😀", "\ufeff", "\u0800", "\0"), {
    maxLength: 25,
  })
  .map((parts) => parts.join(""));

async function pass(pieces: readonly Buffer[]) {
  async function* chunks() {
    yield* pieces;
  }
  const passed: Buffer[] = [];
  try {
    for await (const chunk of toUtf8(chunks())) passed.push(chunk);
    return { bytes: Buffer.concat(passed) };
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const bytes = Buffer.concat(passed);
    return { bytes, error: unreadable(error, 1, bytes) };
  }
}

/** The longest beginning that a strict decoder takes, found by trying every one. */
function soundLength(bytes: Buffer): number {
  for (let length = bytes.length; length > 0; length--) {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
      return length;
    } catch {}
  }
  return 0;
}

test("a bad byte anywhere is reported with its very offset and line, after all that stands before it", async () => {
  const bad = fc.constantFrom(
    ...[0xff, 0xfe, 0xc0, 0xc1, 0xf5, 0xf8, 0x80, 0xbf, 0xc3, 0xe2, 0xf0, 0xed],
  );
  await fc.assert(
    fc.asyncProperty(anyText, bad, fc.nat(), anySizes, async (text, byte, where, sizes) => {
      const good = Buffer.from(text);
      const at = where % (good.length + 1);
      const bytes = Buffer.concat([good.subarray(0, at), Buffer.from([byte]), good.subarray(at)]);
      const offset = soundLength(bytes);
      const before = bytes.subarray(0, offset);
      const line = before.toString().split(/\r\n|\n|\r/).length;
      const hex = bytes[offset]?.toString(16).padStart(2, "0");

      const passed = await pass(cut(bytes, sizes));
      expect(passed.bytes).toEqual(before);
      const place = `line ${line} is not UTF-8 (byte 0x${hex} at offset ${offset}). `;
      expect(passed.error?.message).toContain(place);
    }),
    { numRuns: 600 },
  );
});

test.each([
  [
    "the cell",
    "a,b\n1,José Peña;x\n",
    'in which its cells read right: windows-1252 ("José Peña"), ',
  ],
  [
    "Japanese with full-width signs",
    "a,b\n1,\x8d\x8b\x93\xbf\x8e\x9b\x82P\x81i\x90\xa2\x93c\x92J\x81j;x\n",
    'shift_jis ("豪徳寺１（世田谷）")',
  ],
  ["UTF-8 before it", "é,b\n1,José\n", "The text before it is, so the file seems to mix encodings"],
  ["EUC-JP that begins like UTF-8", "a,b\n\xca\xa1,\xc5\xec\n", 'euc-jp ("福'],
  [
    "Cyrillic that could be Latin",
    "a,b\n\xd4\xe0\xec\xe8\xeb\xe8\xff,x\n",
    'read right: windows-1251 ("Фамилия"), ',
  ],
  [
    "Hangul that could be Chinese",
    "a,b\n\xc0\xcc\xb8\xa7,\xc8\xab\xb1\xe6\xb5\xbf\n\xbc\xad\xbf\xef,x\n",
    'read right: euc-kr ("이름", "홍길동"), ',
  ],
  [
    "no such encoding either",
    "a,b\n1,x\x81\x8d\x01y\n",
    ". Save the file as UTF-8, or give the right --encoding.",
  ],
])(
  "what bytes that are not UTF-8 may be is reported, however they are cut: %s",
  async (_, text, words) => {
    const [header = "", ...rest] = text.split("\n");
    const bytes = [Buffer.from(`${header}\n`), Buffer.from(rest.join("\n"), "latin1")];
    for (const sizes of [[1], [3], [1000]]) {
      const { damage } = await readAll(streamOf(...cut(Buffer.concat(bytes), sizes)));
      expect(damage?.message).toContain(words);
    }
  },
);
