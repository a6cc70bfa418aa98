import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Printed, printedJsonSchema } from "../../src/cli/terminal/printed.ts";
import { withMembers } from "./json-reference.mjs";

test("docs/json.md has the members that are printed (run `npm run reference`)", () => {
  const page = readFileSync(new URL("../../docs/json.md", import.meta.url), "utf8");
  expect(page).toContain("| `perhaps_twice` | events of which");
  expect(page).toBe(withMembers(page, (name) => printedJsonSchema(name as Printed)));
});
