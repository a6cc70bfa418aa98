import { execFileSync, spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { situation } from "./situation.ts";

const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));

/** What may stand in place of the last word; nothing where it is left to the shell. */
async function completed(...words: string[]) {
  const { run, write } = await situation();
  await write("eventload.yaml", "targets: { north: {}, south: {}, 'not $(this)': {} }\n");
  const { stdout, stderr, status } = await run(["--complete", ...words]);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]]));
}

describe("completion", () => {
  it.each([
    [["re"], ["retry", "resume", "report"]],
    [["--v"], ["--version"]],
    [
      ["import", "--deli"],
      ["--delimiter", "--delivery"],
    ],
    [["import", "--delivery", "at-least-once", "--deli"], ["--delimiter"]],
    [["import", "--delivery=at-least-once", "--deli"], ["--delimiter"]],
    [
      ["import", "--delivery", ""],
      ["at-least-once", "at-most-once"],
    ],
    [["--json", "import", "--delivery", "at-m"], ["at-most-once"]],
    [["import", "--delivery=at-m"], ["--delivery=at-most-once"]],
    [["import", "--delivery", "=", "at-m"], ["at-most-once"]],
    [
      ["import", "--delivery", "="],
      ["at-least-once", "at-most-once"],
    ],
    [
      ["import", "--target", ""],
      ["north", "south"],
    ],
    [["import", "--target", "s"], ["south"]],
    [
      ["completion", ""],
      ["bash", "zsh"],
    ],
    [["import", "--strict", "--stri"], []],
    [["import", "--strict", ""], []],
    [["import", "--mapping", ""], []],
    [["import", "people.csv", "--", "--stri"], []],
    [["nonsense", "--"], []],
  ])("of %j", async (words, expected) => {
    expect(await completed(...words)).toEqual(expected);
  });

  it("offers every command, and is quiet about a configuration file that is no good", async () => {
    const { run, write } = await situation();
    expect(await completed("")).toEqual(expect.arrayContaining(["check", "import", "config"]));
    await write("eventload.yaml", "targets: [\n");
    const answer = await run(["--complete", "import", "--target", ""]);
    expect(answer).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("offers the targets of the configuration file that is typed", async () => {
    const { run, write, path } = await situation();
    await write("other.yaml", "targets: { east: {}, west: {} }\n");
    const config = path("other.yaml");
    for (const typed of [["--config", config], [`--config=${config}`], ["--config", "=", config]]) {
      const { stdout } = await run(["--complete", "import", ...typed, "--target", "w"]);
      expect(stdout).toBe("west\t\n");
    }
    const env = { EVENTLOAD_CONFIG: config };
    const { stdout } = await run(["--complete", "import", "--target", "e"], { env });
    expect(stdout).toBe("east\t\n");
  });

  it.each([
    [["completion"], "eventload: Which shell? Give bash or zsh.\n"],
    [["completion", "fish"], 'eventload: completion: "fish" is not one of bash, zsh.\n'],
  ])("%j says which shells there are", async (argv, sentence) => {
    const { run } = await situation();
    const { status, stderr } = await run(argv);
    expect(stderr.startsWith(sentence)).toBe(true);
    expect(status).toBe(2);
  });
});

const hasZsh = spawnSync("zsh", ["--version"]).status === 0;

describe("a shell", () => {
  async function answerOf(shell: string, flags: string[], script: string) {
    const { folder } = await situation();
    const command = join(folder, "eventload");
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(command, 0o755);
    return execFileSync(shell, [...flags, "-c", script], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: "utf8",
    });
  }

  it("bash puts in what the program says", async () => {
    const answer = await answerOf(
      "bash",
      ["--norc"],
      `source <(eventload completion bash)
complete -p eventload
COMP_WORDS=(eventload import "people one.csv" --durability ""); COMP_CWORD=4; _eventload eventload
echo "\${#COMPREPLY[@]} \${COMPREPLY[*]}"`,
    );
    expect(answer).toBe("complete -o default -F _eventload eventload\n2 power process\n");
  });

  it.skipIf(!hasZsh)(
    "zsh shows what the program says (skipped where there is no zsh)",
    async () => {
      const answer = await answerOf(
        "zsh",
        ["-f"],
        `compdef() { print $1 $2 }; _describe() { print -l -- "\${(@P)2}" }; _files() { print files }; compset() { print compset $* }
source <(eventload completion zsh)
words=(eventload import "'people one.csv'" --strict --durabil); CURRENT=5; _eventload
words=(eventload import people.csv ''); CURRENT=4; _eventload
words=(eventload import --mapping=pe); CURRENT=3; _eventload
words=(eventload import --durability ''); CURRENT=4; _eventload`,
      );
      expect(answer).toMatch(
        /^_eventload eventload\n--durability:What the record .*\n(compset -P --\*=\nfiles\n){2}power\nprocess\n$/,
      );
    },
  );
});
