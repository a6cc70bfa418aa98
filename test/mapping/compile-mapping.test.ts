import { describe, expect, test } from "vitest";
import { bodies, head, instant, mapper, problemsOfColumns, rowOf, shown } from "./given-mapping.ts";

test("every column that is missing or doubled is reported at once, at its line, with what was meant", () => {
  const text = `version: 1
ordering_key: [Emial, "Name "]
when: { column: State, in: [a] }
events:
  - resource: users
    event: { column: Akcja }
    members:
      email: E-mail
      name: { column: name }
      full: { template: "{First name} {Lastname}" }
      twice: { column: Tag }
      other: { column: Nothing like it }
  - resource: contacts
    event: { template: "{" }
    when: { column: status, blank: true }
    members:
      a: { template: "x" }
      b: { template: "}" }
`;
  const columns = ["Email", "Name", "First Name", "Last Name", "Tag", "Status", "Tag"];
  const all = columns.map((name) => JSON.stringify(name)).join(", ");
  expect(problemsOfColumns(text, columns)).toEqual([
    'm.yaml:2:16: ordering_key.0: the input has no column "Emial"; did you mean "Email"?',
    'm.yaml:2:23: ordering_key.1: the input has no column "Name "; did you mean "Name"?',
    'm.yaml:3:17: when.column: the input has no column "State"; did you mean "Status"?',
    `m.yaml:6:22: events.0.event.column: the input has no column "Akcja"; it has ${all}`,
    'm.yaml:8:14: events.0.members.email: the input has no column "E-mail"; did you mean "Email"?',
    'm.yaml:9:23: events.0.members.name.column: the input has no column "name"; did you mean "Name"?',
    'm.yaml:10:25: events.0.members.full.template: the input has no column "First name"; did you mean "First Name"?',
    'm.yaml:10:25: events.0.members.full.template: the input has no column "Lastname"; did you mean "Last Name"?',
    'm.yaml:11:24: events.0.members.twice.column: the input has 2 columns "Tag" (5, 7): give each a name of its own',
    `m.yaml:12:24: events.0.members.other.column: the input has no column "Nothing like it"; it has ${all}`,
    "m.yaml:14:24: events.1.event.template: has a { without its }: write {{ for the brace itself",
    'm.yaml:15:21: events.1.when.column: the input has no column "status"; did you mean "Status"?',
    "m.yaml:17:22: events.1.members.a.template: names no {column}: use value for a fixed text",
    "m.yaml:18:22: events.1.members.b.template: has a } without its {: write }} for the brace itself",
  ]);
});

test("a member that names no column may be meant as a text, unless a column is called nearly so", () => {
  const problems = (member: string) =>
    problemsOfColumns(
      `${"version: 1\nresource: users\nevent: user.updated\n"}members: { a: ${member} }\n`,
      ["Email"],
    );
  expect(problems("legacy-crm")).toEqual([
    'm.yaml:4:15: members.a: the input has no column "legacy-crm"; it has "Email"; for this text in every row write { value: "legacy-crm" }',
  ]);
  expect(problems("01067")).toEqual([expect.stringContaining('write { value: "01067" }')]);
  expect(problems("Emial")).toEqual([
    'm.yaml:4:15: members.a: the input has no column "Emial"; did you mean "Email"?',
  ]);
});

test("a word that is also a column has to be told apart from it", () => {
  expect(
    problemsOfColumns("version: 1\nresource: users\nevent: Action\nmembers: {}\n", ["Action"]),
  ).toEqual([
    'm.yaml:3:8: event: is also a column: write { column: "Action" } for its cells, or { value: "Action" } for the word itself',
  ]);
});

test("a kind of event that no cell decides is a problem", () => {
  const text =
    "version: 1\nresource: users\nevent: { column: Action, map: { A: created, U: updated } }\nmembers: {}\n";
  expect(shown(mapper(text, ["Action"])(rowOf(["X"])))).toEqual([
    'unknown_value: column "Action": "X" is none of the cells that the mapping knows ("A", "U")',
  ]);
  expect(shown(mapper(text, ["Action"])(rowOf([""])))).toEqual([
    'missing_event: column "Action": is blank, and it decides the kind of event',
  ]);
});

const two = `version: 1
resource: users
ordering_key: [Email, Site]
when: { column: Status, not_in: [test] }
events:
  - event: user.updated
    members: { age: { column: Age, type: integer } }
  - resource: contacts
    event: contact.updated
    when: { column: Email, blank: false }
    members: { email: { column: Email }, age: { column: Age, type: integer } }
`;
const columns = ["Email", "Site", "Status", "Age"];

test("a row gives an event for each block whose condition holds, each with its place", () => {
  const mapRow = mapper(two, columns);
  expect(mapRow(rowOf(["a@x", "1", "", "5"]))).toMatchObject({
    kind: "events",
    orderingKey: '["a@x","1"]',
    events: [
      { index: 1, name: "user.updated", resource: "users" },
      { index: 2, name: "contact.updated", resource: "contacts" },
    ],
  });
  expect(shown(mapRow(rowOf(["", "1", "", "5"])))).toEqual([{ event: "user.updated", age: 5 }]);
  expect(shown(mapRow(rowOf(["a@x", "1", "test", "x"])))).toBe(
    'condition: when requires column "Status" not among "test"',
  );
});

test("every problem of every event makes the row invalid, and none of its events is sent", () => {
  const problem = 'not_an_integer: column "Age": "x" is not a whole number';
  expect(shown(mapper(two, columns)(rowOf(["a@x", "1", "", "x"])))).toEqual([problem, problem]);
});

test("a row that gives no event has its key all the same, as far as its cells go", () => {
  const mapRow = mapper(two, columns);
  const problem = { code: "ragged_row", message: "has 1 cell where the header has 4" } as const;
  expect(mapRow(rowOf(["a@x", "1", "", "x"]))).toMatchObject({
    ...{ kind: "invalid", orderingKey: '["a@x","1"]' },
  });
  expect(mapRow(rowOf(["a@x", "1", "test", ""]))).toMatchObject({
    ...{ kind: "skipped", orderingKey: '["a@x","1"]' },
  });
  expect(mapRow(rowOf(["a@x"], { problem }))).toMatchObject({
    ...{ kind: "invalid", orderingKey: '["a@x",""]' },
  });
  expect(mapRow(rowOf(["", "", "test"], { problem }))).not.toHaveProperty("orderingKey");
});

test("meta members stand where the mapping has them, and tell of the first import", () => {
  const text = `${head}members:
  id: { meta: event_id }
  a: A
  at.row: { meta: row }
  at.line: { meta: line }
  at.name: { meta: input_name }
  at.time: { meta: imported_at }
`;
  const mapRow = mapper(text, ["A"]);
  const mapped = mapRow(rowOf(["x"], { row: 42, line: 57 }));
  const id = mapped.kind === "events" ? mapped.events[0]?.id : undefined;
  expect(bodies(mapped)).toEqual([
    `{"event":"user.updated","id":"${id}","a":"x","at":{"row":42,"line":57,"name":"people.csv","time":"${instant}"}}`,
  ]);
  const origin = { line: 57 };
  expect(bodies(mapRow(rowOf(["x"], { row: 42, line: 3, origin })))).toEqual(bodies(mapped));
});

describe("a key that is gone from the input", () => {
  const mapping = `${head}ordering_key: [Email]
when: { column: Status, in: [active] }
members: { email: Email }
`;
  const columns = ["Email", "Status"];
  const gone = "gone: { event: user.deleted, resource: contacts, members: { email: Email } }\n";
  const cells = ["a@x", "left"];

  test("gives the event of gone:, whatever when: asks for", () => {
    const mapped = mapper(mapping + gone, columns)(rowOf(cells, { isGone: true }));
    expect(mapped).toMatchObject({
      ...{ kind: "events", orderingKey: "a@x" },
      events: [{ index: 0, name: "user.deleted", resource: "contacts" }],
    });
    expect(shown(mapped)).toEqual([{ event: "user.deleted", email: "a@x" }]);
  });

  test("gives nothing without gone:, and a row of the input never gives that event", () => {
    expect(shown(mapper(mapping, columns)(rowOf(cells, { isGone: true })))).toBe(
      "event_gone: the mapping makes no event for a gone key any more",
    );
    expect(shown(mapper(mapping + gone, columns)(rowOf(["a@x", "active"])))).toEqual([
      { event: "user.updated", email: "a@x" },
    ]);
  });
});
