import { execFileSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventload } from "../fake-host.ts";
import { situation } from "../situation.ts";

const program = fileURLToPath(new URL("../../../dist/cli/bin.js", import.meta.url));

it.each([
  ["eventload re", 1, "retry\nresume\nreport\n"],
  ["eventload import --delivery at-least-once --deli", 4, "--delimiter\n"],
  ["eventload import ''", 2, "\n"], // files
  ["eventload import people.csv --delivery ''", 4, "at-least-once\nat-most-once\n"],
  ["eventload schema ''", 2, "mapping\nconfig\nsummary\ncheck\nstatus\nreport\n"],
  ["eventload check --m", 2, "--mapping\n--max-gone\n--max-changed\n"],
  ["eventload status --", 2, "--json\n"],
])("bash completes %j", async (line, at, expected) => {
  const { folder, path } = await situation();
  const file = path("eventload");
  await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(file, 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}`, SHELL: "/bin/bash" };
  const script = `source <(eventload completion)
COMP_WORDS=(${line}) COMP_CWORD=${at}
$(complete -p eventload | grep -o '_[^ ]*completions')
printf '%s\\n' "\${COMPREPLY[@]}"`;
  expect(execFileSync("bash", ["-c", script], { env, cwd: folder, encoding: "utf8" })).toBe(
    expected,
  );
});

it("a shell without a script gets none", async () => {
  const { status, stdout, stderr } = await eventload("completion", { env: { SHELL: "/bin/tcsh" } });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("there is no script for tcsh; for another shell, set SHELL");
});
