import { expect, test } from "vitest";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { allProblemsOf, casesOf, head, problemsOfFile } from "./given-mapping.ts";

const everything = `# a mapping with all that there is
version: 1
resource: contacts
event: { column: Action, map: { A: contact.created, D: contact.deleted }, otherwise: contact.updated }
ordering_key: [Email]
when: { column: Status, not_in: [test] }
empty: keep
members:
  email:              { column: Email, transform: [trim, lowercase], required: true }
  profile.first_name: First Name
  profile.age:        { column: Age, type: integer, empty: null }
  plan:               { column: Plan, map: { P: pro, F: null, "1": 1, x: true }, otherwise: free }
  full_name:          { template: "{First Name} {Last Name}", transform: uppercase }
  source:             { value: { system: legacy-crm, tags: [a, 1.5, null] } }
  reference:          { meta: event_id }
`;

const several = `version: 1
resource: users
when: { column: Status, in: [active] }
events:
  - event: user.updated
    members: { id: Id }
  - resource: contacts
    event: { template: "contact.{Kind}" }
    when: { column: Email, blank: false }
    members: {}
`;

test.each([
  ["one event with everything", everything],
  ["several events", several],
  ["a byte order mark and CRLF", `\ufeff${several.replaceAll("\n", "\r\n")}`],
  [
    "JSON indented with tabs",
    '{\n\t"version": 1,\n\t"resource": "users",\n\t"event": "a\\ud83d\\ude00\\/",\n\t"members": {\n\t\t"a": {"column": "A"}\n\t}\n}',
  ],
])("loads: %s", (_, text) => {
  expect(problemsOfFile(text)).toEqual([]);
});

test("all problems at once, in the order of the file, each with its line and a fix", () => {
  const text = `version: 2
resource: user
evnt: user.updated
ordering_key: Email
empty: nul
when: { column: Status, in: [a], blank: maybe }
members:
  a: { colum: A }
  a.b: { column: A, template: "{A}", type: int }
  c: { value: 1, type: integer }
  d: { meta: id }
  e: { column: A, transform: [trim, lowcase], required: yes, map: [x] }
  f: [A]
  g:
  .h: A
  event: A
  i: { value: 0123 }
  j: A
  j: B
`;
  expect(problemsOfFile(text)).toEqual([
    "m.yaml:1:1: event: is missing: it needs text or a mapping of keys to values",
    "m.yaml:1:10: version: 2 is not known here; use 1",
    'm.yaml:2:11: resource: "user" is not known here; did you mean users?',
    "m.yaml:3:1: evnt: unknown key; did you mean event?",
    'm.yaml:4:15: ordering_key: needs a list, not "Email": write [Email]',
    'm.yaml:5:8: empty: "nul" is not known here; did you mean null?',
    "m.yaml:6:1: when: needs exactly one of in, not_in, equals, above, below, matches, blank, all, any, not; it has in and blank",
    'm.yaml:6:41: when.blank: needs true or false, not "maybe"',
    "m.yaml:8:8: members.a.colum: unknown key; did you mean column?",
    "m.yaml:9:3: members.a.b: needs exactly one of column, columns, template, value, meta; it has column and template",
    "m.yaml:9:3: members.a.b: a is a value already and cannot hold a.b: rename one",
    'm.yaml:9:44: members.a.b.type: "int" is not known here; did you mean integer?',
    "m.yaml:10:18: members.c.type: has no effect beside value: remove it",
    'm.yaml:11:14: members.d.meta: "id" is not known here; use one of event_id, row, line, input_name, imported_at',
    'm.yaml:12:37: members.e.transform.1: "lowcase" is not known here; did you mean lowercase?',
    'm.yaml:12:57: members.e.required: needs true or false, not "yes"',
    "m.yaml:12:62: members.e.map: needs a mapping of names to values, not a list",
    "m.yaml:13:3: members.f: needs text or a mapping of keys to values, not a list: write { columns: […] }",
    "m.yaml:14:3: members.g: is blank",
    "m.yaml:15:3: members..h: has an empty part: write parent.child",
    "m.yaml:16:3: members.event: the member event names the kind of event: use the key event of the mapping",
    'm.yaml:17:15: members.i.value: 0123 would be sent as 123: write "0123" for the text, or 123 for that number',
    "m.yaml:19:3: members.j: is here twice: remove one",
  ]);
});

/** Lines are divided by slashes; `HEAD` stands for those that most mappings begin with. */
test.each(
  casesOf(`
# nothing
    m.yaml: is not a mapping: it needs version, resource, event and members
- a
    m.yaml:1:1: is not a mapping: it needs version, resource, event and members
hello
    m.yaml:1:1: is not a mapping: it needs version, resource, event and members
version: 1 / members: / \ta: A
    m.yaml:3:1: not valid YAML: indented with a tab; use spaces
HEAD / members: {} / --- / a: 1
    m.yaml:5:1: not valid YAML: a second document begins here (---); write one a file
version: 1 / resource: 'users
    m.yaml:3:1: not valid YAML: a quote is opened above and never closed
version: 1 / resource: a: b
    m.yaml:2:11: not valid YAML: a second colon; put the value in quotes
HEAD / members: { a: !!js/function x, b: { value: !!set { a } }, c: !own A }
    m.yaml:4:29: members.a: has a tag (!), which is not read: write out what is meant
    m.yaml:4:50: members.b.value: has a tag (!), which is not read: write out what is meant
    m.yaml:4:67: members.c: has a tag (!), which is not read: write out what is meant
version: 1 / resource: users / members: {} / event: " "
    m.yaml:4:8: event: is blank
version: 1 / resource: users / events: [{ members: {}, event: { value: " " } }, { members: {}, event: { column: A, map: { a: "" }, otherwise: "\\t" } }]
    m.yaml:3:41: events.0.event.value: is blank
    m.yaml:3:92: events.1.event.map.a: is blank
    m.yaml:3:112: events.1.event.otherwise: is blank
HEAD / members: { a: { column: A }, b: *a }
    m.yaml:4:33: members.b: is an alias (*), which is not read: write out what is meant
version: 1 / events: /   - event: a /     members: {} /   - { resource: users, event: b, members: { a: { colum: A } } }
    m.yaml:3:5: events.0: has no resource: write resource: users or resource: contacts
    m.yaml:5:50: events.1.members.a.colum: unknown key; did you mean column?
version: 1 / resource: users / event: a / events: []
    m.yaml:3:1: event: stands beside events: put it into a block of events, or remove events
    m.yaml:4:1: events: is an empty list
HEAD / members: { a: { value: .nan }, b: { column: A, default: .inf } }
    m.yaml:4:24: members.a.value: NaN cannot be used here
    m.yaml:4:57: members.b.default: Infinity cannot be used here
`),
)("refused with its place: %s", (given, problems) => {
  const text = given.replace("HEAD / ", head).replaceAll(" / ", "\n");
  expect(problemsOfFile(`${text}\n`)).toEqual(problems.split("\n"));
});

test.each([
  ["members: { __proto__: A }", "members.__proto__"],
  ["members: {}\n__proto__: { a: 1 }", "__proto__"],
  ["members: { a: { column: A, map: { __proto__: x } } }", "members.a.map.__proto__"],
  ["members: { a: { value: { __proto__: { x: 1 } } } }", "members.a.value.__proto__"],
  ["members: { a.__proto__.b: A }", "members.a.__proto__.b"],
])("__proto__ is refused and never dropped in silence: %j", (rest, path) => {
  const problems = problemsOfFile(`${head}${rest}\n`);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(` ${path}: `);
  expect(problems[0]).toContain("use another");
  expect({}).not.toHaveProperty("x");
});

test.each([
  ["9007199254740993", 'write "9007199254740993" for the text'],
  ["1e-400", 'write "1e-400" for the text'],
  ["007", 'write "007" for the text, or 7 for that number'],
  ["0x1F", 'write "0x1F" for the text, or 31 for that number'],
])("a number that would not stay what it is has to be quoted: %s", (given, fix) => {
  const [problem] = problemsOfFile(`${head}members: { a: { value: ${given} } }\n`);
  expect(problem).toBe(
    `m.yaml:4:24: members.a.value: ${given} would be sent as ${Number(given)}: ${fix}`,
  );
});

test("on_key_failure is continue or block, and wants ordering_key or events; without it the default counts", () => {
  const withOrder = `${head}ordering_key: [A]\nmembers: {}\n`;
  const policyIn = (text: string) => {
    const loaded = loadMapping(text);
    return loaded.kind === "loaded" ? loaded.mapping.spec.onKeyFailure : loaded;
  };
  expect(policyIn(withOrder)).toBe("default");
  expect(policyIn(`${withOrder}on_key_failure: block\n`)).toBe("block");
  expect(policyIn(`${withOrder}on_key_failure: continue\n`)).toBe("continue");
  expect(policyIn(`${several}ordering_key: [Id]\non_key_failure: continue\n`)).toBe("continue");
  expect(policyIn(`${several}on_key_failure: block\n`)).toBe("block");
  expect(problemsOfFile(`${withOrder}on_key_failure: stop\n`)).toEqual([
    'm.yaml:6:17: on_key_failure: "stop" is not known here; use one of continue, block',
  ]);
  expect(problemsOfFile(`${head}members: {}\non_key_failure: block\n`)).toEqual([
    "m.yaml:5:1: on_key_failure: has no effect without ordering_key or events: add that, or remove this",
  ]);
});

test("of a key that stands twice, the last counts, and the rest is looked at all the same", () => {
  const text = `${head}resource: contact\nmembers:\n  a: { column: A, typ: integer }\n  a: { column: A, type: int }\n`;
  expect(problemsOfFile(text)).toEqual([
    "m.yaml:4:1: resource: is here twice: remove one",
    'm.yaml:4:11: resource: "contact" is not known here; did you mean contacts?',
    "m.yaml:7:3: members.a: is here twice: remove one",
    'm.yaml:7:25: members.a.type: "int" is not known here; did you mean integer?',
  ]);
});

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
  full: { template: "{Naem} {Email|trimm}", typ: string }
  blank: { column: "" }
gone: { event: { value: gone }, members: { email: Email, age: Age } }
`;
  const columns = ["Email", "Age", "Name", "Name"];
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
    expect.stringContaining('m.yaml:9:19: members.name.column: the input has 2 columns "Name"'),
    'm.yaml:10:21: members.full.template: the input has no column "Naem"; did you mean "Name"?',
    'm.yaml:10:21: members.full.template: "trimm" cannot stand in a template; did you mean trim?',
    "m.yaml:10:45: members.full.typ: unknown key; did you mean type?",
    "m.yaml:11:12: members.blank.column: is blank",
    expect.stringContaining(
      'm.yaml:12:51: gone.members.email: reads another column than those of ordering_key ("Emial")',
    ),
    expect.stringContaining("m.yaml:12:63: gone.members.age: reads another column"),
  ]);
  expect(problemsOfFile(text).length).toBeLessThan(found.length);
});

test.each(["a: [", "- a", "5", "version: 1\nmembers: 5\nevents: {}\nordering_key: a\n"])(
  "what is nothing like a mapping has no columns to look for: %j",
  (text) => {
    expect(allProblemsOf(text, ["A"])).toEqual(problemsOfFile(text));
  },
);

test("a mapping says how inputs are read", () => {
  const input =
    '{ encoding: windows-1252, delimiter: tab, sheet: 2, skip_lines: 3, no_header: true, escape: "\\\\", short_rows: pad, hidden_rows: skip }';
  const loaded = loadMapping(`${head}input: ${input}\nmembers: {}\n`);
  expect(loaded.kind === "loaded" ? loaded.mapping.spec.reading : loaded).toEqual({
    ...{ encoding: "windows-1252", delimiter: "\t", sheet: "2", skipLines: 3, header: false },
    ...{ escape: "\\", shortRows: "pad", hiddenRows: "skip" },
  });
});

test.each([
  ['null_values: [x, "-"]\nclear_values: [" - "]', "clear_values.0: is in null_values too"],
  ["clear_values: []", "clear_values: is an empty list"],
  ['clear_values: [" "]', "clear_values.0: is blank"],
])("%j is refused", (keys, why) => {
  expect(problemsOfFile(`${head}${keys}\nmembers: { a: A }\n`).join()).toContain(why);
});
