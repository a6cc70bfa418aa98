import fc from "fast-check";
import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { CannotStartError, InputDamagedError } from "../../src/model/errors.ts";
import type { Reading } from "../../src/model/reading.ts";
import type { Row } from "../../src/model/row.ts";
import { anySizes, cut, streamOf } from "./given-bytes.ts";

/** Everything that is told of an input. */
async function outcomeOf(bytes: Buffer, sizes: readonly number[], reading: Reading) {
  try {
    const source = await openSource(streamOf(...cut(bytes, sizes)), reading);
    const { columns, dialect, warnings, blankLines } = source;
    const rows: Row[] = [];
    const all = () => ({ columns, dialect, rows, warnings, blankLines: blankLines() });
    try {
      for await (const batch of source.batches) rows.push(...batch);
      return all();
    } catch (error) {
      if (!(error instanceof InputDamagedError)) throw error;
      return { ...all(), line: error.line, message: error.message };
    }
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return error.message;
  }
}

const parts = fc
  .array(
    fc.constantFrom(
      ...['"', ",", ";", "\t", "|", "\n", "\r", "\r\n", "a", "é", "\ufeff", "\0", "'", "sep=;\n"],
      ...[" ", "😀", ":", "\ufffd", "a,b,c\n", "1,2,3\n"],
    ),
    { maxLength: 30 },
  )
  .map((all) => all.join(""));

const anyBytes = fc.oneof(
  parts.map((text) => Buffer.from(text)),
  parts.map((text) => Buffer.from(`\ufeff${text}`, "utf16le")),
  fc
    .tuple(parts, parts)
    .map(([one, other]) =>
      Buffer.concat([Buffer.from(`a,b\n${one}`), Buffer.from([0xe9]), Buffer.from(other)]),
    ),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

// A record that is both too long and damaged is told as what is met first, so quotes mean nothing there.
const anyReading = fc.constantFrom<Reading>(
  ...[{}, { header: false }, { skipLines: 1 }, { quote: "" }, { quote: "'" }],
  ...[{ maxRecordBytes: 5, quote: "" }, { delimiter: ";" }, { delimiter: "::" }],
  ...["utf-16le", "shift_jis", "gb18030", "windows-1252"].map((encoding) => ({ encoding })),
);

test("whatever the bytes are, the same is reported of them however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, anySizes, anyReading, async (bytes, sizes, reading) => {
      const whole = await outcomeOf(bytes, [100_000], reading);
      expect(await outcomeOf(bytes, sizes, reading)).toEqual(whole);
    }),
    { numRuns: 1000 },
  );
});
