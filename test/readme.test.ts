import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "./sandbox/sandbox-under-test.ts";
import { scenario } from "./scenarios/scenario.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const fixtures = join(root, "fixtures");
const fixture = (file: string) => readFileSync(join(fixtures, file), "utf8");
const { version, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The code blocks of the README between two of its headings. */
function blocks(from = "", to?: string): Block[] {
  const end = to === undefined ? undefined : readme.indexOf(to);
  const part = readme.slice(readme.indexOf(from), end);
  const fence = /^```(\w+)\n([\s\S]*?)^```$/gm;
  return [...part.matchAll(fence)].map(([, language = "", text = ""]) => ({ language, text }));
}

/** Where a link to a heading leads. */
function anchorOf(heading = ""): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}

/** Where links into a page may lead. */
function anchorsOf(page: string): string[] {
  const headings = page.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading]) => anchorOf(heading));
}

/** A text without what differs from one run to the next. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+(\.\d+)?(?= m?s\b|\/s)/g, "#").replaceAll("# ms", "# s");
}

/** The words of a line of a shell. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
}

/**
 * Runs each command of some blocks as it stands, and expects each output that is shown to be that of
 * the command before it.
 *
 * @param run what a command says; nothing where the reader does otherwise here
 */
async function follow(
  given: readonly Block[],
  run: (args: readonly string[]) => Promise<string>,
): Promise<string[]> {
  const commands: string[] = [];
  let said = "";
  for (const { language, text } of given) {
    if (language === "text") expect(withoutTimes(said)).toBe(withoutTimes(text));
    if (language !== "sh") continue;
    for (const line of text.split("\n").filter((one) => one.startsWith("npx eventload "))) {
      const [command = "", ...args] = wordsOf(line).slice(2);
      commands.push(command);
      said = await run([command, ...args]);
    }
  }
  return commands;
}

const firstHowTo = "## From a spreadsheet to a finished import\n";
const afterIt = "## A migration\n";

describe("the README", () => {
  it("shows the files that its commands are tested with", () => {
    const shown = blocks().map(({ text }) => text);
    expect(shown).toContain(fixture("readme/people.csv"));
    expect(shown).toContain(fixture("readme/people.yaml"));
    const exported = readFileSync(join(fixtures, "spreadsheet-export/customers.csv"));
    const text = new TextDecoder("windows-1252").decode(exported);
    expect(shown).toContain(text.replaceAll("\r\n", "\n"));
    expect(text).toContain("\r\n");
  });

  it("leads from an export to an import, a fixed retry and a report in six commands", async () => {
    const { eventload, start, folder, read } = await scenario("spreadsheet-export");
    const edit = async (file: string, from: string, to: string) => {
      const before = await read(file);
      expect(before).toContain(from);
      writeFileSync(join(folder, file), before.replace(from, to));
    };
    const howTo = blocks(firstHowTo, afterIt);
    const install = howTo.find(({ language }) => language === "sh")?.text;
    expect(install).toBe(`npm install ./eventload-${version}.tgz\n`);
    const [, proposed = "", wanted = ""] =
      /(.*format: email)(.*)\n/.exec(
        howTo.find(({ language }) => language === "yaml")?.text ?? "",
      ) ?? [];

    let address = "";
    const commands = await follow(howTo, async ([command = "", ...args]) => {
      if (command === "sandbox") {
        const { child } = start([command, ...args.map((arg) => (arg === "8080" ? "0" : arg))]);
        const [url] = await once(child.stdout ?? child, "data");
        address = String(url).trim();
        return "";
      }
      if (command === "import") await edit("customers.yaml", `${proposed} }`, proposed + wanted);
      if (command === "retry") {
        await edit("out/customers.failed.csv", "Öberg,,", "Öberg,asa@example.com,");
      }
      const given = args.map((arg) => (arg === "http://127.0.0.1:8080" ? address : arg));
      const { status, stdout, stderr } = await eventload([command, ...given], {
        env: { EVENTLOAD_TOKEN: "" },
      });
      expect(status).toBe(command === "import" ? 1 : 0);
      return (stdout + stderr).replaceAll(address || "nowhere", "http://127.0.0.1:8080");
    });
    expect(commands).toEqual(["init", "sandbox", "import", "retry", "report"]);
    expect(await read("out/customers.report.html")).toContain("customers.csv");
  });

  it("has commands that do what it says, in their order", async () => {
    const service = await sandboxUnderTest();
    const { eventload, folder, read, start } = await scenario("readme");
    const toService = (args: readonly string[]) =>
      args.map((arg) => (arg === "https://example.com" ? service.url : arg));

    /** Has a command line again leave a run that was killed while it sent. */
    const leaveUnfinished = async (command: readonly string[]) => {
      rmSync(join(folder, "out"), { recursive: true });
      const before = service.counts().requests;
      const run = start([...toService(command), "--rate", "1/s"]);
      while (service.counts().requests === before) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      run.child.kill("SIGKILL");
      await run.ended;
    };

    const statuses: (number | null)[] = [];
    let whole: readonly string[] = [];
    let last = "";
    const commands = await follow(blocks(afterIt), async (args) => {
      const [command] = args;
      if (command === "retry") {
        const path = join(folder, "out/people.failed.csv");
        writeFileSync(path, (await read("out/people.failed.csv")).replace(",eighty,", ",80,"));
      }
      if (command === "resume") await leaveUnfinished(whole);
      whole = args.filter((arg, at) => arg !== "--skip" && args[at - 1] !== "--skip");
      const { status, stdout, stderr } = await eventload(toService(args));
      statuses.push(status);
      last = stdout + stderr;
      return last;
    });
    expect(commands).toEqual([
      ...["check", "check", "import", "import", "resume"],
      ...["retry", "export", "report", "import"],
    ]);
    expect(statuses).toEqual([0, 1, 0, 1, 1, 0, 0, 0, 1]);
    expect(last).toContain("  skipped    3  left out, 2 of them as unchanged");
  });

  it("shows a run as it is told today", async () => {
    const [{ text = "" } = {}] = blocks().filter(({ language }) => language === "console");
    const [typed = "", ...recorded] = text.trimEnd().split("\n");
    const service = await sandboxUnderTest();
    const { eventload } = await scenario("readme");
    const args = wordsOf(typed).slice(3);
    const { stderr } = await eventload(args.map((arg) => arg.replace(/^http:.*/, service.url)));
    const shapeOf = (line: string) => line.replaceAll(/[\d,.]+/g, "#").replaceAll(/ +/g, " ");
    const told = new Set(stderr.split("\n").map(shapeOf));
    const summary = recorded.slice(recorded.findIndex((line) => line.startsWith("Complete")));
    const others = summary.filter((line) => !told.has(shapeOf(line)));
    expect(others.map((line) => line.replace(/:.*/, ""))).toEqual([
      "12,250 attempts (376/s), 256 had to be repeated",
      "9 pauses",
      "3 × invalid",
      "    rows 1713 (line 1714), 5120 (line 5121), 9404 (line 9405)",
    ]);
  });

  it("has a table of contents with links that lead somewhere", () => {
    const anchors = anchorsOf(readme);
    const links = [...readme.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = ""]) => anchor);
    expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
    const top = readme.slice(0, readme.indexOf(firstHowTo));
    const sections = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading).slice(1);
    expect(sections.length).toBeGreaterThan(10);
    for (const heading of sections) {
      expect(top).toContain(`(#${anchorOf(heading)})`);
    }
  });

  it.each(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])(
    "has links that lead to what is in the package: %s",
    (page) => {
      const packed = ["README.md", "LICENSE", "package.json", ...files];
      const text = readFileSync(join(root, page), "utf8");
      const links = [...text.matchAll(/\]\((?!https:)([^)]*)\)/g)].map(([, link = ""]) => link);
      if (page === "README.md") expect(links).toContain("CONTRIBUTING.md#figures");
      const dead = links.filter((link) => {
        const [path, anchor] = link.split("#");
        const file = path || page;
        if (!packed.includes(file)) return true;
        return (
          anchor !== undefined &&
          !anchorsOf(readFileSync(join(root, file), "utf8")).includes(anchor)
        );
      });
      expect(dead).toEqual([]);
    },
  );

  it("tells every member of the summary for machines", async () => {
    const { eventload } = await scenario("plain");
    const { stdout } = await eventload(["import", "nothing.csv", "--json"]);
    const [, table = ""] = /### The summary for machines\n([\s\S]*?)\n#/.exec(readme) ?? [];
    const told = table.split("\n").flatMap((line) => line.match(/^\|([^|]*)\|/)?.[1] ?? []);
    const members = told.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(members.toSorted()).toEqual([...Object.keys(JSON.parse(stdout)), "report"].toSorted());
  });

  it("names every option's default as it is", async () => {
    const { eventload } = await scenario("plain");
    const { stdout } = await eventload(["import", "--help"]);
    for (const [option, value] of [
      ["max-attempts", "5"],
      ["concurrency", "32"],
      ["timeout", "30"],
    ]) {
      expect(readme).toContain(`\`--${option}\` (${value})`);
      expect(stdout).toMatch(new RegExp(`--${option}\\s.*\\(default: ${value}\\)`));
    }
  });
});

describe("the library", () => {
  it("can be imported by the package's name, and does what the README shows", async () => {
    const service = await sandboxUnderTest();
    const { folder } = await scenario("readme");
    const { runImport, CannotStartError } = await import("eventload");
    const options = {
      input: join(folder, "people.csv"),
      mapping: join(folder, "people.yaml"),
      baseUrl: service.url,
      token: "any",
      results: join(folder, "out/people.results.csv"),
    };
    const summary = await runImport(options);
    expect(summary).toMatchObject({
      exitReason: "complete",
      rows: 4,
      counts: { succeeded: 2, invalid: 1, skipped: 1 },
    });
    await expect(runImport(options)).rejects.toThrow(CannotStartError);
    await expect(runImport(options)).rejects.toMatchObject({ code: "results_exist" });
  });
});

describe("npm start", () => {
  it("shows the round trip and ends with 0", { timeout: 60_000 }, async () => {
    const { start } = await scenario("plain");
    const demonstration = join(root, "fixtures/demo/start.mjs");
    const { status, stdout } = await start([], { program: demonstration }).ended;
    expect(status).toBe(0);
    expect(stdout).toContain("$ eventload retry out/users.failed-fixed.csv");
    expect(stdout).toContain("npx eventload import people.csv");
  });
});
