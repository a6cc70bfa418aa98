import { expect, test } from "vitest";
import { allProblemsOf, head, mapper, problemsOfFile, rowOf, shown } from "./given-mapping.ts";

const columns = ["Email", "Id"];
const withKey = (key: string) => `${head}ordering_key: ${key}\nmembers: { id: Id }\n`;
const keyOf = (key: string, cells: readonly string[]) => {
  const mapped = mapper(withKey(key), columns)(rowOf(cells));
  return mapped.kind === "events" ? mapped.orderingKey : mapped;
};

const ofEmail = "[{ column: Email, transform: [trim, lowercase] }]";

test.each([
  [ofEmail, [" Ada@X.org ", "1"], "ada@x.org"],
  ["[{ column: Email, transform: lowercase }, Id]", ["A", "B"], '["a","B"]'],
  ["[{ column: Email }]", ["A ", "B"], "A "],
  ["[{ column: Email, transform: digits_only }]", ["none", "1"], undefined],
  ["[{ column: Email, transform: digits_only }, Id]", ["none", "1"], '["","1"]'],
])("the ordering key %s of %j is %s", (key, cells, expected) => {
  expect(keyOf(key, cells)).toBe(expected);
});

const withPattern = '[{ column: Email, transform: { replace: { pattern: "a+", with: "" } } }]';

test("a row is invalid if its key is too long for a pattern, but not if it is left out", () => {
  const cell = "a".repeat(4001);
  const mapped = mapper(withKey(withPattern), columns)(rowOf([cell, "1"]));
  expect(mapped.kind).toBe("invalid");
  expect(shown(mapped)).toEqual([expect.stringMatching(/^too_long_for_pattern: column "Email": /)]);
  const leftOut = `${withKey(withPattern)}when: { column: Id, in: [2] }\n`;
  expect(mapper(leftOut, columns)(rowOf([cell, "1"]))).toMatchObject({ kind: "skipped" });
});

test("columns and transforms of the key are checked with the rest of the file", () => {
  const text = withKey("[{ column: Emial, transform: [trimm] }, { colum: Id }, {}, [], Ids]");
  expect(allProblemsOf(text, columns)).toEqual([
    'm.yaml:4:26: ordering_key.0.column: the input has no column "Emial"; did you mean "Email"?',
    'm.yaml:4:45: ordering_key.0.transform.0: "trimm" is not known here; did you mean trim?',
    "m.yaml:4:55: ordering_key.1.column: is missing: it needs text",
    "m.yaml:4:57: ordering_key.1.colum: unknown key; did you mean column?",
    "m.yaml:4:70: ordering_key.2.column: is missing: it needs text",
    "m.yaml:4:74: ordering_key.3: needs text or a mapping of keys to values, not a list",
    'm.yaml:4:78: ordering_key.4: the input has no column "Ids"; did you mean "Id"?',
  ]);
  const pattern = '[{ column: Email, transform: { replace: { pattern: "(", with: x } } }]';
  expect(problemsOfFile(withKey(pattern))).toEqual([
    expect.stringContaining("ordering_key.0.transform.replace.pattern: "),
  ]);
});
