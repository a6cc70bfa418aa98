import { expect } from "vitest";
import { z } from "zod";
import { type Printed, printedJsonSchema } from "../../src/cli/terminal/json-schemas.ts";

type Schema = Parameters<typeof z.fromJSONSchema>[0];

const printedBy: Readonly<Record<string, Printed>> = {
  import: "summary",
  resume: "summary",
  retry: "summary",
  merge: "summary",
  check: "check",
  status: "status",
  report: "report",
};
const read = new Map<string, z.ZodType>();

/** Expects what a command has printed with `--json` to be one object of its published schema. */
export function expectPublished([command = "", ...options]: readonly string[], stdout: string) {
  const name = printedBy[command];
  if (!options.includes("--json") || name === undefined || stdout === "") return;
  const schema = read.get(name) ?? z.fromJSONSchema(printedJsonSchema(name) as Schema);
  read.set(name, schema);
  const { error } = schema.safeParse(JSON.parse(stdout));
  expect(error && z.prettifyError(error), `${name}: ${stdout}`).toBeUndefined();
}
