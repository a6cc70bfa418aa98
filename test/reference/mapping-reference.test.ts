import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { mappingJsonSchema } from "../../src/mapping/schema.ts";
import { eventload } from "../cli/fake-host.ts";
import { withReference } from "./mapping-reference.mjs";

test("the README's mapping reference is what the schema says (npm run reference writes it)", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toBe(withReference(readme, mappingJsonSchema()));
});

test("eventload schema prints the JSON Schema, and the package has it under its name", async () => {
  const { status, stdout } = await eventload(["schema"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(mappingJsonSchema())));
  const shipped = createRequire(import.meta.url).resolve("eventload/mapping.schema.json");
  expect(readFileSync(shipped, "utf8")).toBe(stdout);
});
