import fc from "fast-check";
import { expect, test } from "vitest";
import { CannotStartError, cannotStart, reasonOf } from "../../src/model/errors.ts";
import { describeProblem } from "../../src/model/place.ts";
import { hasResultsColumns, resultsColumns } from "../../src/model/results-columns.ts";
import { problemText, quote } from "../../src/model/row.ts";

test("a problem tells row, line, column and value", () => {
  const problem = {
    code: "not_an_integer",
    column: "Age",
    value: "4\u001b2",
    message: "is not a whole number",
  } as const;
  expect(describeProblem({ row: 42, line: 57 }, problem)).toBe(
    'row 42 (line 57), column "Age": "4\\u001b2" is not a whole number',
  );
  expect(describeProblem({ row: 1, line: 2 }, { code: "ragged_row", message: "has 1 cell" })).toBe(
    "row 1 (line 2): has 1 cell",
  );
});

test("a problem is not shown at any length", () => {
  const problem = { code: "ragged_row", message: "x".repeat(100_000) } as const;
  expect(problemText(problem)).toHaveLength(100_000);
  expect(describeProblem({ row: 1, line: 2 }, problem)).toHaveLength(
    1000 + "row 1 (line 2): …".length,
  );
});

test("a quoted value is short, on one line, and never ends in half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (value) => {
      const shown = quote(value);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect([...(JSON.parse(shown) as string)].length).toBeLessThanOrEqual(81);
      if (!/\p{Cs}/u.test(value)) expect(JSON.parse(shown)).not.toMatch(/\p{Cs}/u);
    }),
    { examples: [["4\u009b31m2"], ["a\u202eb"], ["a\u{e0041}b"], ["a\u2028b"]] },
  );
});

test("an error of the catalogue carries its code, and the reason of the system without its path", () => {
  const error = cannotStart("input_not_found", "people.csv");
  expect(error).toBeInstanceOf(CannotStartError);
  expect(error).toMatchObject({ code: "input_not_found", message: "There is no file people.csv." });
  const reason = Object.assign(new Error("ENOSPC: no space, write '/x'"), { code: "ENOSPC" });
  expect(reasonOf(reason)).toBe("the disk is full");
  expect(reasonOf("odd")).toBe("odd");
});

test("a results file is known by its status and two more of its columns", () => {
  expect(hasResultsColumns(["a", ...resultsColumns])).toBe(true);
  expect(hasResultsColumns(["import_row", "a", "import_status", "import_error"])).toBe(true);
  expect(hasResultsColumns(["Import Row", "a", "IMPORT_STATUS ", "import-error"])).toBe(true);
  expect(hasResultsColumns(["a", "import_status", "import_error"])).toBe(false);
  const withoutStatus = resultsColumns.filter((name) => name !== "import_status");
  expect(hasResultsColumns(["a", ...withoutStatus])).toBe(false);
});
