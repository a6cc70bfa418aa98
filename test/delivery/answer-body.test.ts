import { gzipSync } from "node:zlib";
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

test("a body in gzip is decompressed, as far as it is there", () => {
  expect(read(gzipSync(sentence), "gzip")).toBe(sentence);
  expect(read(gzipSync(sentence), " GZIP ")).toBe(sentence);
  const long = Array.from({ length: 5000 }, (_, n) => `error ${n};`).join("");
  const packed = gzipSync(long);
  const text = read(packed.subarray(0, packed.length / 2), "gzip", { isCut: true });
  expect(text.length).toBeGreaterThan(100);
  expect(long.startsWith(text)).toBe(true);
});

test("a body that is no gzip, becomes too long, or is packed in another way gives no text", () => {
  expect(read(Buffer.from(sentence), "gzip")).toBe("");
  const bomb = gzipSync(Buffer.alloc(48 * 1024 * 1024, "x"));
  const before = process.memoryUsage().arrayBuffers;
  expect(read(bomb, "gzip")).toBe("");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  for (const coding of ["br", "zstd", "made-up", "gzip, gzip"]) {
    expect(read(Buffer.from(sentence), coding)).toBe("");
  }
});

test("whatever the bytes are, nothing is thrown, and the text is never too long", () => {
  const damaged = fc.tuple(fc.string(), fc.nat(40), fc.nat(255)).map(([text, at, value]) => {
    const packed = gzipSync(text);
    packed[at % packed.length] = value;
    return packed;
  });
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged);
  fc.assert(
    fc.property(bytes, fc.constantFrom("gzip", ""), fc.boolean(), (body, of, isCut) => {
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
