import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { commentOutAt, renameAt, setAt } from "../../src/page/edit-yaml.ts";
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
version: 1   # always
resource:   users
event: user.imported
# of each person
members:
  # the address
  email:        { column: E-Mail, format: email }   # as typed
  name: Name    # short

  plan:
    column: Plan     # a code
    map: { P: pro }
  long:
    value: |
      two
      lines
  tags: { column: Tags, type: list, separator: ";" }
`;

const find = (text: string, name: string) =>
  readTable(text)?.members.find((one) => one.name === name) as Member;

describe("an edit changes its place and nothing else", () => {
  it.each<readonly [what: string, (text: string) => string | undefined, string, string]>([
    [
      "a key in braces",
      (text) => setKeys(text, find(text, "email"), { required: true }),
      "email:        { column: E-Mail, format: email }   #",
      "email: { column: E-Mail, format: email, required: true } #",
    ],
    [
      "a short form gets long",
      (text) => setKeys(text, find(text, "name"), { required: true }),
      "name: Name    # short",
      "name: { column: Name, required: true } # short",
    ],
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
      "the last code goes with its map",
      (text) => setCode(text, find(text, "plan"), "P", undefined, ofTypes),
      "    column: Plan     # a code\n    map: { P: pro }\n",
      "    column: Plan # a code\n",
    ],
    [
      "another column",
      (text) => setSource(text, find(text, "plan"), "column", "Tarif: neu"),
      "column: Plan     #",
      'column: "Tarif: neu" #',
    ],
    [
      "another name",
      (text) => renameAt(text, ["members", "email"], "e.mail"),
      "email:        { column: E-Mail, format: email }   #",
      "e.mail: { column: E-Mail, format: email } #",
    ],
    [
      "another type takes its keys along",
      (text) => setType(text, find(text, "tags"), "integer", ofTypes),
      'type: list, separator: ";" }',
      "type: integer }",
    ],
    [
      "a member that is left out becomes a comment",
      (text) => commentOutAt(text, ["members", "plan"]),
      "  plan:\n    column: Plan     # a code\n    map: { P: pro }\n",
      "  # plan:\n    # column: Plan     # a code\n    # map: { P: pro }\n",
    ],
    [
      "a cell that counts as blank",
      (text) => countAsBlank(text, "N/A"),
      "version: 1   # always\n",
      "version: 1 # always\nnull_values: [ N/A ]\n",
    ],
    [
      "rows without a cell",
      (text) => leaveRowsOut(text, "Plan", "007"),
      "version: 1   # always\n",
      'version: 1 # always\nwhen: { all: [ { column: Plan, not_in: [ "007" ] } ] }\n',
    ],
    [
      "a key that goes",
      (text) => setAt(text, ["members", "email", "format"], undefined),
      "email:        { column: E-Mail, format: email }   #",
      "email: { column: E-Mail } #",
    ],
    [
      "a key after a text of several lines",
      (text) => setAt(text, ["members", "long", "when"], { column: "A" }),
      "      lines\n",
      "      lines\n    when: { column: A }\n",
    ],
  ])("%s", (_, edit, from, to) => {
    expect(before).toContain(from);
    expect(edit(before)).toBe(before.replace(from, to));
  });

  it("adds a member, also where all were left out", () => {
    expect(setAt(before, ["members", "a b"], "X: y")).toBe(`${before}  a b: "X: y"\n`);
    const names = ["email", "name", "plan", "long", "tags"];
    const none = names.reduce((text, name) => commentOutAt(text, ["members", name]) ?? "", before);
    expect(parse(none).members).toEqual({});
    expect(parse(setAt(none, ["members", "name"], "Name") ?? "").members).toEqual({ name: "Name" });
    for (const comment of before.match(/# .*/g) ?? []) expect(none).toContain(comment);
  });

  it("leaves more rows out, and counts more as blank, beside what is there", () => {
    const twice = leaveRowsOut(leaveRowsOut(before, "Plan", "X") ?? "", "Age", "4") ?? "";
    const all = [
      { column: "Plan", not_in: ["X"] },
      { column: "Age", not_in: ["4"] },
    ];
    expect(parse(twice).when).toEqual({ all });
    const list = `${before}null_values:\n  - a # one\n  # two\n  - b # three\n`;
    expect(countAsBlank(list, "- c")).toBe(`${list}  - "- c"\n`);
    expect(countAsBlank(`${before}null_values: []\n`, "c")).toBe(`${before}null_values: [ c ]\n`);
    const dashes = countAsBlank(`${before}null_values:\n- a\n`, "c") ?? "";
    expect(parse(dashes).null_values).toEqual(["a", "c"]);
    expect(leaveRowsOut(`${before}when: { column: Plan, in: [X] }\n`, "Age", "4")).toBeUndefined();
  });

  it("takes the lines of a key whole, also with a comment that stands further left", () => {
    const odd = "members:\n  a:\n# why\n    column: A\n  b: B\n";
    const edited = commentOutAt(odd, ["members", "a"]) ?? "";
    expect(parse(edited).members).toEqual({ b: "B" });
    expect(edited).toContain("# why\n");
  });

  it.each([
    ["a name that is taken", (text: string) => renameAt(text, ["members", "email"], "name")],
    [
      "a place that is not there",
      (text: string) => setAt(text, ["members", "plan", "column", "x"], "y"),
    ],
    [
      "an alias",
      (text: string) =>
        setAt(text.replace("name: Name", "name: *a"), ["members", "name", "column"], "x"),
    ],
    ["no YAML", (text: string) => setAt(`${text}\n {`, ["resource"], "users")],
  ])("leaves to the text what it cannot do: %s", (_, edit) => {
    expect(edit(before)).toBeUndefined();
  });
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

describe("text and table", () => {
  it("are equal after fifty edits of any document, and every comment stays", () => {
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
});
