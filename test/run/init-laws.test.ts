import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { writeMapping } from "../../src/mapping/infer/write-mapping.ts";
import { lookAt } from "../../src/run/check/init.ts";
import { checkWithState } from "../../src/run/state/check-with-state.ts";
import { mapper, rowOf } from "../mapping/given-mapping.ts";
import { infer } from "../mapping/propose.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const two = (number: number) => String(number).padStart(2, "0");
const dates = fc
  .record({
    y: fc.integer({ min: 1900, max: 2099 }),
    m: fc.integer({ min: 1, max: 12 }),
    d: fc.integer({ min: 1, max: 28 }),
    h: fc.integer({ min: 0, max: 23 }),
    n: fc.integer({ min: 0, max: 59 }),
  })
  .map((parts) => ({ ...parts, at: `${two(parts.h)}:${two(parts.n)}` }));

/** What the cells of one column look like; the last may be anything. */
const kinds: readonly fc.Arbitrary<string>[] = [
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc.stringMatching(/^0{1,3}\d{1,5}$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.stringMatching(/^-?\d{1,3}(\.\d{3}){0,2}(,\d{1,3})?$/),
  fc.stringMatching(/^-?\d{1,3}(,\d{3}){0,2}(\.\d{1,3})?$/),
  fc.stringMatching(/^\d{1,3}([' ]\d{3}){0,2}([.,]\d\d)?$/),
  dates.map(({ y, m, d }) => `${y}-${two(m)}-${two(d)}`),
  dates.map(({ y, m, d, at }) => `${two(d)}/${two(m)}/${y} ${at}`),
  dates.map(({ y, m, d }) => `${m}/${d}/${y % 100}`),
  dates.map(({ y, m, d, at }) => `${d}.${m}.${y} ${at}:00`),
  dates.map(({ y, m, d, at }) => `${y}-${two(m)}-${two(d)} ${at}`),
  fc.constantFrom("ja", "nein", "JA"),
  fc.constantFrom("0", "1"),
  fc.constantFrom("Y", "N", "NULL", "N/A", "0/0/00"),
  fc.emailAddress(),
  fc.stringMatching(/^[a-z]{1,4}@[a-z]{1,4}$/),
  fc
    .array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1, maxLength: 4 })
    .map((l) => l.join(";")),
  fc
    .array(fc.stringMatching(/^"?[a-z]{1,5}"?$/), { minLength: 1, maxLength: 3 })
    .map((l) => l.join(",")),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.integer({ min: 1, max: 99_999 }).map(String),
  fc.stringMatching(/^-?\$\d{1,3}(,\d{3})?\.\d\d$/),
  fc.stringMatching(/^'[+-]?\d{1,9}$/),
  fc.stringMatching(/^("[a-z, ]{1,9}",)*"[a-z"]{1,5}"?$/),
  dates.map(({ y, d, n }) => `${two(d)}-MAY-${two(y % 100)} 11.${two(n)}.00.123456 PM`),
  fc.string({ unit: "binary", maxLength: 12 }),
];
const header = fc.oneof(
  fc.constantFrom(
    ...[
      "Email",
      "E-mail 2 - Value",
      "PLZ",
      "Geburtsdatum",
      "created_at",
      "Tags",
      "is_active",
      "id",
    ],
    ...[
      "Telefon",
      "event",
      "__proto__",
      "constructor",
      "42",
      "true",
      "",
      " ",
      "Name",
      "Straße",
      "日付",
    ],
  ),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.string({ unit: "binary", minLength: 80, maxLength: 90 }),
);

const column = fc.record({ header, kind: fc.constantFrom(...kinds) }).chain(({ header, kind }) =>
  fc
    .array(fc.oneof({ weight: 9, arbitrary: kind }, fc.constantFrom("", " ")), {
      minLength: 8,
      maxLength: 8,
    })
    .map((cells) => ({ header, cells })),
);

it("the mapping of any table loads, and no row that it was made from is invalid", () => {
  fc.assert(
    fc.property(
      fc.array(column, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 8 }),
      fc.record({ maskSamples: fc.boolean(), isAnswered: fc.boolean() }),
      fc.boolean(),
      (table, rowCount, options, isWhole) => {
        const columns = table.map(({ header }) => header);
        const rows = Array.from({ length: rowCount }, (_, at) =>
          table.map(({ cells }) => cells[at] ?? ""),
        );
        const inferred = infer(columns, rows, { isWhole });
        const text = writeMapping(inferred, { schema: "s.json", about: ["A\nB"], ...options });
        const mapRow = mapper(text, columns);
        for (const cells of rows) expect(mapRow(rowOf(cells)).kind).toBe("events");
        const usable = columns.filter(
          (name) => columns.indexOf(name) === columns.lastIndexOf(name),
        );
        expect(inferred.members.map(({ column }) => column)).toEqual(
          usable.filter((name) => name.trim() !== ""),
        );
      },
    ),
    { numRuns: 150 },
  );
});

/** Columns of which some cells are not like the others. */
const dirtyColumn = fc.constantFrom(...kinds).chain((kind) =>
  fc.array(
    fc.oneof(
      { weight: 60, arbitrary: kind },
      {
        weight: 2,
        arbitrary: fc.constantFrom("", "unknown", "?", "12a", "2024-02-30", "007", "-"),
      },
      { weight: 1, arbitrary: fc.constantFrom(..."'12,NULL,1.5,a@b,31/04/24,yes".split(",")) },
    ),
    { minLength: 45, maxLength: 45 },
  ),
);
const lastWords = ["", "date", "active", "email", "amount", "latitude", "id", "tags", "birthday"];
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/** How many odd cells a comment above each column's member counts, and the rows that it names. */
function announced(proposal: string): Map<string, { count: number; rows: number[] }> {
  const found = new Map<string, { count: number; rows: number[] }>();
  let above = "";
  for (const line of proposal.split("\n")) {
    const [, column = ""] = /^ {2}[^ #].*\b(c\d+)\b/.exec(line) ?? [];
    if (column !== "") {
      const [, fit = "0", all = "0", , places = ""] =
        /: ([\d,]+) of ([\d,]+)(, [\d,]+ blank)?; not: (.*); such as /.exec(above) ?? [];
      const rows = [...places.matchAll(/row (\d+) "/g)].map(([, row]) => Number(row));
      found.set(column, { count: Number(all) - Number(fit), rows });
      above = "";
    } else above += `${line}\n`;
  }
  return found;
}

it("check has no problem with the file that no comment of the mapping announces", async () => {
  const folder = await temporaryFolder();
  const [input, mapping] = [join(folder, "people.csv"), join(folder, "people.yaml")];
  let announcedCells = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(dirtyColumn, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 1, max: 45 }),
      fc.array(fc.constantFrom(...lastWords), { minLength: 4, maxLength: 4 }),
      async (columns, rowCount, words) => {
        const names = columns.map((_, at) => `c${at} ${words[at]}`.trim());
        const rows = Array.from({ length: rowCount }, (_, at) =>
          columns.map((cells) => quoted(cells[at] ?? "")).join(","),
        );
        await writeFile(input, `${[names.join(","), ...rows].join("\n")}\n`);
        const look = await lookAt({ input }, { delimiter: "," });
        const proposal = look.propose({ schema: "s.json", maskSamples: false });
        await writeFile(mapping, proposal);
        const invalid = new Map(names.map((name): [string, number[]] => [name, []]));
        const unreadable = new Set<number>();
        await checkWithState({
          ...{ input, mapping, reading: { delimiter: "," } },
          onProblem: ({ row, problem }, { column = "" }) => {
            if (problem === undefined) invalid.get(column)?.push(row);
            else unreadable.add(row);
          },
        });
        const { size } = unreadable;
        expect(proposal).toContain(size === 0 ? "" : `${size} more could not be read`);
        const counts = announced(proposal);
        for (const [name, at] of invalid) {
          const { count, rows } = counts.get(name.split(" ")[0] ?? "") ?? { count: 0, rows: [] };
          announcedCells += count;
          expect([name, count, rows]).toEqual([name, at.length, at.slice(0, 3)]);
        }
      },
    ),
    { numRuns: 40 },
  );
  expect(announcedCells).toBeGreaterThan(0);
});
