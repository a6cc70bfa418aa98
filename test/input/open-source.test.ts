import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import { cut, readAll, refusal, rowsOf, streamOf } from "./given-bytes.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "eventload-source-"));
});
afterAll(() => rm(folder, { recursive: true }));

const fileAt = (path: string): InputSpec => ({ kind: "file", path, name: "people.csv" });

test("a missing file, a folder and a file that may not be read are told apart", async () => {
  const missing = join(folder, "missing.csv");
  expect(await refusal(fileAt(missing))).toBe(`input_not_found: There is no file ${missing}.`);
  expect(await refusal(fileAt(folder))).toBe(
    `input_unreadable: ${folder} cannot be read: it is a directory.`,
  );
  const locked = join(folder, "locked.csv");
  await writeFile(locked, "a\n");
  await chmod(locked, 0);
  // The superuser may read everything.
  expect(await refusal(fileAt(locked))).toBe(
    process.getuid?.() === 0
      ? "opened"
      : `input_unreadable: ${locked} cannot be read: permission denied.`,
  );
});

test("a stream that fails at once is refused with its reason", async () => {
  expect(await refusal(streamOf(new Error("EIO: i/o error")))).toBe(
    "input_damaged: people.csv: line 1 and what follows cannot be read (EIO: i/o error): check the file or its disk. Nothing was sent.",
  );
});

test("a read error is reported with the line from which rows are missing", async () => {
  const { rows, damage } = await readAll(streamOf("a,b\n1,2\n3,4\n5", new Error("EIO: i/o error")));
  expect(rows.map(({ row }) => row)).toEqual([1, 2]);
  expect(damage).toMatchObject({
    line: 4,
    message: "line 4 and what follows cannot be read (EIO: i/o error): check the file or its disk.",
  });
});

test("what has no column stands in the message in full", async () => {
  const long = `${"x".repeat(5000)}\u202e"end`;
  const [row] = await rowsOf(`a,b\n1,2,"${long.replace('"', '""')}"\n`);
  const [, shown = ""] = row?.problem?.message.split("without a column: ") ?? [];
  expect(shown).not.toContain("\u202e");
  expect(JSON.parse(shown)).toBe(long);
});

test.each([",", "::"])("a quoted nothing alone on its line is no row (%s)", async (delimiter) => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const lines = [`a${delimiter}b`, '""', "", `1${delimiter}2`, `3${delimiter}"4"`, "", '""'];
    for (const last of ["", end, end + end]) {
      const text = lines.join(end) + last;
      for (const size of [text.length, 1]) {
        const read = await readAll(streamOf(...cut(Buffer.from(text), [size])), { delimiter });
        expect(read.rows.map(({ line, problem }) => [line, problem?.code])).toEqual([
          [4, undefined],
          [5, undefined],
        ]);
        expect(read.blankLines).toBe(last === end + end ? 5 : 4);
      }
    }
  }
});

test("a stream that is left early is let go of, so that nothing keeps the program alive", async () => {
  const stream = Readable.from([Buffer.from("a\n1\n2\n3"), Buffer.from("4\n")]);
  const source = await openSource({ kind: "stream", stream, name: "stdin" });
  for await (const _ of source.batches) break;
  await source.close();
  expect(stream.destroyed).toBe(true);
});

test("a stream of which no row was asked for is let go of too", async () => {
  let letGo = false;
  async function* stream() {
    try {
      yield Buffer.from("a\n1\n");
      yield Buffer.from("2\n");
    } finally {
      letGo = true;
    }
  }
  const source = await openSource({ kind: "stream", stream: stream(), name: "stdin" });
  await source.close();
  await new Promise(setImmediate);
  expect(letGo).toBe(true);
});

test("without a header, lines above the first row that hold nothing are counted, however many", async () => {
  const blank = "\n".repeat(2500);
  const wide = await readAll(streamOf(blank, "a,b\n"), { header: false });
  expect(wide.columns).toEqual(["1", "2"]);
  expect(wide.rows).toEqual([{ row: 1, line: 2501, cells: ["a", "b"] }]);
  expect(wide.blankLines).toBe(2500);
  for (const [text, more] of [
    ["", []],
    ["a\n", [[2501, "a"]]],
  ] as const) {
    const narrow = await readAll(streamOf(blank, text), { header: false });
    expect(narrow.rows.map(({ line, cells }) => [line, cells[0]])).toEqual(more);
    expect(narrow.blankLines).toBe(2500);
  }
});

test("of long rows, few are read before the first is passed on", async () => {
  let read = 0;
  async function* rows() {
    yield Buffer.from("a,b\n");
    for (; read < 20; read++) yield Buffer.from(`${read},${"x".repeat(600 * 1024)}\n`);
  }
  const source = await openSource({ kind: "stream", stream: rows(), name: "people.csv" });
  expect(read).toBeLessThan(5);
  const rowsRead: unknown[] = [];
  for await (const batch of source.batches) rowsRead.push(...batch);
  expect(rowsRead).toHaveLength(20);
});
