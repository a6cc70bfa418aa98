import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scenario } from "../scenarios/scenario.ts";

const page = readFileSync(new URL("../../docs/delivery.md", import.meta.url), "utf8");

it("the formula of docs/delivery.md gives the id of the event", async () => {
  const [, program = ""] = /^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { eventload, start, folder } = await scenario("readme");
  writeFileSync(join(folder, "id.mjs"), program);
  const formula = await start([], { program: join(folder, "id.mjs") }).ended;

  const { stdout } = await eventload("check people.csv --row 1 --json");
  const { reference } = JSON.parse(stdout).requests[0].body;
  expect(formula.stdout).toBe(`${reference}\n`);
  expect(program).toContain(reference);
});
