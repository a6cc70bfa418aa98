import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { mappingJsonSchema } from "../../src/mapping/schema.ts";
import { anyMapping } from "./any-mapping.ts";
import { head, problemsOfFile } from "./given-mapping.ts";

const ajv = new Ajv({ strictTypes: false, strictRequired: false, allowUnionTypes: true });
const accepts = ajv.compile(mappingJsonSchema());

test("mappings of the right form are accepted by the JSON Schema and the loader", () => {
  fc.assert(
    fc.property(anyMapping, (mapping) => {
      expect(problemsOfFile(JSON.stringify(mapping))).toEqual([]);
      expect(accepts(mapping) || [mapping, accepts.errors]).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test.each([
  ["members:\n  email:\n", false],
  ["members:\n  email: null\n", false],
  ['members:\n  email: "null"\n', true],
  ["members: { email: { column: } }\n", false],
  ["members: { email: { colum: A } }\n", false],
  ["members: { email: { column: A, type: int } }\n", false],
  ["members: { email: { column: A, min: low } }\n", false],
  ["members: { email: 7 }\n", true],
  ["members: { email: A }\nempty:\n", true],
  ["members: { email: A }\nempty: ~\n", true],
  ["members: { email: A }\nempty: null\n", true],
  ["members: { email: A }\nnull_values: [null]\n", true],
  ["members: { email: A }\nwhen: { column: A, in: [null] }\n", true],
])("a file is the same to an editor and to the loader: %j", (rest, isFine) => {
  const file = head + rest;
  expect(accepts(parse(file))).toBe(isFine);
  expect(problemsOfFile(file).length === 0).toBe(isFine);
});
