import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { checkCommand } from "../../src/cli/commands/check.ts";
import { exportCommand } from "../../src/cli/commands/export.ts";
import { importCommand } from "../../src/cli/commands/import.ts";
import { initCommand } from "../../src/cli/commands/init.ts";
import { mergeCommand } from "../../src/cli/commands/merge.ts";
import { reportCommand } from "../../src/cli/commands/report.ts";
import { resumeCommand } from "../../src/cli/commands/resume.ts";
import { retryCommand } from "../../src/cli/commands/retry.ts";
import { sandboxCommand } from "../../src/cli/commands/sandbox.ts";
import { statusCommand } from "../../src/cli/commands/status.ts";
import { toKey } from "../../src/cli/options/option-types.ts";
import { eventload } from "../cli/fake-host.ts";

const commands: Readonly<Record<string, Command>> = {
  import: importCommand,
  check: checkCommand,
  retry: retryCommand,
  resume: resumeCommand,
  init: initCommand,
  merge: mergeCommand,
  status: statusCommand,
  report: reportCommand,
  export: exportCommand,
  sandbox: sandboxCommand,
};

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");

/** The cells of each line of a table, without the signs of code. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(/[`\\]/g, "")))
  .map(([, ...cells]) => cells);

/** The line of an option: one of the command's own, else one that commands share. */
function rowOf(command: string, option: string) {
  const isOf = (cell = "") => new RegExp(`^--${option}(?![\\w-])`).test(cell);
  const own = rows.find(([name, given]) => name === command && isOf(given));
  if (own !== undefined) return { option: own[1], key: undefined, standard: own[2] };
  const shared = rows.find(([given, key]) => isOf(given) || key === toKey(option));
  return shared && { option: shared[0], key: shared[1], standard: shared[2] };
}

const told = Object.entries(commands).flatMap(([command, { options }]) =>
  Object.entries(options).map(([name, option]) => ({ command, name, option })),
);

it.each(told)(
  "docs/configuration.md has $name of $command with its default",
  ({ command, name, option }) => {
    const row = rowOf(command, name);
    expect(row).toBeDefined();
    const letter = option.short === undefined ? "" : `, -${option.short}`;
    const value = option.kind === "flag" ? "" : ` <${option.placeholder}>`;
    if (option.isFileOnly) expect(row?.option).toBe("");
    else expect(row?.option).toBe(`--${name}${value}${letter}`);
    // What is asked, or is up to chance, has no default to show.
    const standard = option.default ?? (option.kind === "flag" ? "false" : "none");
    // What a retry and a resume take from their run, the table says in words.
    if (option.default === "that of the run") return;
    expect(["asked, or a guess", "random", standard]).toContain(row?.standard);
  },
);

it("docs/configuration.md has every key of eventload.yaml, and no others", async () => {
  const { stdout } = await eventload(["schema", "config"]);
  const { properties, $defs } = JSON.parse(stdout);
  const { statuses: _, ...others } = properties;
  const lists = Object.keys($defs.statuses.properties).map((list) => `statuses.${list}`);
  const keys = [...Object.keys(others), ...lists];
  const shown = rows
    .filter((cells) => cells.length === 5 && /^(--|$)/.test(cells[0] ?? "") && cells[1] !== "")
    .map(([, key]) => key);
  expect(shown.toSorted()).toEqual(keys.toSorted());
});
