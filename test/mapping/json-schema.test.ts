import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { mappingJsonSchema } from "../../src/mapping/schema.ts";
import { anyMapping } from "./any-mapping.ts";
import { problemsOfFile } from "./given-mapping.ts";

const ajv = new Ajv({
  allErrors: false,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
});
const accepts = ajv.compile(mappingJsonSchema());

/** What a JSON Schema has no words for. */
const beyond =
  /is no regular expression|of a date:|, both for the |follow the hours|has no (?:year|month|day):|half a day|never closed|no place in a list|has an empty part|ends with a backslash|names the kind of event|parts: nest|too large: repeat|is no time zone|among true_values too|cannot hold|count from 0|written otherwise|of what this takes for|cannot be a name|would be sent as|never comes|is not what type|stands here twice|, and the pattern has /;

const keys = [
  ...["column", "columns", "template", "value", "meta", "type", "format", "timezone", "min"],
  ...[
    "map",
    "otherwise",
    "default",
    "required",
    "empty",
    "transform",
    "separator",
    "items",
    "pattern",
  ],
  ...["true_values", "false_values", "decimal_separator", "thousands_separator", "enum", "lookup"],
  ...["min_length", "max", "in", "not_in", "equals", "matches", "blank", "all", "any", "not"],
  ...["above", "below", "scale", "split", "by", "item", "pad_start", "length"],
  ...["version", "resource", "event", "events", "members", "when", "ordering_key", "null_values"],
  ...["on_key_failure", "strip_prefix", "replace", "find", "with", "colum", "a.b", "a[1]", "event"],
  ...["a..b", "a[", "__proto__.x", "\\", "$schema", "file", "key"],
];
const values = fc.oneof(
  fc.constantFrom<unknown>(
    "A",
    "",
    "string",
    "integer",
    "list",
    "date",
    "datetime",
    "json",
    "number",
  ),
  fc.constantFrom<unknown>(
    "dd/MM/yyyy",
    "DD/MM/YYYY",
    "d MMMM yyyy MM",
    "email",
    "uuid",
    "iso",
    ",",
    ".",
    "null",
    "(",
  ),
  fc.constantFrom<unknown>(0, 1, 2, -1, 1.5, true, false, null, [], {}, ["A"], [1], [[]], { x: 1 }),
  fc.constantFrom<unknown>({ column: "A" }, { value: 1 }, { column: "A", blank: true }, "Mars/Sea"),
);

interface Change {
  readonly at: number;
  readonly key: string;
  readonly value: unknown;
  readonly kind: "add" | "remove" | "put";
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  key: fc.constantFrom(...keys),
  value: values,
  kind: fc.constantFrom("add", "remove", "put"),
});

/** Changes one of the objects and lists of a mapping somewhere. */
function changed(mapping: unknown, { at, key, value, kind }: Change): unknown {
  const copy = structuredClone(mapping);
  const holders: (unknown[] | Record<string, unknown>)[] = [];
  const collect = (part: unknown) => {
    if (typeof part !== "object" || part === null) return;
    holders.push(part as Record<string, unknown>);
    for (const inner of Object.values(part)) collect(inner);
  };
  collect(copy);
  const holder = holders[at % holders.length] as Record<string, unknown>;
  const present = Object.keys(holder);
  const chosen = present[(at >> 8) % Math.max(1, present.length)];
  if (Array.isArray(holder)) {
    if (kind === "remove") holder.pop();
    else if (kind === "put" && chosen !== undefined) holder[Number(chosen)] = value;
    else holder.push(value);
  } else if (kind === "add") holder[key] = value;
  else if (chosen !== undefined && kind === "remove") delete holder[chosen];
  else if (chosen !== undefined) holder[chosen] = value;
  return copy;
}

test("mappings of the right form are accepted by the JSON Schema and the loader", () => {
  fc.assert(
    fc.property(anyMapping, (mapping) => {
      expect(problemsOfFile(JSON.stringify(mapping))).toEqual([]);
      expect(accepts(mapping) || [mapping, accepts.errors]).toBe(true);
    }),
    { numRuns: 150 },
  );
});

const head = "version: 1\nresource: users\nevent: e\n";

test.each([
  ["members:\n  email:\n", false],
  ["members:\n  email: null\n", false],
  ['members:\n  email: "null"\n', true],
  ["members: { email: { column: } }\n", false],
  ["members: { email: { column: ~ } }\n", false],
  ["members: { email: A }\nempty:\n", true],
  ["members: { email: A }\nempty: ~\n", true],
  ["members: { email: A }\nempty: null\n", true],
  ["members: { email: A }\nnull_values: [null]\n", true],
  ["members: { email: A }\nwhen: { column: A, in: [null] }\n", true],
])("a key without a value is the same to an editor and to the loader: %j", (rest, isFine) => {
  const file = head + rest;
  expect(accepts(parse(file))).toBe(isFine);
  expect(problemsOfFile(file).length === 0).toBe(isFine);
});

test("what the JSON Schema accepts the loader accepts, and the other way round", () => {
  let [accepted, refused] = [0, 0];
  fc.assert(
    fc.property(
      anyMapping,
      fc.array(anyChange, { minLength: 1, maxLength: 2 }),
      (mapping, changes) => {
        const given = changes.reduce(changed, mapping as unknown);
        const problems = problemsOfFile(JSON.stringify(given));
        const ofForm = problems.filter((problem) => !beyond.test(problem));
        const isAccepted = accepts(given);
        if (isAccepted) accepted++;
        else refused++;
        if (isAccepted) expect([given, ofForm]).toEqual([given, []]);
        else expect([given, problems.length > 0]).toEqual([given, true]);
      },
    ),
    { numRuns: 600 },
  );
  expect(accepted).toBeGreaterThan(40);
  expect(refused).toBeGreaterThan(40);
});
