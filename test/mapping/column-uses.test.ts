import { expect, test } from "vitest";
import { findColumnUses } from "../../src/mapping/column-uses.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { head } from "./given-mapping.ts";

function loadedOf(rest: string) {
  const loaded = loadMapping(rest.startsWith("version") ? rest : head + rest);
  if (loaded.kind === "invalid") throw new Error("the mapping is wrong");
  return loaded.mapping;
}

function usesOf(rest: string, columns: readonly string[]) {
  return findColumnUses(loadedOf(rest).spec, columns).map(({ knownCells, member, ...use }) => ({
    ...use,
    ...(knownCells.size === 0 ? {} : { knownCells: [...knownCells] }),
    ...(member === undefined ? {} : { member: member.name }),
  }));
}

test("columns of members, the event, templates and ordering_key are used; those of conditions are not", () => {
  const mapping = `version: 1
resource: users
event: { column: Kind, map: { A: a } }
ordering_key: [Key, { column: Mail, transform: trim }]
when: { column: Status, blank: true }
members:
  n: { column: N, type: integer }
  t: { template: "{One} {Two}", transform: trim }
`;
  expect(usesOf(mapping, ["Status", "Kind", "Key", "N", "One", "Two", "Mail", "Unused"])).toEqual([
    { column: "Kind", index: 1, asText: false, keepsSpace: false, knownCells: ["A"] },
    { column: "N", index: 3, asText: false, keepsSpace: false, asNumber: true, member: "n" },
    { column: "One", index: 4, asText: true, keepsSpace: false },
    { column: "Two", index: 5, asText: true, keepsSpace: false },
    { column: "Key", index: 2, asText: true, keepsSpace: "in_key" },
    { column: "Mail", index: 6, asText: true, keepsSpace: false },
  ]);
});

test("a column of a template keeps the space around it unless a transform there removes it", () => {
  const members = 'members: { it: { template: "{One|trim} {Two|lowercase} {Three}" } }\n';
  const columns = ["One", "Two", "Three"];
  expect(usesOf(members, columns).map(({ keepsSpace }) => keepsSpace)).toEqual([false, true, true]);
});

test("a column is padded if every use of it fills it from the left", () => {
  const members = `members:
  a: { column: A, transform: [trim, { pad_start: { length: 5, with: 0 } }] }
  b: { column: B, transform: { pad_start: { length: 5, with: 0 } } }
  c: { column: B, transform: { split: { by: "-", item: 1 } } }
`;
  expect(usesOf(members, ["A", "B"])).toEqual([
    { column: "A", index: 0, asText: true, keepsSpace: false, isPadded: true, member: "a" },
    { column: "B", index: 1, asText: true, keepsSpace: false, member: "b" },
  ]);
});

test("of several uses of a column, the one that takes it most exactly counts", () => {
  const members = `members:
  a: { column: A, type: integer }
  b: { column: A, transform: trim }
  c: { column: A, map: { x: 1, y: 2 } }
  d: { column: B, map: { x: 1, y: 2 } }
  e: { column: B, map: { y: 1, z: 2 }, transform: trim }
`;
  expect(usesOf(members, ["A", "B"])).toEqual([
    { column: "A", index: 0, asText: true, keepsSpace: false, asNumber: true, member: "a" },
    { column: "B", index: 1, asText: false, keepsSpace: false, knownCells: ["y"], member: "d" },
  ]);
});

test("the columns of conditions are known, however deep they stand", () => {
  const inner =
    "{ any: [{ not: { column: A, equals: { column: B } } }, { column: C, blank: true }] }";
  const { columnsRead } = loadedOf(
    `when: ${inner}\nmembers: { d: { value: 1, when: { column: D, blank: true } } }\n`,
  );
  expect(columnsRead(["A", "B", "C", "D", "E"])).toEqual(["A", "B", "C", "D"]);
});
