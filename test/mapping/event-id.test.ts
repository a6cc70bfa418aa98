import fc from "fast-check";
import { v5 } from "uuid";
import { expect, test } from "vitest";
import { eventId } from "../../src/mapping/event-id.ts";
import type { Row } from "../../src/model/row.ts";
import { head, mapper, people, rowOf } from "./given-mapping.ts";

const anyInput = fc.string({
  unit: fc.constantFrom(..."0123456789abcdef"),
  minLength: 16,
  maxLength: 16,
});
const anyRow = fc.integer({ min: 1, max: 9_999_999 });
const anyIndex = fc.integer({ min: 1, max: 9 });
const anyData = fc.oneof(fc.json(), fc.string({ unit: "binary" }));
const anyParts = fc.tuple(anyInput, anyRow, anyIndex, anyData);

test("an id is a UUID version 5 as the uuid package makes it", () => {
  fc.assert(
    fc.property(anyParts, ([input, row, index, data]) => {
      const id = eventId(input, row, index, data);
      expect(id).toBe(
        v5(`${input}\n${row}\n${index}\n${data}`, "7d0f6c0e-6f5c-4f0a-9b7c-2f3f0f6c8a51"),
      );
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test("the ids of earlier versions stay what they were", () => {
  expect(eventId("0123456789abcdef", 42, 1, '{"event":"user.updated","name":"Zoë"}')).toBe(
    "45f0a140-65fe-58cd-9228-029b19edc2a5",
  );
});

const columns = ["A", "B"];
const plain = `${head}members: { a: A, b: { column: B, empty: keep } }\n`;
const withMeta = `${head}members:
  id: { meta: event_id }
  a: A
  at: { meta: imported_at }
  b: { column: B, empty: keep }
  row: { meta: row }
  line: { meta: line }
  name: { meta: input_name }
`;

function idOf(text: string, row: Row, input = people): string | undefined {
  const mapped = mapper(text, columns, input)(row);
  return mapped.kind === "events" ? mapped.events[0]?.id : undefined;
}

const anyCells = fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }));

test("meta members, the input's name and the line do not enter the id", () => {
  fc.assert(
    fc.property(anyCells, anyRow, fc.nat(), fc.string(), (cells, row, line, name) => {
      const id = idOf(plain, rowOf(cells, { row }));
      expect(idOf(withMeta, rowOf(cells, { row, line }), { ...people, name })).toBe(id);
    }),
    { numRuns: 50 },
  );
});

test("a retry carries the original input over, and so the id", () => {
  const cells = ["Ann", "pro"];
  const first = idOf(plain, rowOf(cells, { row: 42 }));
  const results = { name: "people.results.csv", id: "fedcba9876543210" };
  const again = rowOf(cells, { row: 42, line: 3, origin: { input: people.id } });
  expect(idOf(plain, again, results)).toBe(first);
  expect(idOf(plain, { ...again, cells: ["Ann", "free"] }, results)).not.toBe(first);
  expect(idOf(plain, rowOf(cells, { row: 42, origin: {} }), results)).not.toBe(first);
});
