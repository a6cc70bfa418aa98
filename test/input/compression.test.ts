import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gunzip } from "../../src/input/compression.ts";
import { readTable } from "./given-workbook.ts";

const csv = (rows: number) =>
  Buffer.from(
    `Id,Name\n${Array.from({ length: rows }, (_, at) => `${at},Ann ${at * 7919}`).join("\n")}\n`,
  );

describe("a .gz", () => {
  it("that is cut off anywhere is an error", async () => {
    const packed = gzipSync(csv(50));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: packed.length - 1 }),
        fc.integer({ min: 1, max: packed.length }),
        async (length, pieceBytes) => {
          const cut = packed.subarray(0, length);
          await expect(readTable(cut, {}, pieceBytes)).rejects.toThrow("it was cut off");
        },
      ),
      { numRuns: 50 },
    );
  });

  it("says from which line on it cannot be read, after the rows before", async () => {
    const packed = gzipSync(csv(20_000));
    await expect(readTable(packed.subarray(0, packed.length - 9))).rejects.toMatchObject({
      name: "InputDamagedError",
      message: expect.stringMatching(
        /^line \d{3,} and what follows cannot be read \(the gzip data ends after \d+ bytes in the middle: it was cut off, fetch the file again\)/,
      ),
    });
  });

  it("followed by something after zeros is an error", async () => {
    const packed = Buffer.concat([gzipSync(csv(10)), Buffer.alloc(20), gzipSync("x")]);
    for (const pieceBytes of [1, packed.length]) {
      await expect(readTable(packed, {}, pieceBytes)).rejects.toThrow("followed by something else");
    }
  });

  it("that grows without end is refused by its ratio or its size", async () => {
    const packed = gzipSync(Buffer.alloc(4 * 1024 * 1024, "a"));
    const unpack = async (limit: Parameters<typeof gunzip>[1]) => {
      async function* chunks() {
        yield packed;
      }
      let bytes = 0;
      for await (const chunk of gunzip(chunks(), limit)) bytes += chunk.length;
      return bytes;
    };
    const limit = { maxBytes: 1e9, freeBytes: 1e9 };
    expect(await unpack(limit)).toBe(4 * 1024 * 1024);
    await expect(unpack({ ...limit, freeBytes: 1e6 })).rejects.toThrow(
      "it unpacks to more than 500 times its size",
    );
    await expect(unpack({ ...limit, maxBytes: 2 * 1024 * 1024 })).rejects.toThrow(
      "it unpacks to more than 2 MiB",
    );
  });
});
