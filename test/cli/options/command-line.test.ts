import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { nameOf } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/main.ts";
import { parseCommandLine } from "../../../src/cli/options/parse-command-line.ts";
import { eventload } from "../fake-host.ts";
import { situation } from "../situation.ts";

describe("the command", () => {
  it("is the first word, also where a file is called as another one", async () => {
    const { run, write, path, read } = await situation();
    await write("check", await read("people.csv"));
    // `strict` is a setting of import and not of check.
    const env = { EVENTLOAD_STRICT: "maybe" };
    const { status, stderr } = await run(["import", path("check"), "--mapping", "m"], { env });
    expect(stderr).toBe('eventload: EVENTLOAD_STRICT needs true or false, not "maybe".\n');
    expect(status).toBe(2);
    const check = await run(["check", path("check"), "--mapping", path("people.yaml")], { env });
    expect(check.status).toBe(0);
  });

  it.each([
    [["--json"]],
    [["--json", "true"]],
    [["--limit", "1", "--json=yes"]],
    [["--mapping=import", "--json"]],
  ])("may stand after options, as in %j", async (options) => {
    const { run, path } = await situation();
    const [mapping, file] = [path("people.yaml"), path("people.csv")];
    const given = options[0]?.startsWith("--mapping") ? [] : ["--mapping", mapping];
    const { status, stdout } = await run([...options, "check", file, ...given]);
    expect(status).toBe(given.length === 0 ? 2 : 0);
    expect(JSON.parse(stdout)).toBeTypeOf("object");
  });

  it("has help of its own after --help", async () => {
    expect((await eventload(["--help", "retry"])).stdout).toContain("eventload retry <");
  });

  it("has the same help after the word help, and the version after any command", async () => {
    const { stdout } = await eventload(["import", "--help"]);
    expect(stdout).toContain("eventload import <");
    expect(await eventload(["help", "import"])).toEqual({ status: 0, stdout, stderr: "" });
    expect((await eventload(["help"])).stdout).toBe((await eventload(["--help"])).stdout);
    const version = await eventload(["--version"]);
    expect(await eventload(["import", "--version"])).toEqual(version);
    expect(await eventload(["check", "people.csv", "--version"])).toEqual(version);
    const { stderr } = await eventload(["help", "improt"]);
    expect(stderr).toContain("There is no command improt; did you mean import?");
  });

  it.each([
    [["retry", "a.csv", "b.csv"], "Unknown argument: b.csv"],
    [["import", "a.csv", "--input", "b.csv"], "Unknown argument: input"],
    [["import", "a.csv", "--concurency", "3"], "Unknown argument: concurency; did you mean --con"],
    [["import", "a.csv", "--quite"], "Unknown argument: quite; did you mean --quiet?"],
    [["import", "a.csv", "--baseUrl", "x"], "Unknown argument: baseUrl; did you mean --base-url?"],
    [["import", "a.csv", "--base_url=x"], "did you mean --base-url?"],
    [["import", "a.csv", "-limit", "3"], "Unknown argument: -limit; did you mean --limit?"],
    [["import", "a.csv", "--row", "3"], "Unknown argument: row, which is an option of check"],
    [["check", "a.csv", "--rwo", "3", "--nonsense"], "rwo; did you mean --row?, nonsense"],
    [
      ["import", "a.csv", "--delivery", "at-most-onc"],
      '--delivery: "at-most-onc" is not one of at-least-once, at-most-once; did you mean at-most-once?\n',
    ],
    [
      ["import", "a.csv", "--token", "sesame"],
      "Unknown argument: token; a token is no argument, as others would see it: set EVENTLOAD_TOKEN,",
    ],
    [["import", "--token-command", "login sesame"], "Which file? (0 given, 1 needed)"],
    [["import", "a.csv", "--constructor", "x"], "Unknown argument: constructor\n"],
    [["import", "a.csv", "--dry-run"], "dry-run; eventload check does everything but send"],
    [["--quiet", "imprt", "a.csv"], "There is no command imprt; did you mean import?"],
    [["--jsno", "import", "a.csv"], "Unknown argument: jsno; did you mean --json?"],
    [["--limit", "1", "import", "a.csv", "--limit", "2"], "--limit is given twice: give it once."],
    [
      ["--limit", "import"],
      "--limit has no value: it takes the word after it, import, which is then no command. Give",
    ],
    [["--rate", "import", "x.csv"], "--rate has no value: it takes the word after it, import,"],
    [["--mapping", "check", "x.csv", "--quiet"], "--mapping has no value: it takes the word"],
    [["--quiet", "--rate", "import", "x.csv", "--mapping", "m"], "--rate has no value: it takes"],
    [["--rate", "5/s", "improt", "x.csv"], "There is no command improt; did you mean import?"],
    [
      ["import", "--rate", "x.csv"],
      '--rate: "x.csv" is not a rate such as 50/s, 3000/m or 100000/h. Is its value missing?',
    ],
    [["import", "--limit", "x.csv", "--quiet"], "--limit needs a whole number, 0 or more"],
    [
      ["import", "--mapping", "x.csv"],
      "Which file? The last word, x.csv, is the value of --mapping.",
    ],
    [["people.csv", "--mapping", "m"], "There is no command people.csv.\n"],
    [["import", "x.csv", "--rate", "--mapping", "m"], "--rate needs a value: give one after it."],
    [["--versoin"], "Unknown argument: --versoin; did you mean --version?"],
    [[], "Which command?"],
    [["import", "a.csv", "--limit"], "--limit needs a value: give one after it."],
    [["import", "a.csv", "--limit", "1", "--limit", "2"], "--limit is given twice: give it once."],
    [["import", "a.csv", "--config"], "--config needs a value: give one after it."],
    [["import", "a.csv", "--config", "a", "--config", "b"], "--config is given twice"],
    [["import", "a.csv", "--limit", "-5"], "--limit needs a whole number, 0 or more"],
    [["import", "a.csv", "--limit", "0x10"], "--limit needs a whole number, 0 or more"],
    [["import", ""], "input is blank"],
    [["import"], "Which file?"],
    [["imprt"], "There is no command imprt; did you mean import?"],
    [["completion", "fish"], "Unknown argument: fish"],
    [["export", "--outptu"], "Unknown argument: outptu; did you mean --output?"],
    [["import", "--problems"], "Unknown argument: problems, which is an option of check, config"],
    [["retry", "-"], "retry: standard input cannot be retried; give a file."],
    [["resume", "-"], "resume: standard input cannot be resumed"],
  ])("%j ends with 2 and one sentence", async (argv, sentence) => {
    const { status, stdout, stderr } = await eventload(argv);
    expect(stderr).toMatch(
      /^eventload: .*\n(See eventload --help, or --help after a command\.\n)?$/,
    );
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("sesame");
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });

  it.each(commands.map((command) => [nameOf(command), command] as const))(
    "%s has help with examples, whatever eventload.yaml says",
    async (name, { options }) => {
      const { run, write } = await situation();
      await write("eventload.yaml", "nonsense: [\n");
      const { status, stdout, stderr } = await run([name, "--help"]);
      expect(stdout).toContain("Examples:");
      expect(stdout).toContain(`eventload ${name} `);
      for (const [option, { isTypedOnly = false }] of Object.entries(options)) {
        expect(stdout).toMatch(new RegExp(`--${option}\\s`));
        const variable = `EVENTLOAD_${option.toUpperCase().replaceAll("-", "_")}`;
        expect(stdout.includes(variable)).toBe(!isTypedOnly);
        // What the help names is not warned of.
        const used = await eventload(["schema"], {
          env: { [variable]: "x", EVENTLOAD_CONFIG: "" },
        });
        expect(used.stderr.includes(variable)).toBe(isTypedOnly);
      }
      expect(stderr).toBe("");
      expect(status).toBe(0);
    },
  );
});

describe("the examples of the help", () => {
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
    "of %s can be typed as they are, and fit the terminal",
    async (name, command) => {
      const { stdout } = await eventload([name, "--help"]);
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
        if (name !== "import" || argv.includes("--target")) continue;
        expect(argv).toEqual(expect.arrayContaining(["--mapping", "--base-url"]));
      }
    },
  );
});

it("--version is that of the package", async () => {
  const { stdout, status } = await eventload(["--version"]);
  const { version } = JSON.parse(
    await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  expect({ stdout, status }).toEqual({ stdout: `${version}\n`, status: 0 });
});

describe("check", () => {
  it("refuses a base URL that an import would refuse", async () => {
    const { check } = await situation();
    const { status, stderr } = await check(["--base-url", "http://example.com"]);
    expect(stderr).toContain("http://example.com is plain http");
    expect(status).toBe(2);
  });

  it("--row and a choice of rows exclude each other", async () => {
    const { check } = await situation();
    const { status, stderr } = await check(["--row", "2", "--skip", "1"]);
    expect(stderr).toContain("--skip: it chooses rows, and so does --row");
    expect(status).toBe(2);
    const fromOutside = await check(["--row", "2"], { env: { EVENTLOAD_LIMIT: "1" } });
    expect(fromOutside.status).toBe(0);
  });
});

describe("resume", () => {
  it("of a file that is not there, and of a run that has ended", async () => {
    const { run, write, path } = await situation();
    const results = path("people.results.csv");
    const missing = await run(["resume", results]);
    expect(missing).toMatchObject({
      status: 2,
      stderr: `eventload: There is no file ${results}.\n`,
    });
    await write("people.results.csv", "Email\n");
    const ended = await run(["resume", results]);
    expect(ended).toMatchObject({
      status: 2,
      stderr: `eventload: There is no unfinished run of ${results}: it has ended, or was never started.\n`,
    });
  });
});
