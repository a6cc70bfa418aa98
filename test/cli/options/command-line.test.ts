import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { nameOf } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/main.ts";
import { parseCommandLine } from "../../../src/cli/options/parse-command-line.ts";
import { eventload } from "../fake-host.ts";
import { situation } from "../situation.ts";

describe("the command", () => {
  it.each([
    ["import", []],
    ["import", ["a.csv", "--rate", "5/s"]],
  ])("%s has help of its own, wherever --help stands after it", async (name, words) => {
    const help = await eventload(`${name} --help`);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain(`Usage: eventload ${name} <`);
    for (const argv of [
      [name, ...words, "-h"],
      ["help", name],
      ["--help", name],
    ]) {
      expect(await eventload(argv)).toEqual(help);
    }
  });

  it("is listed in the help, which is also the answer to nothing at all, with status 2", async () => {
    const help = await eventload("--help");
    for (const { usage } of commands) expect(help.stdout).toContain(`  ${usage} `);
    expect(await eventload("help")).toEqual(help);
    expect(await eventload([])).toEqual({ status: 2, stdout: "", stderr: help.stdout });
  });

  it.each([
    ["retry a.csv b.csv", "What is b.csv? retry takes one file."],
    ["import a.csv --input b.csv", "There is no option --input."],
    ["import a.csv --concurency 3", "There is no option --concurency; did you mean --con"],
    ["import a.csv --baseUrl x", "There is no option --baseUrl; did you mean --base-url?"],
    ["import a.csv -x 3", "There is no option -x"],
    ["import a.csv --quote x", "--quote; quote is a key of eventload.yaml."],
    ["check a.csv --rwo 3 --nonsense", "--rwo; did you mean --row? There is no option --n"],
    [
      "import a.csv --delivery at-most-onc",
      "at-least-once, at-most-once; did you mean at-most-once",
    ],
    [
      "import a.csv --token sesame",
      "There is no option --token, as others could see it: set EVENTL",
    ],
    ["import --token-command sesame", "Which input? Type eventload import <input..>."],
    ["import a.csv --constructor x", "There is no option --constructor."],
    ["import a.csv ---rate 5/s", "There is no option ---rate; did you mean --rate?"],
    ["import a.csv --5 x", "There is no option --5."],
    ["import a.csv --=x", "There is no option --."],
    ["--quiet import a.csv", "The command comes first: eventload <command> [options]."],
    ["import x.csv --rate --mapping m", "--rate needs a value after it."],
    ["import a.csv --json=yes", "--json takes no value: leave out =yes."],
    ["import a.csv --limit 1 --limit 2", "--limit is given twice: give it once."],
    ["import a.csv --limit -5", '--limit: "-5" is not a whole number, 1 or more'],
    ["import a.csv --timeout 30", "15m or 1h, a day at most; for seconds write 30s"],
    ["retry", "Which file? Type eventload retry <file>."],
    ["imprt", "There is no command imprt; did you mean import?"],
    ...["map", "retry", "resume", "merge x", "report", "export"].map(
      (command): [string, string] => [
        `${command} -`,
        "This command does not read standard input: give a file.",
      ],
    ),
    ["check a.csv --problems -", '--problems: "-" is not the name of a file'],
    ["check a.csv --row 2 --skip 1", "--row and --skip cannot be given together"],
  ])("%s ends with 2 and one sentence", async (line, sentence) => {
    const { status, stdout, stderr } = await eventload(line);
    expect(stderr).toMatch(
      /^eventload: .*\n(See eventload --help, or --help after a command\.\n)?$/,
    );
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("sesame");
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });

  it.each(commands.map((command) => [nameOf(command), command] as const))(
    "%s has help with all that can be typed, whatever eventload.yaml says",
    async (name, { options }) => {
      const { run, write } = await situation();
      await write("eventload.yaml", "nonsense: [\n");
      const { status, stdout, stderr } = await run(`${name} --help`);
      expect(stdout).toContain(`eventload ${name} `);
      for (const [option, { only, kind }] of Object.entries(options)) {
        const shown = new RegExp(`--${option}${kind === "flag" ? " " : " <"}`);
        expect(shown.test(stdout)).toBe(only !== "file");
      }
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    },
  );
});

it("the mapping is asked for with what was looked for, and with all else that is missing", async () => {
  const { run, write, path } = await situation();
  await write("other.csv", "Email\na@x\n");
  const check = await run(`check ${path("other.csv")}`);
  expect(check.stderr).toContain("No mapping: there is no ");
  expect(check.stderr).toContain("other.yaml, ");
  expect(check.stderr).toContain("write one with eventload init ");
  const send = await run(`import ${path("other.csv")}`, { env: { EVENTLOAD_TOKEN: "" } });
  expect(send.stderr).toContain("eventload: 3 settings are missing.\n  No mapping: ");
  expect(send.stderr).toContain("\n  No base URL: ");
  expect(send.stderr).toContain("\n  No token: ");
  expect([check.status, send.status]).toEqual([2, 2]);
});

it("a dry run says what a check says, and sends nothing", async () => {
  const { import: send, check } = await situation();
  expect(await send(["--dry-run"])).toEqual(await check());
});

/** As a shell reads them: continued lines are one, quotes are gone. */
const typed = (help: string) =>
  help
    .slice(help.indexOf("Examples:"))
    .replaceAll(" \\\n", " ")
    .split("\n")
    .filter((line) => line.startsWith("  eventload "))
    .map((line) => [...line.matchAll(/"([^"]*)"|([^\s"]+)/g)].map((word) => word[1] ?? word[2]))
    .map(([, ...words]) => words.map(String).filter((_, at) => !/^>/.test(words[at - 1] ?? "")));

it.each(commands.map((command) => [nameOf(command), command] as const))(
  "the examples of the help of %s can be typed as they are, and fit the terminal",
  async (name, command) => {
    const { stdout } = await eventload(`${name} --help`);
    for (const columns of [80, 40, 100]) {
      const help = await parseCommandLine([name, "--help"], commands, columns);
      const text = help.kind === "text" ? help.text : "";
      expect(typed(text)).toEqual(typed(stdout));
      const tooWide = text.split("\n").filter((line) => line.length > columns);
      expect(columns === 80 ? tooWide : []).toEqual([]);
    }
    const examples = typed(stdout);
    expect(examples).toHaveLength(command.examples.length);
    for (const words of examples) {
      const argv = words.filter((word) => !/^>/.test(word));
      expect(await parseCommandLine(argv, commands, 80)).toMatchObject({
        kind: "command",
        command,
      });
    }
  },
);

it("--version is that of the package", async () => {
  const { stdout, status } = await eventload("--version");
  const { version } = JSON.parse(
    await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  expect({ stdout, status }).toEqual({ stdout: `${version}\n`, status: 0 });
});

it("a choice of rows in the file does not exclude --row", async () => {
  const { check, write } = await situation();
  await write("eventload.yaml", "limit: 1\n");
  expect((await check("--row 2")).status).toBe(0);
});
