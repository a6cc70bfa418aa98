import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The command of a line of the README, as a shell is to run it. */
function commandOf(line: RegExp): string {
  const [, command] = line.exec(readme) ?? [];
  if (command === undefined) throw new Error(`the README has no line like ${line}`);
  return command;
}

it("what the README gives to cron and to systemd does what it says, with its configuration", async () => {
  const service = await sandboxUnderTest({ token: "token-of-the-night" });
  const { folder } = await scenario("readme");
  const [, configuration = ""] = /```yml\n(# yaml-language-server[\s\S]*?)```/.exec(readme) ?? [];
  const here = configuration.replace("https://staging.example.com", service.url);
  writeFileSync(join(folder, "eventload.yaml"), `target: staging\n${here}`);
  writeFileSync(join(folder, "staging.token"), "token-of-the-night\n");
  writeFileSync(join(folder, "token"), "token-of-the-night\n");
  mkdirSync(join(folder, "bin"));
  const program = join(folder, "bin/eventload");
  const built = join(root, "dist/cli/bin.js");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${built}" "$@"\n`);
  chmodSync(program, 0o755);

  const run = async (command: string) => {
    const script = command
      .replaceAll("/srv/people", folder)
      .replaceAll("/usr/local/bin/eventload", program);
    const env = { PATH: process.env.PATH, CREDENTIALS_DIRECTORY: folder };
    const options = { cwd: folder, env };
    return promisify(execFile)("sh", ["-c", script], options).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
  };
  const files = () => readdirSync(join(folder, "out")).map((name) => name.replaceAll(/\d/g, "9"));

  expect(await run(commandOf(/^15 3 \* \* \* {2}(.*)$/m))).toBe(1);
  expect(files()).toEqual([
    "people.9999-99-99.failed.csv",
    "people.9999-99-99.results.csv",
    "people.9999-99-99.run.json",
  ]);
  // What is not old enough stays.
  expect(await run(commandOf(/^45 4 \* \* \* {2}(.*)$/m))).toBe(0);
  expect(files().length).toBe(3);
  await run(`rm -r ${join(folder, "out")}`);
  expect(await run(commandOf(/^ExecStart=(.*)$/m))).toBe(1);
  expect(files().length).toBe(3);
  expect(service.counts().requests).toBe(4);
});
