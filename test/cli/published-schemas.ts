import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { type Printed, printedJsonSchema } from "../../src/cli/terminal/printed.ts";

const printedBy: Readonly<Record<string, Printed>> = {
  import: "summary",
  resume: "summary",
  retry: "summary",
  merge: "summary",
  check: "check",
  status: "status",
  report: "report",
};
const compiled = new Map<Printed, ValidateFunction>();

/** Expects what a command has printed with `--json` to be one object of its published schema. */
export function expectPublished([command = "", ...options]: readonly string[], stdout: string) {
  const name = printedBy[command];
  if (!options.includes("--json") || name === undefined || stdout === "") return;
  const ajv = new Ajv2020({ strict: false });
  const fits = compiled.get(name) ?? ajv.compile(printedJsonSchema(name));
  compiled.set(name, fits);
  fits(JSON.parse(stdout));
  expect(fits.errors, `${name}: ${stdout}`).toBeNull();
}
