import { execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eventload } from "../fake-host.ts";
import { situation } from "../situation.ts";

const program = fileURLToPath(new URL("../../../dist/cli/bin.js", import.meta.url));

/** A shell's environment in which eventload is installed. */
async function installed(shell: string) {
  const { path } = await situation();
  const bin = path("bin");
  await mkdir(bin);
  await writeFile(
    join(bin, "eventload"),
    `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
  );
  await chmod(join(bin, "eventload"), 0o755);
  return { ...process.env, PATH: `${bin}:${process.env.PATH}`, SHELL: shell };
}

describe("completion", () => {
  it.each([
    ["eventload re", 1, "retry\nresume\nreport\n"],
    ["eventload import --deli", 2, "--delimiter\n--delivery\n"],
    ["eventload import --delivery at-least-once --deli", 4, "--delimiter\n"],
  ])("of %j by bash", async (line, at, expected) => {
    const env = await installed("/bin/bash");
    const script = `source <(eventload completion)
COMP_WORDS=(${line}) COMP_CWORD=${at}
_eventload
printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8" })).toBe(expected);
  });

  it.runIf(has("zsh"))("by zsh tells what each command does", async () => {
    const env = await installed("/bin/zsh");
    const script = `compdef() {}
_describe() { print -l -- "\${(@P)2}" }
source <(eventload completion)
words=(eventload re) CURRENT=2
_eventload`;
    const shown = execFileSync("zsh", ["-fc", script], { env, encoding: "utf8" });
    expect(shown).toContain("retry:Send again the rows of an import that did not succeed\n");
  });

  it.runIf(has("fish"))("by fish says what each command does", async () => {
    const env = await installed("/bin/bash");
    const script = "eventload completion fish | source; complete --do-complete 'eventload re'";
    const shown = execFileSync("fish", ["--no-config", "-c", script], { env, encoding: "utf8" });
    expect(shown).toContain("retry\tSend again the rows of an import that did not succeed\n");
  });

  it.each([
    [["completion", "--help"], 0, "Usage: eventload completion [shell]"],
    [["completion", "fish"], 0, "complete --command eventload"],
    [["completion", "pwsh"], 2, '"pwsh" is not one of bash, zsh, fish'],
    [["completion"], 2, "name the shell: bash, zsh, fish"],
  ])("%j ends with %i", async (argv, status, said) => {
    const ended = await eventload(argv, { env: {} });
    expect(ended.status).toBe(status);
    expect(ended.stdout + ended.stderr).toContain(said);
  });
});

/** Whether a shell is on this machine. */
function has(shell: string): boolean {
  try {
    execFileSync(shell, ["--version"]);
    return true;
  } catch {
    return false;
  }
}
