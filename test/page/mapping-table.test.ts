import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileTransform } from "../../src/mapping/transform.ts";
import { blankedBy, blankSteps } from "../../src/page/blank-steps.ts";
import { addItems, removeItem, renameAt, restoreAt, setAt } from "../../src/page/edit-yaml.ts";
import { mappingOfWays } from "../../src/page/mapping-document.ts";
import {
  keysOfKind,
  type Member,
  type MemberKind,
  readTable,
} from "../../src/page/mapping-table.ts";

const ofTypes = ["type", "format", "separator"];

const before = `# people
version: 1 # always
resource: users
event: user.imported
# of each person
members:
  # the address
  email: { column: E-Mail, format: email } # as typed
  name: Name # short

  plan:
    column: Plan # a code
    map: { P: pro }
  long:
    value: |
      two
      lines
  tags: { column: Tags, type: list, separator: ";" }

# the end
`;

const when = ["when", "all"];

const find = (text: string, name: string) =>
  readTable(text)?.members.find((one) => one.name === name) as Member;

describe("an edit changes its place and nothing else", () => {
  it.each<readonly [what: string, (text: string) => string | undefined, string, string]>([
    [
      "a key on a line of its own",
      (text) => setAt(text, ["members", "plan"], { default: "free" }),
      "map: { P: pro }\n",
      "map: { P: pro }\n    default: free\n",
    ],
    [
      "one more code",
      (text) => setAt(text, ["members", "plan", "map", "F: x"], "free"),
      "map: { P: pro }",
      'map: { P: pro, "F: x": free }',
    ],
    [
      "another type takes its keys along",
      (text) => setAt(text, ["members", "tags"], keysOfKind("integer", {}, ofTypes)),
      'type: list, separator: ";" }',
      "type: integer }",
    ],
    [
      "what was undone is as it was written",
      (text) =>
        restoreAt(setAt(text, ["members", "email", "column"], "X")!, ["members", "email"], text),
      "email: { column: E-Mail, format: email }",
      "email: { column: E-Mail, format: email }",
    ],
    [
      "a member that is left out goes with its comments",
      (text) => setAt(text, ["members", "plan"], undefined),
      "\n  plan:\n    column: Plan # a code\n    map: { P: pro }\n",
      "",
    ],
    [
      "a new member is the last",
      (text) => setAt(text, ["members", "a b"], "X: y"),
      "\n# the end",
      '  a b: "X: y"\n\n# the end',
    ],
    [
      "cells that count as blank",
      (text) => addItems(addItems(text, ["null_values"], ["N/A"])!, ["null_values"], ["- c"]),
      "\n# the end",
      'null_values: [ N/A, "- c" ]\n\n# the end',
    ],
    [
      "rows without a cell",
      (text) => addItems(text, when, [{ column: "Plan", not_in: ["007"] }]),
      "\n# the end",
      'when: { all: [ { column: Plan, not_in: [ "007" ] } ] }\n\n# the end',
    ],
  ])("%s", (_, edit, from, to) => {
    expect(before).toContain(from);
    expect(edit(before)).toBe(before.replace(from, to));
  });

  it("adds a member also where all were left out", () => {
    const names = ["email", "name", "plan", "long", "tags"];
    const none = names.reduce((text, name) => setAt(text, ["members", name], undefined)!, before);
    expect(parse(none).members).toEqual({});
    const again = setAt(none, ["members", "name"], "Name")!;
    expect(again).toContain("\n  name: Name\n");
  });

  it.each([
    ["", []],
    ["when: { column: Plan, blank: false }\n", [{ column: "Plan", blank: false }]],
    ["when: { all: [{ column: Plan, in: [X] }] }\n", [{ column: "Plan", in: ["X"] }]],
  ])("leaves rows out beside what is there, and takes that back: %j", (line, there) => {
    const conditions = [
      { column: "Age", blank: false },
      { column: "Plan", not_in: ["0"] },
    ];
    const added = addItems(before + line, when, conditions)!;
    expect(parse(added).when).toEqual({
      all: [...there, ...conditions.map((one) => ({ ...one }))],
    });
    const left = conditions.reduce((text, one) => removeItem(text, when, one)!, added);
    expect(parse(left).when).toEqual(there.length === 0 ? undefined : { all: there });
  });

  it("tries members beside the conditions of the file, and nothing else of it", () => {
    const keys = { type: "integer", format: null };
    const trial = mappingOfWays(
      `${before}when: { column: Age, blank: false }\nordering_key: [Age]\n`,
      [
        { path: ["members", "email"], keys },
        { path: ["members", "name"], keys: {} },
        { keys: { column: "X" } },
      ],
    );
    expect(parse(trial)).toEqual({
      ...{
        version: 1,
        resource: "users",
        event: { value: "any" },
        when: { column: "Age", blank: false },
      },
      members: {
        way0: { column: "E-Mail", type: "integer" },
        way1: { column: "Name" },
        way2: { column: "X" },
      },
    });
  });

  it.each([
    ["a name that is taken", before, ["members", "name"]],
    ["no name", before, ["members", "name"], ""],
    ["a place that is not there", before, ["members", "plan", "column", "x"]],
    ["an alias", before.replace("name: Name", "name: *a"), ["members", "name", "column"]],
    ["no YAML", `${before}\n {`, ["resource"]],
  ])("leaves to the text what it cannot do: %s", (_, text, path, name = "email") => {
    const edit = path.at(-1) === "name" ? renameAt(text, path, name) : setAt(text, path, "x");
    expect(edit).toBeUndefined();
  });
});

it("has no event where a row gives several, and is none of a value within itself", () => {
  expect(readTable("events: [{ event: a }, { event: b }]\n")?.event).toBeUndefined();
  expect(readTable("x: &a [*a]\n")).toBeUndefined();
});

it("reads back which cells a step makes blank", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 200 }), { minLength: 1 }),
      (given) => {
        const cells = given
          .map((cell) => cell.trim().replaceAll("\\", "/"))
          .filter((cell) => cell !== "");
        if (cells.length === 0) return;
        const steps = blankSteps(cells);
        expect(steps.flatMap(blankedBy)).toEqual(cells.map((cell) => cell.toLowerCase()));
        const apply = compileTransform(steps);
        for (const cell of cells) expect(apply?.(` ${cell} `)).toBe("");
        expect(apply?.(`${cells.join("")}x`)).not.toBe("");
      },
    ),
  );
  expect([{ replace: { pattern: "^a$", with: "" } }, "trim"].flatMap(blankedBy)).toEqual([]);
});

/** A member as the table should have it. */
interface Expected {
  name: string;
  from: string;
  kind: string;
  isRequired: boolean;
  values: Record<string, string> | undefined;
}

type Edit = (text: string, member: Member, expected: Expected) => string | undefined;

const words = fc.constantFrom(
  "a",
  "b: c",
  "true",
  "007",
  "#x",
  "ünïcode",
  "{y}",
  "it's",
  "null",
  "a, b",
);

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.nat(1000).map(
    (n): Edit =>
      (text, member, expected) => {
        expected.name = `m.${n}`;
        return renameAt(text, member.path, expected.name);
      },
  ),
  words.map(
    (column): Edit =>
      (text, member, expected) => {
        expected.from = column;
        return setAt(text, member.path, { column });
      },
  ),
  fc.boolean().map(
    (isRequired): Edit =>
      (text, member, expected) => {
        expected.isRequired = isRequired;
        return setAt(text, member.path, { required: isRequired || undefined });
      },
  ),
  fc.constantFrom("text", "email", "integer", "boolean", "date").map(
    (kind): Edit =>
      (text, member, expected) => {
        expected.kind = kind;
        expected.values = undefined;
        return setAt(text, member.path, keysOfKind(kind as MemberKind, {}, ofTypes));
      },
  ),
  fc.tuple(words, fc.option(words, { nil: undefined })).map(
    ([code, to]): Edit =>
      (text, member, expected) => {
        const { [code]: _, ...others } = expected.values ?? {};
        if (to !== undefined) expected.values = { ...expected.values, [code]: to };
        else if (Object.keys(others).length > 0) expected.values = others;
        else return text;
        expected.kind = "choice";
        const path = [...member.path, "map", code];
        if (member.kind === "choice") return setAt(text, path, to);
        return setAt(text, member.path, keysOfKind("choice", { map: { [code]: to } }, ofTypes));
      },
  ),
);

/** A member in each of the ways in which people write one, with comments around it. */
const written = [
  (name: string, n: number) => `  # above ${n}\n  ${name}: Col   # after ${n}\n`,
  (name: string, n: number) => `  ${name}:   { column:  Col }  # after ${n}\n\n`,
  (name: string, n: number) =>
    `  # above ${n}\n  "${name}":\n      # within ${n}\n      column: Col\n`,
  (name: string, n: number) => `  ${name}: {\n    column: Col, # within ${n}\n  }\n`,
];

it("text and table are equal after fifty edits of any document, and every comment stays", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(written.length - 1), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(), edits), { minLength: 50, maxLength: 50 }),
      (styles, steps) => {
        let text = `# first\nversion: 1\nevent: x\nmembers:\n${styles.map((at, n) => written[at]?.(`m${n}`, n)).join("")}# last\n`;
        const comments = text.match(/# .*/g) ?? [];
        const expected = styles.map((_, n): Expected => {
          return {
            name: `m${n}`,
            from: "Col",
            kind: "text",
            isRequired: false,
            values: undefined,
          };
        });
        for (const [n, edit] of steps) {
          const at = n % expected.length;
          const known = structuredClone(expected[at]!);
          const member = find(text, known.name);
          const edited = edit(text, member, known);
          // A name that is taken stays.
          if (edited === undefined) {
            expect(expected.map(({ name }) => name)).toContain(known.name);
            continue;
          }
          text = edited;
          expected[at] = known;
          const shown = readTable(text)?.members.map(({ name, from, kind, spec }) => {
            const values = spec.map as Expected["values"];
            return { name, from, kind, isRequired: spec.required === "true", values };
          });
          expect(shown).toEqual(expected);
        }
        expect(text.match(/# (?:above|after|within|first|last).*/g)).toEqual(comments);
      },
    ),
    { numRuns: 15 },
  );
});
