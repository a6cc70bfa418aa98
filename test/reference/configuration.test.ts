import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { checkCommand } from "../../src/cli/commands/check.ts";
import { exportCommand } from "../../src/cli/commands/export.ts";
import { importCommand } from "../../src/cli/commands/import.ts";
import { initCommand } from "../../src/cli/commands/init.ts";
import { mapCommand } from "../../src/cli/commands/map.ts";
import { mergeCommand } from "../../src/cli/commands/merge.ts";
import { reportCommand } from "../../src/cli/commands/report.ts";
import { resumeCommand } from "../../src/cli/commands/resume.ts";
import { retryCommand } from "../../src/cli/commands/retry.ts";
import { sandboxCommand } from "../../src/cli/commands/sandbox.ts";
import { statusCommand } from "../../src/cli/commands/status.ts";
import { toKey } from "../../src/cli/options/option-types.ts";
import { eventload } from "../cli/fake-host.ts";
import { withOptionTables } from "./options-reference.mjs";

const commands: Readonly<Record<string, Command>> = {
  import: importCommand,
  check: checkCommand,
  retry: retryCommand,
  resume: resumeCommand,
  init: initCommand,
  map: mapCommand,
  merge: mergeCommand,
  status: statusCommand,
  report: reportCommand,
  export: exportCommand,
  sandbox: sandboxCommand,
};

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");

test("docs/configuration.md has the tables that the options give (run `npm run reference`)", () => {
  expect(page).toBe(withOptionTables(page, commands, toKey));
});

test("docs/configuration.md has every key of eventload.yaml", async () => {
  const { stdout } = await eventload("schema config");
  const { properties } = JSON.parse(stdout);
  const missing = Object.keys(properties).filter((key) => !page.includes(`\`${key}\``));
  expect(missing).toEqual([]);
});
