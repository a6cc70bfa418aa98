import fc from "fast-check";
import { expect, test } from "vitest";
import { allProblemsOf, problemsOfColumns, problemsOfFile } from "./given-mapping.ts";

const columns = ["Email", "Age", "Name", "Name"];

test("what is wrong with the form and with the columns is reported at once, in the order of the file", () => {
  const text = `version: 1
resource: users
ordering_key: [Emial, [5]]
when: { column: Stage, in: [] }
event: { column: Action, mapp: { A: user.created } }
members:
  email: E-mail
  age: { column: Age, type: int }
  name: { column: Name }
  full: { template: "{Naem} {Email}", typ: string }
  open: { template: "{" }
  blank: { column: "" }
`;
  const found = allProblemsOf(text, columns);
  expect(found).toEqual([
    'm.yaml:3:16: ordering_key.0: the input has no column "Emial"; did you mean "Email"?',
    "m.yaml:3:23: ordering_key.1: needs text or a mapping of keys to values, not a list",
    'm.yaml:4:17: when.column: the input has no column "Stage"; did you mean "Age"?',
    "m.yaml:4:24: when.in: is an empty list",
    'm.yaml:5:18: event.column: the input has no column "Action"; it has "Email", "Age", "Name", "Name"',
    "m.yaml:5:26: event.mapp: unknown key; did you mean map?",
    'm.yaml:7:10: members.email: the input has no column "E-mail"; did you mean "Email"?',
    expect.stringContaining("m.yaml:8:29: members.age.type:"),
    expect.stringContaining('m.yaml:9:19: members.name.column: the input has two columns "Name"'),
    'm.yaml:10:21: members.full.template: the input has no column "Naem"; did you mean "Name"?',
    "m.yaml:10:39: members.full.typ: unknown key; did you mean type?",
    "m.yaml:11:21: members.open.template: has a { without its }: write {{ for the brace itself",
    "m.yaml:12:12: members.blank.column: is blank",
  ]);
  expect(problemsOfFile(text).length).toBeLessThan(found.length);
});

test("what is not YAML, or nothing like a mapping, has no columns to look for", () => {
  for (const text of [
    "a: [",
    "- a",
    "5",
    "version: 1\nmembers: 5\nevents: {}\nordering_key: a\n",
  ]) {
    expect(allProblemsOf(text, columns)).toEqual(problemsOfFile(text));
  }
});

test("of a mapping whose form gets wrong, the columns that were missing are missing still", () => {
  const name = fc.constantFrom("Email", "Age", "Nome", "State", "Name");
  const member = fc.oneof(
    name.map((column) => `"${column}"`),
    name.map((column) => `{ column: "${column}", transform: trim }`),
    fc.tuple(name, name).map(([a, b]) => `{ template: "{${a}} {${b}}" }`),
  );
  fc.assert(
    fc.property(fc.array(member, { minLength: 1, maxLength: 5 }), name, (members, key) => {
      const listed = members.map((spec, at) => `  m${at}: ${spec}\n`).join("");
      const text = `version: 1\nresource: users\nordering_key: ["${key}"]\nevent: { value: a }\nmembers:\n${listed}`;
      const wrong = `${text}surplus: 1\n`;
      const [surplus] = problemsOfFile(wrong);
      const expected = [...problemsOfColumns(text, columns), surplus];
      expect(allProblemsOf(wrong, columns)).toEqual(expected);
    }),
  );
});
