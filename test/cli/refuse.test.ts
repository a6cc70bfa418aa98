import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalJson, refusalOf, refuse } from "../../src/cli/refuse.ts";
import { DiskError } from "../../src/model/errors.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "../scenarios/scenario.ts";
import { collector, eventload } from "./fake-host.ts";
import { situation } from "./situation.ts";

describe("--json, where nothing was done", () => {
  it("says why", async () => {
    const { url } = await sandboxUnderTest();
    const done = await situation();
    await done.import(`--json --base-url ${url}`);
    const { status, stdout, stderr } = await done.import(`--json --base-url ${url}`);
    expect(status).toBe(2);
    const refusal = JSON.parse(stdout);
    expect(refusal).toEqual({ exit_reason: "results_exist", message: expect.any(String) });
    expect(stderr).toBe(`eventload: ${refusal.message}\n`);
  });

  it("has every problem of a mapping", async () => {
    const { check, write } = await situation();
    await write("people.yaml", "version: 1\nresource: users\nevent: x\nmembers: { a: B, c: D }\n");
    const { status, stdout } = await check("--json");
    expect(status).toBe(2);
    const { exit_reason, details } = JSON.parse(stdout);
    expect(exit_reason).toBe("mapping_invalid");
    expect(details).toHaveLength(2);
    expect(details.join("")).not.toContain("\n");
  });

  it.each([
    ["imprt --json", {}, "usage"],
    ["import a.csv --json --rate x", {}, "option_invalid"],
    ["import a.csv --json=maybe --json", {}, "usage"],
    ["import a.csv --json", { EVENTLOAD_TOKEN: "" }, "input_not_found"],
    ["import a.csv --json --config none.yaml", {}, "config_invalid"],
  ])("%s is one object", async (line, env, reason) => {
    const { status, stdout, stderr } = await eventload(line, { env });
    expect(status).toBe(2);
    const { exit_reason, message } = JSON.parse(stdout);
    expect(exit_reason).toBe(reason);
    expect(message).not.toContain("\n");
    expect(stderr).toContain(message);
  });
});

it.each([
  ["check out/people.failed.csv", "run eventload retry out/people.failed.csv"],
  ["check people.csv --row 4", "--row: the input has no row 4"],
  ["check people.csv --max-gone 1%", "--max-gone: it is about nights: give --state too"],
  ["check people.csv --max-changed 1%", "--max-changed: it is about nights: give --state too"],
  ["check people.csv --mapping latin.yaml", "it is not UTF-8; save it as UTF-8"],
])("%s is refused, and says what to do", async (line, why) => {
  const { url } = await sandboxUnderTest({ rejectRate: 1 });
  const { eventload, folder } = await scenario("plain");
  await eventload(`import people.csv --base-url ${url} --results out/people.results.csv`);
  await writeFile(join(folder, "latin.yaml"), Buffer.from("# Zo\xeb\n", "latin1"));
  const { status, stderr } = await eventload(line);
  expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
});

it("a file in another encoding is refused with the command that reads it, and what sends nothing does not say so", async () => {
  const { eventload, folder } = await scenario("plain");
  await writeFile(
    join(folder, "latin.csv"),
    Buffer.from("Email,First Name,Code\na@x.org,Zo\xeb M\xfcller,1\n", "latin1"),
  );
  const env = { npm_lifecycle_event: "npx" };
  for (const command of ["map", "init", "check --mapping people.yaml"]) {
    const { status, stderr } = await eventload(`${command} latin.csv`, { env });
    expect(status).toBe(2);
    expect(stderr).toContain(`run: npx eventload ${command} latin.csv --encoding windows-1252\n`);
    expect(stderr.includes("Nothing was sent.")).toBe(command.startsWith("check"));
  }
});

it("a mistake in eventload.yaml keeps no command from its work that does not read it", async () => {
  const { eventload, folder } = await scenario("plain");
  await writeFile(join(folder, "eventload.yaml"), "rate: *x\n");
  for (const command of ["completion", "schema", "status"])
    expect(await eventload(command)).toMatchObject({ status: 0, stderr: "" });
  expect(await eventload("check people.csv")).toMatchObject({ status: 2 });
});

it.each([
  [new DiskError("out.csv cannot be written: the disk is full"), "disk"],
  [new TypeError("x is not a function"), "bug"],
  ["thrown text", "bug"],
])(
  "an error that nobody foresaw: %s is a run that stopped, not one with bad rows",
  (error, reason) => {
    const [stdout, stderr] = [collector(), collector()];
    const host = { stdout: stdout.stream, stderr: stderr.stream, env: {} };
    const status = refuse(refusalOf(error), host, refusalJson(refusalOf(error)));
    expect(status).toBe(3);
    expect(JSON.parse(stdout.text()).exit_reason).toBe(reason);
    expect(stderr.text()).toMatch(/^eventload: /);
  },
);

it("problems are wrapped for the terminal, and the excerpt below each stays as it is", () => {
  const [stdout, stderr] = [collector(), collector()];
  const host = {
    stdout: stdout.stream,
    stderr: Object.assign(stderr.stream, { columns: 20 }),
    env: {},
  };
  const excerpt = '7 |   email: { column: "Email" }\n  |          ^';
  const details = [`people.yaml:7: did you mean trim?\n${excerpt}`];
  refuse({ code: "mapping_invalid", message: "No.", details, status: 2 }, host);
  expect(stderr.text().split("\n")).toEqual([
    ...["eventload: No.", "  people.yaml:7: did", "    you mean trim?"],
    ...['    7 |   email: { column: "Email" }', "      |          ^", ""],
  ]);
});
