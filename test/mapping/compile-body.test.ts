import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoadEvent } from "../../src/model/event.ts";
import { bodies, mapper, rowOf } from "./given-mapping.ts";

test("names may have what means something in a path, and are in the order of the file", () => {
  const names = ["constructor", "a\\.b.c\\[0\\]", "toString.\\\\", "a b", "é.hasOwnProperty"];
  const members = Object.fromEntries(names.map((name) => [name, "A"]));
  const mapping = { version: 1, resource: "users", event: "e", members };
  expect(bodies(mapper(JSON.stringify(mapping), ["A"])(rowOf(['"\u2028']))).join()).toBe(
    JSON.stringify({
      ...{ event: "e", constructor: '"\u2028', "a.b": { "c[0]": '"\u2028' } },
      ...{ toString: { "\\": '"\u2028' }, "a b": '"\u2028', é: { hasOwnProperty: '"\u2028' } },
    }),
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
  const membersOf = (event: LoadEvent) => {
    const counts: number[] = [];
    event.countMembers?.(counts);
    return counts;
  };
  const told = (row: Parameters<typeof mapRow>[0], map = mapRow) => {
    const mapped = map(row);
    return mapped.kind === "events"
      ? {
          ...mapped,
          events: mapped.events.map((event) => ({
            ...{ id: event.id, index: event.index, name: event.name },
            members: membersOf(event),
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
