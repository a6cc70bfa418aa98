import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { writeXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventload as run } from "./cli/fake-host.ts";
import { sandboxUnderTest } from "./sandbox/sandbox-under-test.ts";
import { scenario } from "./scenarios/scenario.ts";
import { parseCsvText } from "./temporary-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const fixtures = join(root, "fixtures");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const { version, files } = JSON.parse(textOf("package.json"));
const docs = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const pages = ["README.md", ...docs];

interface Block {
  readonly language: string;
  readonly text: string;
}

/** A code block, which in a list is indented. */
const fence = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;

/** The code blocks of a page. */
function blocksOf(page: string): Block[] {
  return [...textOf(page).matchAll(fence)].map(([, indent = "", language = "", text = ""]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** A page without its code blocks. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(fence, "");
}

/** Where links into a page may lead. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** The words of a line of a shell. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
}

/** The commands of a block, without `npx eventload`. */
function commandsOf({ language, text }: Block): string[][] {
  if (language !== "sh") return [];
  const lines = text.split("\n").filter((line) => line.startsWith("npx eventload "));
  return lines.map((line) => wordsOf(line).slice(2));
}

/** A text without what differs from one run to the next. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+(\.\d+)?(?= m?s\b| requests\/s)/g, "#").replaceAll("# ms", "# s");
}

describe("the pages", () => {
  it("are in the package", () => {
    expect(files).toContain("docs");
    expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(225);
  });

  it.each([...pages, "CONTRIBUTING.md", "CHANGELOG.md"])(
    "have links that lead to what is in the package: %s",
    (page) => {
      const links = [...proseOf(page).matchAll(/\]\((?!https:)([^)]*)\)/g)];
      const packed = ["README.md", "LICENSE", "package.json", ...files];
      const dead = links.filter(([, link = ""]) => {
        const [path = "", anchor] = link.split("#");
        const file = path === "" ? page : normalize(join(dirname(page), path));
        if (!existsSync(join(root, file))) return true;
        if (!packed.some((one) => file === one || file.startsWith(`${one}/`))) return true;
        return anchor !== undefined && !anchorsOf(file).includes(anchor);
      });
      expect(dead.map(([link]) => link)).toEqual([]);
    },
  );

  it("can all be reached from the README", () => {
    const linked = [...textOf("README.md").matchAll(/\]\((docs\/[^)#]*)/g)].map(([, to]) => to);
    expect(docs.filter((page) => !linked.includes(page))).toEqual([]);
  });

  it("show the files that their commands are tested with", () => {
    const exported = readFileSync(join(fixtures, "spreadsheet-export/customers.csv"));
    const decoded = new TextDecoder("windows-1252").decode(exported);
    expect(decoded).toContain("\r\n");
    const shownBy = (page: string) => blocksOf(page).map(({ text }) => text);
    expect(shownBy("README.md")).toContain(decoded.replaceAll("\r\n", "\n"));
    for (const file of ["people.csv", "people.yaml"]) {
      expect(shownBy("docs/tutorial.md")).toContain(textOf(`fixtures/readme/${file}`));
    }
  });

  it("name options that there are", async () => {
    const { stdout: overview } = await run("--help");
    const commands = [...overview.matchAll(/^ {2}(\w+) /gm)].map(([, name = ""]) => name);
    const helps = await Promise.all(commands.map((command) => run(`${command} --help`)));
    const known = new Set(
      [overview, ...helps.map(({ stdout }) => stdout)].flatMap((help) => help.match(option) ?? []),
    );
    const named = pages
      .filter((page) => !ofOtherPrograms.includes(page))
      .flatMap((page) => {
        const spans = [...proseOf(page).matchAll(/`((?:--|npx eventload |eventload )[^`]*)`/g)];
        const typed = blocksOf(page).flatMap(commandsOf);
        const options = [...spans.map(([, span = ""]) => span), ...typed.flat()].flatMap(
          (text) => text.match(option) ?? [],
        );
        return options.filter((one) => !known.has(one)).map((one) => `${page}: ${one}`);
      });
    expect(named).toEqual([]);
  });
});

/** Pages that name options of other programs too. */
const ofOtherPrograms: readonly string[] = ["docs/alternatives.md", "docs/performance.md"];

const option = /(?<![\w-])--[a-z][a-z-]*/g;

/** What a reader is told to do to a file before a command, with an editor. */
const edits: Readonly<Record<string, readonly [from: string, to: string][]>> = {
  import: [["format: email }", "format: email, required: true }"]],
  retry: [
    ["Öberg,,", "Öberg,asa@example.com,"],
    [",eighty,", ",80,"],
  ],
};

/** The exit statuses of commands, page by page; of other pages each command ends with 0 or 1. */
const statuses: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  "README.md": [
    ["init", 0],
    ["sandbox", 0],
    ["import", 1],
    ["retry", 0],
    ["report", 0],
  ],
  "docs/tutorial.md": [
    ["check", 1],
    ["check", 0],
    ["sandbox", 0],
    ["import", 0],
    ["import", 1],
    ["retry", 0],
  ],
  "docs/migration.md": [
    ["check", 1],
    ["import", 0],
    ["import", 1],
    ["resume", 1],
    ["retry", 0],
  ],
  "docs/nightly.md": [
    ["import", 1],
    ["check", 1],
  ],
  "docs/retry-and-resume.md": [
    ["import", 1],
    ["retry", 0],
    ["resume", 1],
    ["export", 0],
    ["retry", 1],
  ],
  "docs/excel.md": [
    ["check", 1],
    ["import", 1],
    ["export", 0],
    ["retry", 1],
    ["export", 0],
  ],
  "docs/json.md": [["import", 1]],
  "docs/report.md": [["report", 0]],
  "docs/inputs.md": [["init", 2]],
};

describe("the commands of a page, in their order, do what it says", () => {
  const withCommands = pages.filter((page) => blocksOf(page).flatMap(commandsOf).length > 0);

  it.each(withCommands)("%s", async (page) => {
    const reader = await readerOf();
    const ended: [string, number | null][] = [];
    let said = "";
    for (const block of blocksOf(page)) {
      if (block.language === "text") expect(withoutTimes(said)).toBe(withoutTimes(block.text));
      for (const [command = "", ...args] of commandsOf(block)) {
        const { status, output } = await reader.type(command, args);
        ended.push([command, status]);
        said = output;
      }
    }
    const expected = statuses[page];
    if (expected !== undefined) expect(ended).toEqual(expected);
    else expect(ended.filter(([, status]) => status !== 0 && status !== 1)).toEqual([]);
  });

  it("the first of them installs the package", () => {
    const installs = blocksOf("README.md").map(({ text }) => text);
    expect(installs).toContain(`npm install ./eventload-${version}.tgz\n`);
  });
});

const localhost = "http://127.0.0.1:8080";
const elsewhere = "https://example.com";

/** Somebody who has the files of all pages in one folder, and types what a page says. */
async function readerOf() {
  const service = await sandboxUnderTest();
  const { eventload, folder, start } = await scenario("readme");
  copyFileSync(join(fixtures, "spreadsheet-export/customers.csv"), join(folder, "customers.csv"));
  const people = parseCsvText(readFileSync(join(folder, "people.csv"), "utf8"));
  writeFileSync(
    join(folder, "people.xlsx"),
    await writeXlsx({ sheets: [{ name: "people", rows: people }] }),
  );
  let sandbox = service.url;
  let whole: readonly string[] = ["import", "people.csv", "--base-url", elsewhere];

  const toService = (args: readonly string[]) =>
    args.map((arg) => arg.replace(localhost, sandbox).replace(elsewhere, service.url));
  const edit = (command: string, file: string) => {
    if (!existsSync(file)) return;
    const before = readFileSync(file, "utf8");
    const after = (edits[command] ?? []).reduce(
      (text, [from, to]) => text.replace(from, to),
      before,
    );
    if (after !== before) writeFileSync(file, after);
  };
  /** Has an import of all rows leave a run that was killed while it sent. */
  const leaveUnfinished = async (results: string) => {
    rmSync(join(folder, "out"), { recursive: true, force: true });
    const before = service.counts().requests;
    const gently = without(whole, "--skip", "--rate", "--results");
    const { child, ended } = start([...toService(gently), "--results", results, "--rate", "1/s"]);
    while (service.counts().requests === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.kill("SIGKILL");
    await ended;
  };
  /** Has a run that a page takes for granted. */
  const needResults = async (file: string) => {
    if (!file.startsWith("out/people.") || existsSync(join(folder, file))) return;
    const results = ["--results", "out/people.results.csv"];
    await eventload([...toService(whole), ...results]);
  };

  return {
    async type(command: string, args: readonly string[]) {
      const [file = ""] = args;
      if (command === "sandbox") {
        const { child } = start([command, ...args.map((arg) => (arg === "8080" ? "0" : arg))]);
        const [url] = await once(child.stdout ?? child, "data");
        sandbox = String(url).trim();
        return { status: 0, output: "" };
      }
      if (command === "map") {
        const { child } = start([command, ...args]);
        const [url] = await once(child.stdout ?? child, "data");
        return { status: 0, output: String(url) };
      }
      if (command === "import") {
        edit(command, join(folder, file.replace(/\.\w+$/, ".yaml")));
        whole = [command, ...args];
      }
      if (command === "resume") await leaveUnfinished(file);
      if (["retry", "report", "export"].includes(command)) await needResults(file);
      if (command === "retry") edit(command, join(folder, file));
      const hasCommand = args.includes("--token-command");
      const { status, stdout, stderr } = await eventload([command, ...toService(args)], {
        env: { npm_lifecycle_event: "npx", ...(hasCommand ? { EVENTLOAD_TOKEN: "" } : {}) },
      });
      const output = (stdout + stderr).replaceAll(service.url, elsewhere);
      return { status, output: output.replaceAll(sandbox, localhost) };
    },
  };
}

/** Arguments without some options and their values. */
function without(args: readonly string[], ...options: readonly string[]): string[] {
  return args.filter((arg, at) => !options.includes(arg) && !options.includes(args[at - 1] ?? ""));
}

describe("what the pages say of the program", () => {
  it("shows a run as it is printed today", async () => {
    const [{ text = "" } = {}] = blocksOf("docs/progress.md").filter(
      ({ language }) => language === "console",
    );
    const [typed = "", ...recorded] = text.trimEnd().split("\n");
    const service = await sandboxUnderTest();
    const { eventload } = await scenario("readme");
    const args = wordsOf(typed).slice(3);
    const { stderr } = await eventload(args.map((arg) => arg.replace(/^http:.*/, service.url)));
    const shapeOf = (line: string) => line.replaceAll(/[\d,.]+/g, "#").replaceAll(/ +/g, " ");
    const printed = new Set(stderr.split("\n").map(shapeOf));
    const summary = recorded.slice(recorded.findIndex((line) => line.startsWith("Complete")));
    const others = summary.filter((line) => !printed.has(shapeOf(line)));
    expect(others.map((line) => line.replace(/:.*/, ""))).toEqual([
      "12,182 attempts (390 requests/s), 188 of them retries",
      "5 pauses",
      "Limited for 47 % of the time by the service, which takes about 457 requests/s",
      "3 × invalid",
      '    "n/k" in row 1713 (line 1714), "unknown" in row 5120 (line 5121), "n/k" in row 9404 (line 9405)',
    ]);
  });

  it("lists every member of the summary", async () => {
    const { stdout } = await run("schema summary");
    const [{ properties }] = JSON.parse(stdout).anyOf;
    const [, table = ""] =
      /## The summary as JSON\n([\s\S]*?)\n#/.exec(textOf("docs/json.md")) ?? [];
    const cells = table.split("\n").flatMap((line) => line.match(/^\|([^|]*)\|/)?.[1] ?? []);
    const members = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(members.toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  it("lists every metric", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read } = await scenario("plain");
    await eventload(`import people.csv --base-url ${service.url} --metrics-file people.prom`);
    const written = [...(await read("people.prom")).matchAll(/^# TYPE (\w+)/gm)];
    const page = textOf("docs/metrics.md");
    expect(written.length).toBeGreaterThan(10);
    expect(written.map(([, name]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual(
      [],
    );
  });

  it("lists every column of the results", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read } = await scenario("readme");
    const to = ["--base-url", service.url, "--results", "all.results.csv"];
    await eventload(["import", "people.csv", ...to]);
    const [header = ""] = (await read("all.results.csv")).split("\n");
    const written = header.split(",").filter((name) => name.startsWith("import_"));
    const page = textOf("docs/retry-and-resume.md");
    const listed = [...page.matchAll(/^\| `(import_\w+)` \|/gm)].map(([, name]) => name);
    expect(listed.filter((name) => name !== "import_source")).toEqual(written);
  });

  it("quotes messages in the troubleshooting that the program has", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => textOf(join("src", name)).replaceAll('\\"', '"'))
      .join("\n");
    const rows = [...textOf("docs/troubleshooting.md").matchAll(/^\| (`.*?) \|/gm)];
    const messages = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]*)`/g)]);
    expect(messages.length).toBeGreaterThan(40);
    const unknown = messages.filter(([, message = ""]) =>
      message.split("…").some((piece) => !sources.includes(piece.trim())),
    );
    expect(unknown.map(([message]) => message)).toEqual([]);
  });
});

interface JsonSchema {
  readonly properties?: object;
  readonly anyOf?: readonly JsonSchema[];
}

it("each mapping and configuration that a page shows is sound", async () => {
  const ajv = new Ajv({ strict: false });
  const [mapping, configuration] = await Promise.all(
    [[], ["config"]].map(async (of) => JSON.parse((await run(["schema", ...of])).stdout)),
  );
  const [acceptsMapping, acceptsConfiguration] = [mapping, configuration].map((schema) =>
    ajv.compile({ ...schema, $schema: undefined }),
  );
  const keysOf = ({ properties = {}, anyOf = [] }: JsonSchema): string[] => [
    ...Object.keys(properties),
    ...anyOf.flatMap(keysOf),
  ];
  const isOf = (schema: JsonSchema, shown: object) =>
    Object.keys(shown).every((key) => keysOf(schema).includes(key));
  const found = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === "yaml")
      .map(({ text }) => ({ page, text, shown: parse(text) })),
  );
  expect(found.length).toBeGreaterThan(2);
  const wrong = found.filter(({ shown, text }) => {
    const isWhole = Object.hasOwn(shown, "version");
    const isMember = text.startsWith(" ");
    if (!isWhole && !isMember && !isOf(mapping, shown)) return !acceptsConfiguration?.(shown);
    const part = isMember ? { members: shown } : shown;
    const { event = "x", members = { a: "A" } } = part;
    const rest = Object.hasOwn(part, "events") ? {} : { event, members };
    return !acceptsMapping?.(isWhole ? shown : { version: 1, resource: "users", ...rest, ...part });
  });
  expect(wrong.map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
});

it("the library can be imported by the package's name", async () => {
  const { runImport, CannotStartError } = await import("eventload");
  await expect(runImport({} as never)).rejects.toThrow(CannotStartError);
});

it("npm start shows the round trip and ends with 0", async () => {
  const { start } = await scenario("plain");
  const demonstration = join(root, "fixtures/demo/start.mjs");
  const { status, stdout, stderr } = await start([], { program: demonstration }).ended;
  expect(status).toBe(0);
  expect(stdout).toContain("$ eventload retry users.failed.csv");
  expect(stdout).toContain("All 240 users are delivered.");
  expect(stdout.split("\n").length + stderr.split("\n").length).toBeLessThanOrEqual(40);
  // What it says to try next can be typed as it is.
  const [, line = ""] = /npx eventload (check \S+)/.exec(stdout) ?? [];
  expect(await run(line.split(" "), { cwd: root })).toMatchObject({ status: 1 });
});
