import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  type InputType,
} from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

describe("a packed body", () => {
  test.each(Object.entries(packers))("%s is unpacked", async (coding, pack) => {
    const whole = { text: sentence, isCut: false };
    expect(await read(pack(sentence), coding)).toEqual(whole);
    expect(await read(pack(sentence), ` ${coding.toUpperCase()} , identity`)).toEqual(whole);
  });

  test("deflate without its header is unpacked too", async () => {
    expect(await read(deflateRawSync(sentence), "deflate")).toMatchObject({ text: sentence });
  });

  test("several codings are undone from the last to the first", async () => {
    const packed = brotliCompressSync(gzipSync(deflateSync(sentence)));
    expect(await read(packed, "deflate, gzip, br")).toMatchObject({ text: sentence });
    expect(await read(packed, "br, gzip, deflate")).toEqual({ text: "", isCut: expect.anything() });
  });

  test("of more than three codings says nothing", async () => {
    const packed = [1, 2, 3].reduce((bytes) => gzipSync(bytes), Buffer.from(sentence));
    expect(await read(packed, "gzip, identity, gzip, gzip")).toMatchObject({ text: sentence });
    expect(await read(gzipSync(packed), "gzip, gzip, gzip, gzip")).toEqual({
      text: "",
      isCut: false,
    });
  });

  test.each(Object.entries(packers))(
    "%s of a thousand times its size is unpacked up to the cap, and no further",
    async (coding, pack) => {
      const packed = pack(Buffer.alloc(48 * 1024 * 1024, "x"));
      const before = process.memoryUsage().arrayBuffers;
      const { text, isCut } = await read(packed, coding);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
      expect(text).toBe("x".repeat(most));
      expect(isCut).toBe(true);
    },
  );

  test("a bomb in a bomb is no more", async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(20 * 1024 * 1024)));
    const { text } = await read(bomb, "gzip, gzip");
    expect(text.length).toBeLessThanOrEqual(most);
  });

  test("that was cut says what there is", async () => {
    const long = Array.from({ length: 5000 }, (_, n) => `error ${n};`).join("");
    const packed = gzipSync(long);
    const { text, isCut } = await read(packed.subarray(0, packed.length / 2), "gzip", {
      isCut: true,
    });
    expect(text.length).toBeGreaterThan(100);
    expect(long.startsWith(text)).toBe(true);
    expect(isCut).toBe(true);
  });

  test("that ends early is cut, though all of it was read, and so is what goes on", async () => {
    const packed = gzipSync("no such plan: ".repeat(500));
    expect(await read(packed.subarray(0, -12), "gzip")).toMatchObject({ isCut: true });
    expect(await read(packed, "gzip", { isCut: true })).toMatchObject({ isCut: true });
  });

  test("whose label is wrong is read as it is, where it is text", async () => {
    for (const coding of Object.keys(packers)) {
      expect(await read(Buffer.from(sentence), coding)).toMatchObject({ text: sentence });
    }
    expect(await read(gzipSync(sentence), "br")).toMatchObject({ text: "" });
  });

  test.each(["zstd", "compress", "made-up", "gzip;q=1"])("in %s says nothing", async (coding) => {
    expect(await read(Buffer.from([1, 2, 3]), coding)).toEqual({ text: "", isCut: false });
  });

  test("of whatever bytes never fails, and never is too long", async () => {
    const codings = fc.array(fc.constantFrom("gzip", "deflate", "br", "identity", "x"), {
      maxLength: 5,
    });
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
    await fc.assert(
      fc.asyncProperty(bytes, codings, fc.boolean(), async (body, coding, isCut) => {
        const { text } = await read(Buffer.from(body), coding.join(", "), { isCut });
        expect(text.length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("text", () => {
  test.each([
    ["text/plain; charset=iso-8859-1", Buffer.from("naïve", "latin1")],
    ['text/plain; charset="ISO-8859-1"', Buffer.from("naïve", "latin1")],
    ["text/plain;Charset=windows-1252", Buffer.from("naïve", "latin1")],
    ["text/plain; charset=utf-16le", Buffer.from("naïve", "utf16le")],
    ["text/plain; charset=utf-8", Buffer.from("naïve", "utf16le")],
    ["text/plain; charset=utf-16le", Buffer.from("naïve", "utf16le").swap16()],
    ["text/plain; charset=utf-16", Buffer.from("naïve")],
    ["text/plain", Buffer.from("\ufeffnaïve", "utf16le")],
    ["text/plain", Buffer.from("\ufeffnaïve", "utf16le").swap16()],
    ["text/plain", Buffer.from("naïve")],
    ["text/plain; charset=made-up", Buffer.from("naïve")],
    ["", Buffer.from("\ufeffnaïve")],
  ])("in %s is read", (contentType, bytes) => {
    expect(read(bytes, undefined, { contentType })).toEqual({ text: "naïve", isCut: false });
  });

  test("of other letters in UTF-16 goes by its label", () => {
    const contentType = "text/plain; charset=utf-16le";
    // Cyrillic and Thai are bytes that could be UTF-8 as well.
    for (const text of ["不存在的套餐", "Нет", "Нет такого тарифа", "ไม่มี"]) {
      const bytes = Buffer.from(text, "utf16le");
      expect(read(bytes, undefined, { contentType })).toMatchObject({ text });
    }
  });

  test("with a zero in it here and there is no UTF-16", () => {
    for (const text of ["no\0 such plan", "no \0such plan", "no\0\0\0\0\0\0\0\0"]) {
      expect(read(Buffer.from(text))).toMatchObject({ text });
    }
  });

  test("is not cut within a character", () => {
    const bytes = Buffer.from("naï").subarray(0, 3);
    expect(read(bytes, undefined, { isCut: true })).toEqual({ text: "na", isCut: true });
  });
});
