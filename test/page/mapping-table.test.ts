import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renameAt, setAt } from "../../src/page/edit-yaml.ts";
import {
  countAsBlank,
  leaveRowsOut,
  type Member,
  readTable,
  setCode,
  setKeys,
  setSource,
  setType,
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

const find = (text: string, name: string) =>
  readTable(text)?.members.find((one) => one.name === name) as Member;

describe("an edit changes its place and nothing else", () => {
  it.each<readonly [what: string, (text: string) => string | undefined, string, string]>([
    [
      "a key on a line of its own",
      (text) => setKeys(text, find(text, "plan"), { default: "free" }),
      "map: { P: pro }\n",
      "map: { P: pro }\n    default: free\n",
    ],
    [
      "one more code",
      (text) => setCode(text, find(text, "plan"), "F: x", "free", ofTypes),
      "map: { P: pro }",
      'map: { P: pro, "F: x": free }',
    ],
    [
      "another type takes its keys along",
      (text) => setType(text, find(text, "tags"), "integer", ofTypes),
      'type: list, separator: ";" }',
      "type: integer }",
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
      (text) => countAsBlank(countAsBlank(text, "N/A") ?? "", "- c"),
      "\n# the end",
      'null_values: [ N/A, "- c" ]\n\n# the end',
    ],
    [
      "rows without a cell",
      (text) => leaveRowsOut(text, "Plan", "007"),
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

  it("leaves more rows out, beside what is there", () => {
    const twice = leaveRowsOut(leaveRowsOut(before, "Plan", "X")!, "Age", "4")!;
    const all = [
      { column: "Plan", not_in: ["X"] },
      { column: "Age", not_in: ["4"] },
    ];
    expect(parse(twice).when).toEqual({ all });
    expect(leaveRowsOut(`${before}when: { column: Plan, in: [X] }\n`, "Age", "4")).toBeUndefined();
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

it("has the columns that any event of a row reads, and nothing of a value within itself", () => {
  const several = `events:
  - { event: a, members: { email: Email } }
  - { event: b, when: { column: Action, in: [D] }, members: { age: { column: Age } } }
`;
  expect(readTable(several)?.members[0]?.columns).toEqual(["Email", "Action", "Age"]);
  expect(readTable("x: &a [*a]\n")).toBeUndefined();
});

/** A member as the table should have it. */
interface Expected {
  name: string;
  from: string;
  type: string;
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
        return setSource(text, member, "column", column);
      },
  ),
  fc.boolean().map(
    (isRequired): Edit =>
      (text, member, expected) => {
        expected.isRequired = isRequired;
        return setKeys(text, member, { required: isRequired || undefined });
      },
  ),
  fc.constantFrom("string", "integer", "boolean", "date").map(
    (type): Edit =>
      (text, member, expected) => {
        expected.type = type;
        expected.values = undefined;
        return setType(text, member, type, ofTypes);
      },
  ),
  fc.tuple(words, fc.option(words, { nil: undefined })).map(
    ([code, to]): Edit =>
      (text, member, expected) => {
        const { [code]: _, ...others } = expected.values ?? {};
        const values = to === undefined ? others : { ...expected.values, [code]: to };
        if (to === undefined && expected.values?.[code] === undefined) return text;
        expected.values = Object.keys(values).length === 0 ? undefined : values;
        if (to !== undefined) expected.type = "string";
        return setCode(text, member, code, to, ofTypes);
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
            type: "string",
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
          const shown = readTable(text)?.members.slice(1) ?? [];
          expect(shown).toMatchObject(expected);
        }
        expect(text.match(/# (?:above|after|within|first|last).*/g)).toEqual(comments);
      },
    ),
    { numRuns: 15 },
  );
});
