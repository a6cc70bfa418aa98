import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { mappingJsonSchema } from "../../src/mapping/schema.ts";
import { eventload } from "../cli/fake-host.ts";
import { mappingReference } from "./mapping-reference.mjs";

test("docs/mapping-reference.md is what the schema says (npm run reference writes it)", () => {
  const page = readFileSync(new URL("../../docs/mapping-reference.md", import.meta.url), "utf8");
  expect(page).toBe(mappingReference(mappingJsonSchema()));
});

test("eventload schema prints the JSON Schema, and the package has it under its name", async () => {
  const { status, stdout } = await eventload("schema");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(mappingJsonSchema())));
  const shipped = createRequire(import.meta.url).resolve("eventload/mapping.schema.json");
  expect(readFileSync(shipped, "utf8")).toBe(stdout);
});
