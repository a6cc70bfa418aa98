import { describe, expect, it } from "vitest";
import { blankedBy } from "../../src/page/blank-steps.ts";
import { type Card, cardsOf } from "../../src/page/cards.ts";
import type { Counted, Way } from "../../src/page/contract.ts";
import { readTable, stepsOfMember } from "../../src/page/mapping-table.ts";
import type { KnownCells } from "../../src/page/ways.ts";
import { conversionKeys } from "../../src/run/prepare/read-mapping.ts";
import { pageOf } from "./page-under-test.ts";

const head = "version: 1\nresource: contacts\nevent: x\nmembers:\n";

/** A page of one column beside names, with what it makes of its problems. */
async function problemsOf(member: string, cells: readonly string[], last?: string) {
  const rows = cells.map((cell, at) => `n${at + 1},"${cell}"`);
  const all = last === undefined ? rows : [...rows, `${last},`];
  const { check, count } = await pageOf(`Id,C\n${all.join("\n")}\n`, `${head}  id: Id\n`);
  return {
    text: `${head}  id: Id\n  c: ${member} # theirs\n`,
    async cards(text: string): Promise<readonly Card[]> {
      const answer = await check(text);
      if (answer.kind !== "is") throw new Error(JSON.stringify(answer));
      const counts = new Map<string, Counted>();
      for (;;) {
        const wants: Way[] = [];
        const known = (column: string): KnownCells => ({
          ofTypes: conversionKeys,
          values: answer.what.columns.find((one) => one.column === column)?.values ?? [],
          count(given) {
            const nulls = (_: string, value: unknown) => value ?? null;
            const way = JSON.parse(
              JSON.stringify(given, (key, value) => (key === "path" ? value : nulls(key, value))),
            );
            const found = counts.get(JSON.stringify(way));
            if (found === undefined) wants.push(way);
            return found;
          },
        });
        const cards = cardsOf(answer.what, readTable(text)!, known);
        if (wants.length === 0) return cards;
        const counted = await count(text, wants);
        if (counted.kind !== "is") throw new Error(JSON.stringify(counted));
        for (const [at, way] of wants.entries()) counts.set(JSON.stringify(way), counted.what[at]!);
      }
    },
  };
}

const many = (times: number, ...cells: string[]) => Array(times).fill(cells).flat() as string[];

describe("the best fix of a problem does what it says, and is taken back without a trace", () => {
  it.each<
    readonly [
      what: string,
      member: string,
      cells: string[],
      label: string,
      effect: string,
      row: number,
    ]
  >([
    [
      "words for yes and no",
      "{ column: C, type: boolean, true_values: [ ja ], false_values: [ nein ] }",
      ["ja", "nee", "Oui", "oui"],
      "oui = yes; nee = no",
      "fixes 3 cells",
      2,
    ],
    [
      "a second form of dates",
      "{ column: C, type: date }",
      ["2024-05-31", "31.05.2024", "01.02.2023"],
      "Also accept dd.MM.yyyy",
      "fixes 2 cells",
      2,
    ],
    [
      "a second form of times",
      "{ column: C, type: datetime, timezone: UTC }",
      ["2024-05-31T10:00", "31.05.2024 10:00"],
      "Also accept dd.MM.yyyy HH:mm",
      "fixes 1 cell",
      2,
    ],
    [
      "a point beside commas",
      '{ column: C, type: number, decimal_separator: ",", thousands_separator: "." }',
      ["1.250,00", "99.50", "3,5"],
      "Also accept a point",
      "fixes 1 cell",
      2,
    ],
    [
      "numbers in another writing",
      "{ column: C, type: number }",
      ["1.250,00", "99,50"],
      "Read them like 1.234,50",
      "fixes 2 cells",
      1,
    ],
    [
      "thousands of whole numbers",
      "{ column: C, type: integer }",
      ["1.250", "3.000.000", "7"],
      "Read them like 1.234",
      "fixes 2 cells",
      1,
    ],
    [
      "addresses that are none",
      "{ column: C, transform: [ trim, lowercase ], format: email }",
      ["a@x.org", " b(at)x.org", "C+D@"],
      "Also accept ada(at)x.org",
      "fixes 1 cell",
      2,
    ],
    [
      "addresses of which nothing can be made",
      "{ column: C, format: email }",
      ["a@x.org", "C+D@", "n"],
      "Count them as blank",
      "fixes 2 cells",
      2,
    ],
    [
      "a currency beside numbers",
      '{ column: C, type: number, decimal_separator: "," }',
      ["12,50", "120,00 €", "EUR 3", "free"],
      "Also accept 120 €",
      "fixes 2 cells",
      2,
    ],
    [
      "a word among dates",
      "{ column: C, type: date }",
      ["2024-05-31", "unknown [?]"],
      "Count it as blank",
      "fixes 1 cell",
      2,
    ],
    [
      "codes without a meaning",
      "{ column: C, map: { A: active } }",
      ["A", "B", "B", "constructor"],
      "Send them as they are",
      "fixes 3 cells",
      2,
    ],
    [
      "a blank cell that the row needs",
      "{ column: C, required: true }",
      ["a", "", "b"],
      "Send the rows without it",
      "1 row",
      2,
    ],
    [
      "text that means no value",
      "C",
      ["a", "N/A", "b", "N/A"],
      "Count “N/A” as blank",
      "2 cells",
      2,
    ],
    ["space around", "C", ["a ", "b", " c"], "Remove the space", "fixes 2 cells", 1],
    ["numbers with comma and point", "C", many(3, "1,5", "2.5"), "Read it as number", "6 cells", 1],
    [
      "yes and no in several languages",
      "C",
      many(3, "ja", "nein", "oui", "non"),
      "Read it as yes / no",
      "12 cells",
      1,
    ],
    [
      "dates in two forms",
      "C",
      many(3, "2024-05-31", "31.05.2024"),
      "Read it as date",
      "6 cells",
      1,
    ],
    [
      "zeros that a number loses",
      "{ column: C, type: integer }",
      ["007", "012", "113"],
      "Make it text",
      "fixes 2 cells",
      1,
    ],
  ])("%s", async (_, member, cells, label, effect, row) => {
    const { text, cards } = await problemsOf(member, cells);
    const [card] = await cards(text);
    const best = card?.fixes[0];
    expect({ label: best?.label, effect: best?.effect, row: card?.row }).toEqual({
      label,
      effect,
      row,
    });
    const change = best!.change!;
    const edited = change.apply(text)!;
    const left = (await cards(edited)).filter(({ key }) => key === card?.key);
    const isWhole = effect.includes(` ${card?.tag}`) || !effect.startsWith("fixes");
    expect(left.flatMap(({ fixes }) => fixes[0]?.label)).toEqual(
      isWhole ? [] : ["Count it as blank"],
    );
    expect([text, edited].map((one) => change.holds(one, edited))).toEqual([false, true]);
    expect(edited).toContain("# theirs");
    // An edit elsewhere stays.
    const later = edited.replace("  id: Id\n", "  number: Id\n");
    expect(change.undo(later, text)).toBe(text.replace("  id: Id\n", "  number: Id\n"));
  });

  it("a total below the rows is left out, and is nothing to look at any more", async () => {
    const { text, cards } = await problemsOf("C", many(10, "a", "b"), "Total");
    const [card] = await cards(text);
    expect(card).toMatchObject({
      title: "The last row looks like a total",
      cells: [["Total", 1]],
      row: 21,
    });
    const change = card!.fixes[0]!.change!;
    const edited = change.apply(text)!;
    expect(edited).toContain("not_in: [ Total ]");
    expect(await cards(edited)).toEqual([]);
    expect(change.undo(edited, text)).toBe(text);
  });

  it.each([
    [
      "the number of a person",
      "Nr,Name,Born,Fee",
      (n: number) => `${n},n${n},2000-01-01,${n}`,
      "30,,,18240",
    ],
    [
      "no column that only it lacks",
      "Nr,A,B,C,D,Fee",
      (n: number) => `${n},${n % 2 ? "a,,c," : ",b,,d"},${n}`,
      "30,,,,,30",
    ],
    [
      "a word that a person has",
      "Name,Born,Fee",
      (n: number) => `${n % 4 ? "Ada" : "Total"},2000-01-01,${n}`,
      "Total,,18240",
    ],
  ])("a last row with %s goes alone", async (_, columns, rowOf, last) => {
    const rows = Array.from({ length: 30 }, (_, at) => rowOf(at + 1));
    const { check } = await pageOf(`${[columns, ...rows, last].join("\n")}\n`);
    const text = `${head}  id: ${columns.split(",")[0]}\n`;
    const checked = async (given: string) => {
      const answer = await check(given);
      if (answer.kind !== "is") throw new Error(JSON.stringify(answer));
      return answer.what;
    };
    const before = await checked(text);
    const known = () => ({ ofTypes: conversionKeys, values: [], count: () => undefined });
    const card = cardsOf(before, readTable(text)!, known).find(({ key }) => key === "last_rows");
    const after = await checked(card!.fixes[0]!.change!.apply(text)!);
    expect(after).toMatchObject({ rows: 31, skippedRows: 1, invalidRows: 0 });
  });

  it("rows that share a key are named, as check does", async () => {
    const { text, cards } = await problemsOf("C", many(20, "a", "b", "c"), "n7");
    const found = await cards(`${text}ordering_key: [ Id ]\n`);
    const card = found.find(({ key }) => key.startsWith("duplicate_keys"));
    expect(card?.rest).toMatch("1 row has the ordering key of an earlier one");
    expect(card?.row).toBe(61);
  });

  it("cells that one pattern cannot hold count as blank all the same", async () => {
    const wrong = Array.from(
      { length: 60 },
      (_, at) => `${"xyz"[at % 3]}${at}.person.${at * 7919}@`,
    );
    const long = "a name where an address should be ".repeat(5).trim();
    const { text, cards } = await problemsOf("{ column: C, format: email }", [
      "a@x.org",
      ...wrong,
      long,
    ]);
    const [card] = await cards(text);
    const [best] = card!.fixes;
    expect(best).toMatchObject({ label: "Count them as blank", effect: "fixes 61 cells" });
    const edited = best!.change!.apply(text)!;
    expect(await cards(edited)).toEqual([]);
    const steps = stepsOfMember(readTable(edited)!.members[1]!);
    const blanked = new Set(steps.flatMap(blankedBy));
    expect([...wrong, long].filter((cell) => !blanked.has(cell.trim()))).toEqual([]);
  });
});
