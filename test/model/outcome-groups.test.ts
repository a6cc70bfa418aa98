import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createGroups, messageTemplate } from "../../src/model/groups.ts";
import { createOutcomeGroups, type EndedLine } from "../../src/model/outcome-groups.ts";

describe("a message becomes a template", () => {
  it.each([
    ['column "Age 2": "80,5" is not a whole number', 'column "Age 2": "…" is not a whole number'],
    ['column "E-mail 1" is blank', 'column "E-mail 1" is blank'],
    ["ann.b+c@mail.example.com is taken", "… is taken"],
    ['email "Ann@Example.com" is taken', 'email "…" is taken'],
    ['"plan" must be one of "free", "pro"', '"plan" must be one of "free", "pro"'],
    ['there is no user "Jansen"', 'there is no user "…"'],
    ["contact 5d2b0a1e-7b1c-4d5e-8f90-aabbccddeeff exists", "contact … exists"],
    ["no such customer cus_9aF42kk", "no such customer …"],
    ["at most 1,000 a day; 1,004 today", "at most … a day; … today"],
    ["31/02/2024 is no date", "… is no date"],
    ["since 2026-03-01T12:00:00.000Z it is closed", "since … it is closed"],
    ["see https://example.com/errors?x for more", "see … for more"],
    ["blocked, because row 17 did not succeed", "blocked, because row … did not succeed"],
    ["connect ECONNREFUSED 10.0.0.1:443", "connect ECONNREFUSED …"],
    ["the plan is unknown", "the plan is unknown"],
    ["", ""],
  ])("%s", (message, template) => {
    expect(messageTemplate(message)).toBe(template);
  });

  it("whatever the number in it", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const message = (number: number) => `row ${number} has used ${number} of its places`;
        expect(messageTemplate(message(one))).toBe(messageTemplate(message(other)));
      }),
    );
  });

  it("in little time, however long and odd it is", () => {
    for (const piece of ['"', "a", "a1", "1-", "x@", 'column "', "\\", "http://"]) {
      expect(messageTemplate(piece.repeat(100_000)).length).toBeLessThanOrEqual(3 * 500);
    }
  });
});

const line = (given: Partial<EndedLine>): EndedLine => ({
  status: "rejected",
  code: "http_422",
  message: "no",
  row: 1,
  line: 2,
  source: undefined,
  ...given,
});

test("the first of a group are those of the first rows, whichever ended first", () => {
  const rows = fc.uniqueArray(fc.nat(50), { minLength: 1 });
  fc.assert(
    fc.property(rows, (given) => {
      const groups = createOutcomeGroups([], new Map());
      for (const row of given) groups.add(line({ row }));
      expect(groups.groups()[0]?.first.map(({ row }) => row)).toEqual(
        given.toSorted((one, other) => one - other).slice(0, 5),
      );
    }),
  );
});

test("like goes with like, the largest group first", () => {
  const groups = createOutcomeGroups([], new Map());
  groups.add(line({ code: "http_409", message: "exists" }));
  const alike = [4, 5].map((row) => line({ row, message: `id ${row} is taken` }));
  for (const one of alike) groups.add(one);
  expect(groups.groups()).toMatchObject([
    { status: "rejected", code: "http_422", message: "id … is taken", count: 2, first: alike },
    {
      ...{ status: "rejected", code: "http_409", message: "exists", count: 1 },
      first: [line({ code: "http_409", message: "exists" })],
    },
  ]);
});

test.each<[Partial<EndedLine>, string | undefined]>([
  [{ message: "unknown status" }, "Status"],
  [{ code: "", message: "unknown status" }, "Status"],
  [{ code: "http_500", status: "failed", message: "status 500" }, undefined],
  [{ code: "blocked", status: "blocked", message: "row 2 of the same key failed" }, undefined],
  [{ code: "superseded", message: "a row of the same key has arrived" }, undefined],
  [{ code: "timeout", status: "unknown", message: "no status within 30 s" }, undefined],
])("of %j the column is %s: what eventload says itself names none", (given, column) => {
  const ofMember = new Map([
    ["status", "Status"],
    ["key", "Key"],
  ]);
  const groups = createOutcomeGroups(["Status", "Key"], ofMember);
  groups.add(line(given));
  expect(groups.groups()[0]?.column).toBe(column);
});

test("every line is counted once, however many kinds there are", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 }), (messages) => {
      const kept = (one: EndedLine) => one;
      const groups = createGroups(({ message }) => message, kept, 2, 1);
      for (const message of messages) groups.add(line({ message }));
      const grouped = groups.groups();
      expect(grouped.length).toBeLessThanOrEqual(2);
      const counted = grouped.reduce((total, { count }) => total + count, groups.ungrouped);
      expect(counted).toBe(messages.length);
    }),
  );
});
