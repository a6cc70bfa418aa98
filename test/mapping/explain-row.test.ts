import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseMemberPath } from "../../src/mapping/compile-body.ts";
import { compileMapping, type Mapper } from "../../src/mapping/compile-mapping.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import type { EventExplanation } from "../../src/model/event.ts";
import { anyCell, anyMapping, columns } from "./any-mapping.ts";
import { bodies, head, instant, mapper, people, rowOf } from "./given-mapping.ts";

type Explain = (cells: readonly string[]) => readonly EventExplanation[];

function explainer(text: string, names: readonly string[]): Explain {
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error(JSON.stringify(loaded.problems));
  const columns = ["Name", "Code"];
  const table = { kind: "table" as const, columns, cells: ["France", "FR"], lines: [2] };
  const tables = new Map([["countries.csv", table]]);
  const compiled = compileMapping(loaded.mapping, names, people, tables);
  if (compiled.kind === "invalid") throw new Error(JSON.stringify(compiled.problems));
  const mapRow = text.includes("countries.csv") ? undefined : mapper(text, names);
  return (cells) => {
    const row = rowOf(cells, { row: 42, line: 57 });
    const mapped = mapRow?.(row);
    return compiled.explain?.(row, mapped?.kind === "events" ? mapped.events : [], instant) ?? [];
  };
}

function explain(text: string, names: readonly string[], cells: readonly string[]) {
  return explainer(text, names)(cells);
}

/** The steps to a member of one column A, as `by of value`, and what comes of them. */
function stepsTo(member: string, cell: string, file = ""): readonly string[] {
  const [event] = explain(`${head}${file}members:\n  m: ${member}\n`, ["A", "B"], [cell, "b"]);
  const { steps, value, problem } = event?.members[1] ?? { steps: [] };
  const told = steps.map(({ by, of = "", gives }) => `${by} ${of} ${JSON.stringify(gives)}`);
  return [...told, problem?.message ?? JSON.stringify(value) ?? "left out"];
}

describe("the steps to the value of a member", () => {
  it.each([
    ["A", "x", ['column A "x"', '"x"']],
    ["{ column: A, type: integer }", " 7 ", ['column A " 7 "', "type integer 7", "7"]],
    ["{ columns: [A, B] }", " ", ['column A " "', 'column B "b"', '"b"']],
    [
      'template: "{A|lowercase|trim}-{A|uppercase}", type: integer',
      "a ",
      [
        ...['column A "a "', 'template {A|lowercase|trim}-{A|uppercase} "a-A "'],
        "is not a whole number",
      ],
    ],
    ["{ column: A, map: { P: pro } }", "P", ['column A "P"', 'map  "pro"', '"pro"']],
    [
      "{ column: A, map: { P: pro }, otherwise: free }",
      "Q",
      ['column A "Q"', 'otherwise  "free"', '"free"'],
    ],
    ["{ meta: row }", "", ["meta row 42", "42"]],
    [
      "{ column: A, when: { column: B, in: [c, d] } }",
      "x",
      ['when column "B" among "c", "d" undefined', "left out"],
    ],
  ])("%s of %j", (member, cell, told) => {
    const form = member.startsWith("template") ? `{ ${member} }` : member;
    expect(stepsTo(form, cell)).toEqual(told);
  });

  it("tells of cells that the file has for nothing", () => {
    expect(stepsTo("{ column: A, default: d }", "NULL", "null_values: ['NULL']\n")).toEqual([
      'column A "NULL"',
      'null_values  ""',
      'default  "d"',
      '"d"',
    ]);
  });

  it("tells of cells that remove what there is", () => {
    expect(stepsTo("{ column: A, default: d }", "#N/A", "clear_values: ['#N/A']\n")).toEqual([
      'column A "#N/A"',
      "clear_values  null",
      "null",
    ]);
  });

  it("tells what was looked up together", () => {
    const member =
      "{ columns: [A, B], transform: trim, lookup: { file: countries.csv, key: [Name, Code], value: Code } }";
    const [event] = explain(`${head}members: { m: ${member} }\n`, ["A", "B"], ["France", "FR "]);
    expect(event?.members[1]).toMatchObject({
      steps: [
        { by: "column", of: "A", gives: "France" },
        { by: "column", of: "B", gives: "FR " },
        { by: "lookup", of: "countries.csv", gives: "FR" },
      ],
      value: "FR",
    });
  });
});

test("the last step of a member gives what is in the body, of any mapping", () => {
  let compared = 0;
  const compare = (cells: readonly string[], mapRow: Mapper, explainRow: Explain) => {
    const mapped = mapRow(rowOf(cells, { row: 42, line: 57 }));
    const explained = explainRow(cells);
    if (mapped.kind === "invalid") {
      const told = explained.flatMap(({ members }) => members.map(({ problem }) => problem));
      expect(told.filter((problem) => problem !== undefined)).toEqual(mapped.problems);
      return;
    }
    const made = explained.filter(({ leftOut }) => leftOut === undefined);
    const sent = mapped.kind === "events" ? bodies(mapped) : [];
    expect(made.length).toBe(sent.length);
    for (const [at, { members }] of made.entries()) {
      const body = JSON.parse(sent[at] ?? "");
      for (const { name, steps, value } of members) {
        expect(steps.at(-1)?.gives).toEqual(value);
        compared++;
        const path = parseMemberPath(name);
        // Places in lists close up where one before them is left out.
        if (path.some((step) => typeof step === "number")) continue;
        let found = body;
        // A member that is left out may be called "constructor".
        for (const step of path) {
          found = Object.hasOwn(found ?? {}, step) ? found[step] : undefined;
        }
        expect(found).toEqual(value);
      }
    }
  };
  const anyCells = fc.array(anyCell, { minLength: columns.length, maxLength: columns.length });
  const anyRows = fc.array(anyCells, { minLength: 3, maxLength: 6 });
  fc.assert(
    fc.property(anyMapping, anyRows, (mapping, rows) => {
      const text = JSON.stringify(mapping);
      const [mapRow, explainRow] = [mapper(text, columns), explainer(text, columns)];
      for (const cells of rows) compare(cells, mapRow, explainRow);
    }),
    { numRuns: 100 },
  );
  expect(compared).toBeGreaterThan(20);
});
