import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "./sandbox/sandbox-under-test.ts";
import { scenario } from "./scenarios/scenario.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const fixture = (file: string) => readFileSync(join(root, "fixtures/readme", file), "utf8");

/** The contents of the README's code blocks of one language. */
function blocks(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...readme.matchAll(fence)].map(([, text = ""]) => text);
}

/** A summary without what differs from one run to the next. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+(\.\d+)?(?= m?s\b|\/s)/g, "#").replaceAll("# ms", "# s");
}

describe("the README", () => {
  it("shows the files that its commands are tested with", () => {
    expect(blocks("csv")).toContain(fixture("people.csv"));
    expect(blocks("yaml")).toContain(fixture("people.yaml"));
  });

  it("has commands that do what it says, in their order", async () => {
    const service = await sandboxUnderTest();
    const { eventload, folder, read, start } = await scenario("readme");

    /** Has the same command line again leave a run that was killed while it sent. */
    const leaveUnfinished = async (command: string[]) => {
      rmSync(join(folder, "out"), { recursive: true });
      const before = service.counts().requests;
      const slow = command.map((arg) => (arg === "https://example.com" ? service.url : arg));
      const run = start([...slow, "--rate", "1/s"]);
      while (service.counts().requests === before) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      run.child.kill("SIGKILL");
      await run.ended;
    };
    const commands = blocks("sh")
      .flatMap((block) => block.split("\n"))
      .filter((line) => line.startsWith("npx eventload "))
      .map((line) => line.split(" ").slice(2));
    expect(commands.map(([command]) => command)).toEqual([
      ...["init", "check", "check", "import", "retry", "export", "report", "resume", "import"],
    ]);

    const said: string[] = [];
    const statuses: (number | null)[] = [];
    for (const [command = "", ...args] of commands) {
      if (command === "retry") {
        const path = join(folder, "out/people.failed.csv");
        writeFileSync(path, (await read("out/people.failed.csv")).replace(",eighty,", ",80,"));
      }
      if (command === "resume") await leaveUnfinished(commands[3] ?? []);
      const given = args.map((arg) => (arg === "https://example.com" ? service.url : arg));
      const { status, stdout, stderr } = await eventload([command, ...given]);
      statuses.push(status);
      said.push(stdout + stderr);
    }
    expect(statuses).toEqual([0, 0, 1, 1, 0, 0, 0, 1, 1]);
    expect(said[8]).toContain("  skipped    3  left out, 2 of them as unchanged");
    const [problems, summary] = blocks("text");
    expect(said[2]).toBe(problems);
    expect(withoutTimes(said[3] ?? "")).toBe(withoutTimes(summary ?? ""));
  });

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
    expect(stdout).toContain("$ eventload retry out/users.failed-mended.csv");
    expect(stdout).toContain("npx eventload import people.csv");
  });
});
