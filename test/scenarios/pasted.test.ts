import { copyFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { typedCommand } from "../../src/model/typed-command.ts";
import type { Description } from "../../src/page/contract.ts";
import { eventload, interruptibleHost } from "../cli/fake-host.ts";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

/** What stands in place of a command that shells would read differently: nothing in it has a meaning for one. */
const inWords =
  /^[\w ./:-]*\bFILE\b[\w ./:-]*, where FILE is its path, quoted as your shell needs it$/;

/** The words of a command as it is printed: bare, or in single quotes. */
function wordsIn(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|([^ ]+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? "",
  );
}

it.each([
  ["plain", true],
  ["a  b", true],
  ["$(touch PWN); `touch PWN` & {a,b}", true],
  ["C:\\Users\\x", true],
  ["eventload check x", true],
  ["it's", false],
  ["a\\'; touch PWN; #", false],
  ["‘x’", false],
  ['a"b', false],
  ["a\u200bb", false],
])(
  "every command that is printed of files named %j holds in each shell: %j",
  async (name, holds) => {
    const { folder } = await scenario("plain");
    const service = await startService(({ n }) => ({ status: n === 2 ? 422 : 202 }));
    const [input, results] = [
      join(folder, name, `${name}.csv`),
      join(folder, name, `${name}.results.csv`),
    ];
    await mkdir(dirname(input));
    await copyFile(join(folder, "people.csv"), input);
    const mapping = join(folder, name, `${name}.yaml`);
    const env = { npm_lifecycle_event: "npx" };
    const printed: string[] = [];
    const json: (string | null)[] = [];
    const run = async (...line: string[]) => {
      const { stdout, stderr } = await eventload(line, { cwd: folder, env });
      printed.push(stderr);
      if (!line.includes("--json")) printed.push(stdout);
      else if (line[0] === "status") json.push(JSON.parse(stdout).accounts[0].next);
      else json.push(...["retry", "report"].map((what) => JSON.parse(stdout).next?.[what] ?? null));
    };
    const to = ["--base-url", service.url, "--results", results, "--concurrency", "1"];
    await run("check", input); // no mapping
    await run("init", input);
    await run("import", input, ...to, "--json", "--mapping", mapping);
    await run("import", results, ...to, "--mapping", mapping); // results as an input
    await run("status", dirname(results));
    await run("status", dirname(results), "--json");
    await run("report", results, "--text");
    await run("report", results);
    await copyFile(join(folder, name, `${name}.failed.csv`), join(folder, "other.csv"));
    await run("retry", results.replace(".results", ".nothing"));

    const { host, stdout, interrupt } = interruptibleHost(["map", input]);
    const ended = main({ ...host, env });
    while (stdout() === "") await Promise.race([ended, new Promise((next) => setTimeout(next, 5))]);
    const { next }: Pick<Description, "next"> = JSON.parse(
      await (await fetch(`${stdout().trim()}description`)).text(),
    );
    interrupt("SIGINT");
    await ended;
    for (const { what, command } of next) printed.push(command ?? what);

    const report = await readFile(join(folder, name, `${name}.report.html`), "utf8");
    const shown = /<div class="next">.*?<section/s.exec(report)?.[0] ?? "";
    expect(shown.includes("<code>")).toBe(holds);

    const codes = shown.match(/(?<=<code>).*?(?=<\/code>)/g) ?? [];
    expect(shown).toContain("with the token as before");
    const copied = codes.map((code) => code.replaceAll(/<[^>]*>/g, ""));
    expect(copied.some((code) => code.startsWith("npx eventload export "))).toBe(holds);
    for (const command of [...json, ...copied])
      expect(command ?? "npx eventload ").toMatch(/^npx eventload /);
    expect(next.at(-1)?.command ?? "--base-url https://").toContain("--base-url https://");

    // Only the commands that end a line, or stand in the brackets of init; other words in it may look like one.
    const lines = printed.flatMap((text) => text.split(/\n|\), then run: /));
    const ends = lines.map((line) => line.slice(Math.max(0, line.lastIndexOf("npx eventload "))));
    const commands = ends.filter((end) =>
      /^npx eventload (?:check|map|import|retry|resume|report|init) (?!from |--)/.test(end),
    );
    expect(commands.length).toBeGreaterThan(6);
    for (const command of commands) {
      if (holds) expect(typedCommand(wordsIn(command)), command).toBe(command);
      else expect(command.replaceAll(/'[^']*'/g, "x")).toMatch(inWords);
    }
    expect(json.length).toBe(3);
    if (!holds) expect(json).toEqual([null, null, null]);
    else for (const command of json) expect(typedCommand(wordsIn(command ?? ""))).toBe(command);
  },
);
