import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCell, anyMapping, columns } from "./any-mapping.ts";
import { bodies, mapper, rowOf } from "./given-mapping.ts";
import { interpret } from "./interpreter.ts";

const anyCells = fc.array(anyCell, { minLength: columns.length, maxLength: columns.length });

test("the compiled mapping says what a slow and obvious interpreter says", () => {
  const kinds = { events: 0, invalid: 0, skipped: 0 };
  fc.assert(
    fc.property(anyMapping, fc.array(anyCells, { minLength: 1, maxLength: 6 }), (mapping, rows) => {
      const text = JSON.stringify(mapping);
      const mapRow = mapper(text, columns);
      for (const cells of rows) {
        const mapped = mapRow(rowOf(cells, { row: 42, line: 57 }));
        kinds[mapped.kind]++;
        const named = Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""]));
        const meta = { row: 42, line: 57, event_id: "an id" };
        const expected = interpret(
          JSON.parse(text),
          named,
          (name) => meta[name as keyof typeof meta],
        );
        const ids = mapped.kind === "events" ? mapped.events.map(({ id }) => id) : [];
        const got =
          mapped.kind === "events"
            ? {
                kind: "events",
                bodies: bodies(mapped).map((body, at) => body.replaceAll(ids[at] ?? "", "an id")),
              }
            : mapped.kind === "invalid"
              ? { kind: "invalid", codes: mapped.problems.map(({ code }) => code) }
              : { kind: "skipped" };
        expect([cells, got]).toEqual([cells, expected]);
      }
    }),
    { numRuns: 200 },
  );
  for (const count of [kinds.events, kinds.invalid, kinds.skipped])
    expect(count).toBeGreaterThan(5);
});
