import { expect, test } from "vitest";
import { createColumns } from "../../src/mapping/columns.ts";

function messageFor(name: string, columns: readonly string[]): string | undefined {
  const found = createColumns(columns).find(name);
  return found.kind === "problem" ? found.message : undefined;
}

test("a name that is there is found, whatever else looks like it", () => {
  const names = ["e\u0301", "é", "Email ", "Email", "email", "__proto__", "constructor", ""];
  for (const [index, name] of names.entries()) {
    expect(createColumns(names).find(name)).toEqual({ kind: "found", index });
  }
});

test.each([
  ["E-mail", "Email ", 'did you mean "Email "?'],
  ["Email", " Email", 'did you mean " Email"?'],
  ["First Name", "First\u00a0Name", 'did you mean "First\\u00a0Name"?'],
  ["Prénom", "Pre\u0301nom", 'no column "Prénom"; did you mean "Pre\\u0301nom"?'],
  ["Email", "\u200bEmail", 'did you mean "\\u200bEmail"?'],
  ["ID", "ＩＤ", 'did you mean "ＩＤ"?'],
  ["email", "EMAIL", 'did you mean "EMAIL"?'],
])("%j is told from %j", (given, column, words) => {
  const message = messageFor(given, [column, "Other"]);
  expect(message).toContain(`the input has no column ${JSON.stringify(given)}; did you mean`);
  expect(message).toContain(words);
});
