import { brotliCompressSync, constants, deflateSync, gzipSync, type InputType } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readAnswerBody } from "../../src/delivery/http/answer-body.ts";

const most = 64 * 1024;
const sentence = '{"message":"no such plan: naïve"}';

function read(
  bytes: Buffer,
  contentEncoding?: string,
  { isCut = false, contentType = "application/json" } = {},
) {
  return readAnswerBody(bytes, isCut, { contentEncoding, contentType }, most);
}

const packers = {
  gzip: gzipSync,
  "x-gzip": gzipSync,
  deflate: deflateSync,
  br: (input: InputType) =>
    brotliCompressSync(input, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

test.each(Object.entries(packers))("a body in %s is decompressed", (coding, pack) => {
  expect(read(pack(sentence), coding)).toBe(sentence);
  expect(read(pack(sentence), ` ${coding.toUpperCase()} `)).toBe(sentence);
  // The header is wrong.
  expect(read(Buffer.from(sentence), coding)).toBe(sentence);
  const bomb = pack(Buffer.alloc(48 * 1024 * 1024, "x"));
  const before = process.memoryUsage().arrayBuffers;
  expect(read(bomb, coding)).toBe("");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
});

test("of a body whose end is missing, the beginning is read", () => {
  const long = Array.from({ length: 5000 }, (_, n) => `error ${n};`).join("");
  for (const [coding, pack] of Object.entries(packers)) {
    const packed = pack(long);
    const text = read(packed.subarray(0, packed.length / 2), coding, { isCut: true });
    expect(text.length).toBeGreaterThan(100);
    expect(long.startsWith(text)).toBe(true);
  }
});

test.each(["zstd", "compress", "made-up", "gzip, gzip"])("a body in %s gives no text", (coding) => {
  expect(read(Buffer.from([1, 2, 3]), coding)).toBe("");
});

test("whatever the bytes are, nothing is thrown, and the text is never too long", () => {
  const coding = fc.constantFrom("gzip", "deflate", "br", "identity", "x");
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .tuple(fc.constantFrom(...Object.values(packers)), fc.string(), fc.nat(40), fc.nat(255))
      .map(([pack, text, at, value]) => {
        const packed = pack(text);
        packed[at % packed.length] = value;
        return packed;
      }),
  );
  fc.assert(
    fc.property(bytes, coding, fc.boolean(), (body, of, isCut) => {
      expect(read(Buffer.from(body), of, { isCut }).length).toBeLessThanOrEqual(most);
    }),
  );
});

test.each([
  ["text/plain; charset=iso-8859-1", Buffer.from("naïve", "latin1")],
  ['text/plain; charset="ISO-8859-1"', Buffer.from("naïve", "latin1")],
  ["text/plain;Charset=windows-1252", Buffer.from("naïve", "latin1")],
  ["text/plain; charset=utf-16le", Buffer.from("naïve", "utf16le")],
  ["text/plain", Buffer.from("naïve")],
  ["text/plain; charset=made-up", Buffer.from("naïve")],
  ["", Buffer.from("\ufeffnaïve")],
])("text in %s is read", (contentType, bytes) => {
  expect(read(bytes, undefined, { contentType })).toBe("naïve");
});

test("text is not cut within a character", () => {
  const bytes = Buffer.from("naï").subarray(0, 3);
  expect(read(bytes, undefined, { isCut: true })).toBe("na");
});
