import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const importPeople = ["import", "people.csv", "--mapping", "people.yaml", "--json"];

/** What each situation has to give: a status, one clear sentence, and at most one request. */
function expectOneSentence(stderr: string, sentence: RegExp) {
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|Error:/);
}

it("the first answer stops the run, and the same command works once the token is right", async () => {
  const service = await sandboxUnderTest({ token: "right-token" });
  const { eventload } = await scenario("plain");
  const command = [...importPeople, "--base-url", service.url];
  expect((await eventload(command)).status).toBe(3);
  const { status } = await eventload(command, { env: { EVENTLOAD_TOKEN: "right-token" } });
  expect(status).toBe(0);
});

describe("nothing is sent at all", () => {
  it.each([
    [
      "missing-column",
      /people\.yaml has 2 problems; nothing was sent\.\n {2}people\.yaml:5:20: members\.email\.column: the input has no column "E-mail"; did you mean "Email"\?\n {4}5 \| {3}email: .*\n {6}\| {20}\^\n {2}people\.yaml:6:15: members\.first_name: the input has no column "Firstname"; did you mean "First Name"\?\n {4}6 \| {3}first_name: Firstname\n {6}\| {15}\^\n$/,
    ],
    ["empty-file", /^eventload: people\.csv is empty: it needs a header line/],
  ])("%s", async (name, sentence) => {
    const service = await sandboxUnderTest({});
    const { eventload, folder } = await scenario(name);
    const { status, stdout, stderr } = await eventload([
      ...importPeople,
      "--base-url",
      service.url,
    ]);
    expect(status).toBe(2);
    expectOneSentence(stderr, sentence);
    expect(JSON.parse(stdout).exit_reason).toMatch(/^(mapping_invalid|input_empty)$/);
    expect(service.counts().requests).toBe(0);
    expect(existsSync(join(folder, "people.results.csv"))).toBe(false);
  });

  it("with --strict, if a row is invalid", async () => {
    const service = await sandboxUnderTest({});
    const { eventload } = await scenario("fix-and-retry");
    const command = [...importPeople, "--strict", "--base-url", service.url];
    const { status, stderr } = await eventload(command);
    expect(status).toBe(2);
    expect(stderr).toContain("invalid, so --strict sends nothing");
    expect(service.counts().requests).toBe(0);
  });

  it("header only is complete, with no rows", async () => {
    const service = await sandboxUnderTest({});
    const { eventload, read } = await scenario("header-only");
    const { status, stdout, stderr } = await eventload([
      ...importPeople,
      "--base-url",
      service.url,
    ]);
    expect(status).toBe(0);
    expectOneSentence(stderr, /There are no rows: the input has none, or /);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 0, events: 0, exit_reason: "complete" });
    expect((await read("people.results.csv")).trim().split("\n")).toHaveLength(1);
    expect(service.counts().requests).toBe(0);
  });
});
