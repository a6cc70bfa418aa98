import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { goneEvent } from "../../src/model/event.ts";
import { ResultsReader } from "../../src/results/results-reader.ts";
import { csvCells } from "../../src/results/to-csv.ts";
import {
  anyLines,
  cellsOfLine,
  chunkSizes,
  columnsOf,
  fingerprintOf,
  openText,
  textOf,
  type WrittenLine,
} from "./written-results.ts";

const files = fc.tuple(fc.nat(3), fc.boolean()).chain(([inputColumns, hasSources]) =>
  fc.record({
    columns: fc.constant(columnsOf(inputColumns, hasSources)),
    lines: anyLines(inputColumns),
  }),
);

const oneLine: WrittenLine = {
  ...{ row: 7, cells: ["Ann"], event: "1", status: "failed" },
  ...{ attempts: 3, unanswered: 1, error: 'no,\n"answer"' },
};

test("any cells come back as they were written, however the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(files, chunkSizes, async ({ columns, lines }, sizes) => {
      const text = textOf(columns, lines);
      const reader = await openText(text, sizes);
      expect(reader.columns).toEqual(columns);
      let read = reader.header.toString();
      for (const line of lines) {
        expect(reader.row).toBe(line.row);
        const { attempts, unanswered, error } = line;
        expect(reader.said).toMatchObject({
          outcome: {
            ...{ status: line.status || "not_sent", attempts, unanswered },
            event: line.event === "gone" ? goneEvent : Number(line.event) || undefined,
            error: error || undefined,
          },
          place: { row: line.row, line: line.row + 1 },
        });
        expect(csvCells(reader.bytes().toString())).toEqual(
          cellsOfLine(line, columns.includes("import_source")),
        );
        read += reader.bytes().toString();
        await reader.next();
      }
      expect(reader.row).toBeUndefined();
      expect(read).toBe(text);
      expect(reader.fingerprint()).toEqual(fingerprintOf(text));
    }),
  );
});

/** The numbers of all rows. */
async function rowsOf(text: string | Buffer, sizes?: readonly number[]): Promise<number[]> {
  const reader = await openText(text, sizes);
  const rows: number[] = [];
  while (reader.row !== undefined) {
    rows.push(reader.row);
    await reader.next();
  }
  return rows;
}

describe("a file that is not as it was written is refused", () => {
  const lines = [oneLine, { ...oneLine, row: 9 }];
  const whole = textOf(columnsOf(1), lines);

  test("cut anywhere but after a line", async () => {
    const text = Buffer.from(whole);
    const ends = [0, 1, 2].map((count) => textOf(columnsOf(1), lines.slice(0, count)).length);
    for (let length = 0; length < text.length; length++) {
      const reading = rowsOf(text.subarray(0, length), [length % 7 === 0 ? 1 : 64]);
      if (ends.includes(length)) expect(await reading).toHaveLength(ends.indexOf(length));
      else if (length < (ends[0] ?? 0)) await expect(reading).rejects.toThrow("it has no header");
      else await expect(reading).rejects.toThrow("its last line is cut off");
    }
  });

  test.each([
    ["of something else", "a,b\n1,2\n", "it is not a results file of eventload"],
    ["without a status", "import_row,a\n1,2\n", "it is not a results file of eventload"],
    ["in another order", whole.replace("Ann,7", "Ann,10"), "row 9 comes after row 10"],
    ["with a row 0", whole.replace("Ann,7", "Ann,0"), "row 0 comes after row 0"],
    ["with a line of no row", whole.replace("Ann,7", "Ann,"), "row 0 comes after row 0"],
    ["saved by another program", whole.replace("Ann,7", "Ann,7.0"), "near row 0 has no numbers"],
    ["with a cell more", whole.replace("Ann,9", "Ann,x,9"), "near row 7 has another number of"],
    ["with a cell less", whole.replace("Ann,9,", "Ann,9"), "near row 7 has another number of"],
  ])("%s", async (_, text, why) => {
    await expect(rowsOf(text)).rejects.toThrow(why);
  });

  test("a status or a number that eventload does not write, when somebody asks for it", async () => {
    for (const status of ["Failed", "faile", "failed ", "not_sent"]) {
      const reader = await openText(whole.replace(",failed,", `,${status},`));
      expect(() => reader.said).toThrow("a line of row 7 has a status that eventload does not");
    }
    for (const counts of [",3.0,1,", ",3,x,"]) {
      const reader = await openText(whole.replace(",3,1,", counts));
      expect(() => reader.counted).toThrow("no numbers");
    }
  });

  test("and one that cannot be read says why, at its beginning and later", async () => {
    const broken = async function* (text: string) {
      if (text !== "") yield Buffer.from(text);
      throw Object.assign(new Error("EIO: i/o error"), { code: "EACCES" });
    };
    const open = (text: string) =>
      ResultsReader.open(broken(text), "people.results.csv", (why) => new Error(why));
    const refused = {
      code: "input_unreadable",
      message: "people.results.csv cannot be read: permission denied.",
    };
    await expect(open("")).rejects.toMatchObject(refused);
    const reader = await open(textOf(columnsOf(1), [oneLine]));
    expect(reader.row).toBe(7);
    await expect(reader.next()).rejects.toMatchObject(refused);
  });
});
