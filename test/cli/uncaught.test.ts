import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { startProgram } from "./running-program.ts";
import { situation } from "./situation.ts";

const rows = 1000;
/** All rows are mapped once to check them, and then to send them. */
const whileSending = "let calls = 0; const isLate = () => ++calls === 1500;";

const event = `{ resource: "users", body: { event: "e", email: row.Email } }`;

async function run(module: string, args: readonly string[]) {
  const { folder, path, write, read } = await situation();
  const addresses = Array.from({ length: rows }, (_, at) => `${at}@example.com`);
  await write("people.csv", ["Email", ...addresses, ""].join("\n"));
  await write("people.mjs", module);
  const line = [...args, "people.csv", "--mapping", "people.mjs"];
  return { ...(await startProgram(line, { cwd: folder }).ended), path, read };
}

describe("what a mapping's module does where nobody can catch it", () => {
  it.each([
    [
      "a promise that nobody waits for",
      `${whileSending}
const audit = async () => { if (isLate()) throw new Error("no audit"); };
export default (row) => { audit(); return ${event}; };`,
    ],
    [
      "a timer",
      `${whileSending}
export default (row) => { if (isLate()) setTimeout(() => { throw new Error("no audit"); }, 0); return ${event}; };`,
    ],
  ])("ends a run that can be resumed: %s", async (_, module) => {
    const { url } = await sandboxUnderTest();
    const to = ["--base-url", url, "--results", "out.results.csv", "--json"];
    const { status, stdout, stderr, path, read } = await run(module, ["import", ...to]);
    expect(stderr).toMatch(
      /^Something failed that nothing waits for: Error: no audit \(people\.mjs:\d:\d+\)\./m,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      exit_reason: "interrupted",
      message: expect.stringContaining("no audit (people.mjs"),
    });
    expect(JSON.parse(await read("out.run.json"))).toMatchObject({ exit_reason: "interrupted" });
    expect(existsSync(path("out.results.csv.journal.1"))).toBe(true);
  });

  it("ends a check with one sentence", async () => {
    const module = `export default (row) => { Promise.reject("late"); return ${event}; };`;
    const { status, stderr } = await run(module, ["check"]);
    expect(stderr).toMatch(/^eventload: Something failed that nothing waits for: "late"/m);
    expect(stderr.match(/Something failed/g)).toHaveLength(1);
    expect(status).toBe(2);
  });
});

describe("a mapping's module that ends the process", () => {
  it.each([
    ["when it is loaded", `process.exit(0); export default () => null;`, false],
    [
      "in the middle of an import",
      `${whileSending}
export default (row) => { if (isLate()) process.exit(0); return ${event}; };`,
      true,
    ],
  ])("never ends it as if all were done: %s", async (_, module, hasBegun) => {
    const { url } = await sandboxUnderTest();
    const to = ["--base-url", url, "--results", "out.results.csv"];
    const { status, stderr, path } = await run(module, ["import", ...to]);
    expect(stderr).toContain("eventload: The process was ended before the command was over");
    expect(status).toBe(3);
    expect(existsSync(path("out.results.csv.journal.1"))).toBe(hasBegun);
    if (!hasBegun) expect((await run(module, ["check"])).status).toBe(2);
  });
});

it("what a mapping's module prints stays off standard output", async () => {
  const module = `console.log("loaded"); export default (row) => { console.info("row"); return ${event}; };`;
  const { status, stdout, stderr } = await run(module, ["check", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ rows });
  expect(stderr).toContain("loaded\n");
  expect(stderr).toContain("row\n");
  expect(status).toBe(0);
});

it("a module that is no JavaScript is refused, with what shows the place", async () => {
  const { status, stderr } = await run("export default ( => 1", ["check"]);
  expect(status).toBe(2);
  expect(stderr).toMatch(/SyntaxError: .*; node --check shows where\./);
});
