import fc from "fast-check";
import { expect, test } from "vitest";
import { CannotStartError } from "../../src/model/errors.ts";
import type { Row } from "../../src/model/row.ts";
import { anySizes, cut, readAll, streamOf } from "./given-bytes.ts";
import { anyWrittenTable, rowsAmong, type WrittenTable } from "./given-dialects.ts";

type Damage = { readonly kind: "delete" | "insert" | "change"; readonly at: number; byte: number };

const anyByte = fc.oneof(
  fc.constantFrom(...Buffer.from("\"\n\r,;\t|'^\0 a")),
  fc.integer({ min: 0, max: 255 }),
);

const anyDamage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("delete", "insert", "change"),
  at: fc.nat(),
  byte: anyByte,
});

/** @param at the place of the byte, within the bytes */
function damaged(bytes: Buffer, { kind, byte }: Damage, at: number): Buffer {
  const before = bytes.subarray(0, at);
  const middle = kind === "delete" ? [] : [byte];
  const after = bytes.subarray(kind === "insert" ? at : at + 1);
  return Buffer.concat([before, Buffer.from(middle), after]);
}

/** The lines of bytes, decoded by other code than that which is tested. */
function linesOf(bytes: Buffer, { encoding }: WrittenTable["dialect"]): string[] {
  const mark = bytes.subarray(0, 2).toString("hex");
  const label = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : encoding;
  const text = new TextDecoder(label).decode(bytes).replace(endMark, "");
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: DOS ended texts with it
const endMark = /\u001a[\u001a\r\n]*$/;

/** What stands in a text apart from what CSV puts between and around cells. */
function bare(texts: readonly string[], { delimiter, quote }: WrittenTable["dialect"]): string {
  const signs = new Set(["\r", "\n", "\ufeff", delimiter, quote, ...',;\t|"']);
  return [...texts.join("")].filter((character) => !signs.has(character)).join("");
}

/** All cells of a row, also those that have no column. */
function cellsOf({ cells, problem }: Row): string[] {
  const [, surplus = ""] = problem?.message.split("without a column: ") ?? [];
  return [...cells, ...(JSON.parse(`[${surplus}]`) as string[])];
}

const lineBreaks = (cells: readonly string[]) =>
  cells.reduce((sum, cell) => sum + cell.split(/\r\n|\n|\r/).length - 1, 0);

test("with a byte deleted, inserted or changed, every line is still accounted for", async () => {
  const ends = { refused: 0, damaged: 0, read: 0 };
  await fc.assert(
    fc.asyncProperty(
      anyWrittenTable({ hasSepLine: false }),
      anyDamage,
      anySizes,
      async (written, damage, sizes) => {
        const { dialect, records, reading } = written;
        // Node 20 takes windows-1252 for ISO 8859-1, which differs in these.
        if (dialect.encoding === "windows-1252" && damage.byte >> 5 === 4) return;
        const at = damage.at % written.bytes.length;
        const bytes = damaged(written.bytes, damage, at);
        const reads = readAll(streamOf(...cut(bytes, sizes)), reading);
        const opened = await reads.catch((error: unknown) => {
          // Nothing is read of it at all, and the sentence says why.
          if (error instanceof CannotStartError) return undefined;
          throw error;
        });
        ends[opened === undefined ? "refused" : opened.damage === undefined ? "read" : "damaged"]++;
        if (opened === undefined) return;

        const { columns, rows, blankLines } = opened;
        const lines = linesOf(bytes, dialect);
        const end = opened.damage?.line ?? lines.length + 1;
        const first = dialect.titles.length + 1;
        const header = { line: first, cells: [...columns] };
        const spans = rows.map((row) => ({ line: row.line, cells: cellsOf(row) }));
        if (dialect.hasHeader) spans.unshift(header);
        let next = first;
        let blank = 0;
        const inkOf = (texts: readonly string[]) => bare(texts, dialect).replaceAll(/\s/g, "");
        for (const { line, cells } of [...spans, { line: end, cells: [] }]) {
          // What is left out holds nothing, or the header once more.
          const ink = inkOf(lines.slice(next - 1, line - 1));
          expect(ink.replaceAll(inkOf(columns) || "\0", "")).toBe("");
          for (; next < line; next++, blank++);
          if (line === end) break;
          expect(line).toBe(next);
          next += 1 + lineBreaks(cells);
          // Nothing of the lines is lost, and nothing is added to them.
          expect(bare(cells, dialect)).toBe(bare(lines.slice(line - 1, next - 1), dialect));
        }
        expect(next).toBe(end);
        expect(blankLines).toBeLessThanOrEqual(blank);

        // What stands before the damage is read as if there were none.
        if (reading.delimiter === undefined) return;
        const lineEndBytes = dialect.encoding.startsWith("utf-16") ? 2 : 1;
        const sound = records.filter((record) => record.end + lineEndBytes <= at).length;
        const before = rowsAmong(written, sound).rows.map(({ cells }) => cells);
        expect(rows.slice(0, before.length).map(({ cells }) => cells)).toEqual(before);
      },
    ),
    { numRuns: 600 },
  );
  // Neither is the law empty, nor does the damage always come to light.
  for (const count of Object.values(ends)) expect(count).toBeGreaterThan(20);
});
