import fc from "fast-check";
import { expect, test } from "vitest";
import { bodies, mapper, rowOf } from "./given-mapping.ts";

// A JavaScript object puts names that are whole numbers before all others; JSON gives no meaning
// to the order, so they are left out here.
const anyPart = fc
  .oneof(
    fc.constantFrom(
      "name",
      "Event",
      "constructor",
      "toString",
      "hasOwnProperty",
      "prototype",
      "a b",
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }),
  )
  .filter((part) => !/^\d+$/.test(part) && part !== "__proto__");

/** A name as a mapping writes it, with what means something there as a part of the name. */
const written = (parts: readonly string[]) =>
  parts.map((part) => part.replaceAll(/[.[\]\\]/g, "\\$&")).join(".");

/** Member names of which none is the parent of another. */
const anyNames = fc
  .uniqueArray(fc.array(anyPart, { minLength: 1, maxLength: 3 }), {
    maxLength: 6,
    selector: written,
  })
  .map((paths) =>
    paths
      .filter(([first]) => first !== "event")
      .filter((path) => !paths.some((other) => other !== path && isBelow(path, other))),
  )
  .map((paths) => paths.map(written));

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return above.length < path.length && above.every((part, at) => part === path[at]);
}

const anyCell = fc.oneof(
  fc.constantFrom("", " ", "00172", "null", '"', "\\", "\u2028", "{}", "😀"),
  fc.string({ unit: "binary", maxLength: 8 }),
);

interface Case {
  readonly names: readonly string[];
  readonly empty: string;
  readonly cells: readonly string[];
}

const anyCase: fc.Arbitrary<Case> = fc
  .tuple(anyNames, fc.constantFrom("omit", "null", "keep"))
  .chain(([names, empty]) =>
    fc
      .array(anyCell, { minLength: names.length, maxLength: names.length })
      .map((cells) => ({ names, empty, cells })),
  );

function mapperOf({ names, empty }: Case) {
  const members = Object.fromEntries(names.map((name, at) => [name, `column ${at}`]));
  const mapping = { version: 1, resource: "users", event: "user.updated", empty, members };
  return mapper(
    JSON.stringify(mapping),
    names.map((_, at) => `column ${at}`),
  );
}

/** Paths and values of a JSON text, in the order in which they stand there. */
function leaves(value: unknown, path: readonly string[] = []): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[written(path), value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

test("a body is JSON with event first and then exactly the mapping's members", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { names, empty, cells } = given;
      const [text = ""] = bodies(mapperOf(given)(rowOf(cells)));
      const body = leaves(JSON.parse(text));
      expect(body[0]).toEqual(["event", "user.updated"]);

      const expected = names.flatMap((name, at): [string, unknown][] => {
        const cell = cells[at] ?? "";
        if (cell.trim() !== "" || empty === "keep") return [[name, cell]];
        return empty === "null" ? [[name, null]] : [];
      });
      expect(new Map(body.slice(1))).toEqual(new Map(expected));
      expect(body).toHaveLength(1 + expected.length);
      // Members of one parent stand together where the mapping has the first of them, the others in order.
      const topsOf = (names: readonly string[]) => [
        ...new Set(names.map((name) => /^(?:\\.|[^.])*/s.exec(name)?.[0])),
      ];
      const tops = topsOf(body.slice(1).map(([name]) => name));
      expect(tops).toEqual(topsOf(names).filter((top) => tops.includes(top)));
    }),
    { numRuns: 300 },
  );
});

test("the text of a body stays the same if it is parsed and written again", () => {
  const names = ["b", "a.10", "7", "a.x", "02", "a.9", "l[0].3", "l[0].b", "l[0].1", "4294967295"];
  const members = Object.fromEntries(names.map((name) => [name, "A"]));
  const mapping = { version: 1, resource: "users", event: "e", members };
  const [text = ""] = bodies(mapper(JSON.stringify(mapping), ["A"])(rowOf(["x"])));
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
  expect(text).toBe(
    '{"7":"x","event":"e","b":"x","a":{"9":"x","10":"x","x":"x"},"02":"x","l":[{"1":"x","3":"x","b":"x"}],"4294967295":"x"}',
  );
});

test("the same row always gives the same, and rows do not meet", () => {
  const text = `version: 1
resource: users
ordering_key: [A]
events:
  - event: { column: A, map: { x: one }, otherwise: two }
    when: { column: B, not_in: [skip] }
    members:
      nested.a: A
      nested.b: { column: B, type: json }
      fixed: { value: { list: [] } }
      id: { meta: event_id }
  - { event: three, members: { text: { template: "{A} {B}" } } }
`;
  const mapRow = mapper(text, ["A", "B"]);
  const anyRow = fc
    .tuple(
      fc.constantFrom("x", "y", "", "constructor"),
      fc.constantFrom("1", "{}", '{"a":[1]}', "skip", "", "not JSON"),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(([a, b, row]) => rowOf([a, b], { row }));
  const told = (row: Parameters<typeof mapRow>[0], map = mapRow) => {
    const mapped = map(row);
    return mapped.kind === "events"
      ? {
          ...mapped,
          events: mapped.events.map((event) => ({
            ...{ id: event.id, index: event.index, name: event.name, members: event.members },
            data: event.data(),
            body: event.body("now"),
          })),
        }
      : mapped;
  };
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 8 }), (rows) => {
      const alone = rows.map((row) => told(row, mapper(text, ["A", "B"])));
      const together = rows.map((row) => told(row));
      expect(together).toEqual(alone);
      expect(rows.map((row) => told(row))).toEqual(together);
    }),
    { numRuns: 40 },
  );
});

test("a body is the same in every attempt of the same moment, and only imported_at differs later", () => {
  const text =
    "version: 1\nresource: users\nevent: e\nmembers: { at: { meta: imported_at }, a: A }\n";
  const mapped = mapper(text, ["A"])(rowOf(["x"]));
  const event = mapped.kind === "events" ? mapped.events[0] : undefined;
  const early = "2024-05-01T10:00:00.000Z";
  expect(event?.body(early)).toBe(event?.body(early));
  expect(event?.body("later")).toBe('{"event":"e","at":"later","a":"x"}');
});
