import { expect, test } from "vitest";
import { compileModule, loadModule, type MappingModule } from "../../src/mapping/compile-module.ts";
import { bodies, people, rowOf, shown } from "./given-mapping.ts";

type Map = MappingModule["map"];

function mapperOf(map: Map, columns = ["A", "B"], more: object = {}) {
  const loaded = loadModule({ default: map, ...more });
  if (loaded.kind === "invalid") throw new Error(loaded.problems.join("\n"));
  const compiled = compileModule(loaded.module, columns, people);
  if (compiled.kind === "invalid") throw new Error(JSON.stringify(compiled.problems));
  return compiled.mapRow;
}

const event = (body: object) => ({ resource: "users", body: { event: "user.updated", ...body } });

test("the function gets cells by name and the numbers of row and line, and gives events", () => {
  const mapRow = mapperOf((row, place) => [
    event({ ...row, ...place }),
    { resource: "contacts", body: { event: "x" } },
  ]);
  const mapped = mapRow(rowOf(["a", "b"], { row: 42, line: 57 }));
  expect(bodies(mapped)).toEqual([
    '{"event":"user.updated","A":"a","B":"b","row":42,"line":57}',
    '{"event":"x"}',
  ]);
  expect(mapped).toMatchObject({
    events: [
      { index: 1, resource: "users", name: "user.updated" },
      { index: 2, resource: "contacts", name: "x" },
    ],
  });
});

test("null and an empty list leave the row out; ordering_key gives it its key all the same", () => {
  const mapRow = mapperOf((row) => (row.A === "x" ? null : []), ["A", "B"], {
    ordering_key: ["B"],
  });
  expect(mapRow(rowOf(["x", "k"]))).toMatchObject({ kind: "skipped", orderingKey: "k" });
  expect(shown(mapRow(rowOf(["y", ""])))).toBe(
    "condition: the mapping's function gives no event for it",
  );
});

const circle: { self?: unknown } = {};
circle.self = circle;
const notJson = (key: string) => `failed: Error: body has what JSON cannot hold: see "${key}"`;

test.each<[string, Map, string]>([
  ["nothing", () => undefined, "returned nothing: return null to leave the row out"],
  ["a text", () => "x", "returned a string: return { resource, body }, a list of them, or null"],
  [
    "null in a list",
    () => [null],
    "returned null in a list: return { resource, body }, a list of them, or null",
  ],
  ["a list as body", () => ({ resource: "users", body: [] }), "returned no body that is an object"],
  [
    "no event",
    () => ({ resource: "users", body: { a: 1 } }),
    "returned a body without event, the text that names the kind of event",
  ],
  ["no resource", () => ({ body: { event: "e" } }), "returned no resource that is a text"],
  [
    "another resource",
    () => ({ resource: "people", body: { event: "e" } }),
    'returned the resource "people": use users or contacts',
  ],
  ["NaN", () => event({ a: [{ b: Number.NaN }] }), notJson("b")],
  ["a date", () => event({ a: new Date(0) }), notJson("a")],
  ["a gap", () => event({ a: [undefined] }), notJson("0")],
  ["a function", () => event({ a: { toJSON: () => 1 } }), notJson("toJSON")],
  ["a promise in a body", () => event({ a: [{ b: Promise.resolve() }] }), notJson("b")],
  ["itself", () => event({ circle }), "failed: TypeError: Converting circular structure to JSON"],
  [
    "nothing that is thrown",
    () => {
      throw Object.create(null);
    },
    "failed: it threw something that cannot be shown as text",
  ],
])("what is no event is the row's problem: %s", (_, map, problem) => {
  expect(shown(mapperOf(map)(rowOf(["a", "b"])))).toEqual([
    expect.stringContaining(`mapping_function: the mapping's function ${problem}`),
  ]);
});

test("a member that is undefined is left out", () => {
  const mapRow = mapperOf(() => event({ a: undefined, b: Object.create(null) }));
  expect(bodies(mapRow(rowOf(["", ""])))).toEqual(['{"event":"user.updated","b":{}}']);
});

test("an error of the function is the row's problem, and the next row goes on", () => {
  const mapRow = mapperOf((row) => {
    if (row.A === "bad") throw new TypeError("no such thing");
    return event({});
  });
  expect(shown(mapRow(rowOf(["bad", ""])))).toEqual([
    "mapping_function: the mapping's function failed: TypeError: no such thing",
  ]);
  expect(mapRow(rowOf(["good", ""])).kind).toBe("events");
});

test("a row of an earlier part has the line that it had", () => {
  const mapRow = mapperOf((_, place) => event({ ...place }));
  const row = rowOf(["", ""], { row: 42, line: 3, origin: { line: 9 } });
  expect(bodies(mapRow(row))).toEqual(['{"event":"user.updated","row":42,"line":9}']);
});

test.each<[Record<string, unknown>, string[]]>([
  [{}, ["has no default export that is a function: write export default (row) => …"]],
  [
    { default: async () => null },
    [
      "its default export is an asynchronous function or a generator: write one that returns what it makes at once",
    ],
  ],
  [
    { default: () => null, gone: () => null },
    [
      "gone: only a mapping in YAML or JSON makes events for keys that are gone: write the mapping there, or remove this",
    ],
  ],
  [
    { default: () => null, orderingKey: ["A"] },
    ['"orderingKey" is exported; did you mean ordering_key?'],
  ],
  [
    { default: () => null, ordering_key: "A", version: 2 },
    ['ordering_key: needs a list of columns, such as ["Email"]', "version: use 1"],
  ],
  [{ default: () => null, on_key_failure: "stop" }, ["on_key_failure: use one of continue, block"]],
])("exports are checked: %j", (exported, problems) => {
  expect(loadModule(exported)).toEqual({ kind: "invalid", problems });
});

test("columns that are there twice, and those of ordering_key that are not, are reported beforehand", () => {
  const loaded = loadModule({ default: () => null, ordering_key: ["Emial"], helper: 1 });
  if (loaded.kind === "invalid") throw new Error("not loaded");
  expect(compileModule(loaded.module, ["Email", "Tag", "Tag", "", ""], people)).toEqual({
    kind: "invalid",
    problems: [
      { path: "", message: 'the input has 2 columns "Tag" (2, 3): give each a name of its own' },
      { path: "ordering_key.0", message: 'the input has no column "Emial"; did you mean "Email"?' },
    ],
  });
});
