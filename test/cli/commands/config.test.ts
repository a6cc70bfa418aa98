import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { nameOf } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/main.ts";
import { readArguments } from "../../../src/cli/options/arguments.ts";
import { readSettings } from "../../../src/cli/options/settings.ts";
import { CannotStartError } from "../../../src/model/errors.ts";
import { situation } from "../situation.ts";

const shipped = JSON.parse(
  readFileSync(new URL("../../../dist/eventload.schema.json", import.meta.url), "utf8"),
);
const editor = z.fromJSONSchema(shipped);
const agreesWith = (content: unknown) => editor.safeParse(content).success;

/** Whether the program takes it, without the cost of a command line for each. */
async function accepts(content: unknown): Promise<boolean> {
  const { folder, write } = await situation();
  await write("eventload.yaml", stringify(content));
  const config = commands.find((command) => nameOf(command) === "config");
  if (config === undefined) throw new Error("there is no command config");
  try {
    const { layers } = await readSettings(
      { env: {}, cwd: folder },
      config.options,
      new Map(),
      true,
    );
    readArguments(config, layers);
    return true;
  } catch (error) {
    if (error instanceof CannotStartError) return false;
    throw error;
  }
}

describe("the schema of eventload.yaml", () => {
  it("that is shipped is the one that the options give", async () => {
    const { run } = await situation();
    const { stdout } = await run("schema config");
    expect(JSON.parse(stdout)).toEqual(shipped);
    const { exports } = JSON.parse(
      readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
    );
    expect(exports["./eventload.schema.json"]).toBe("./dist/eventload.schema.json");
  });

  it("of mappings is printed by its name too, and no other is known", async () => {
    const { run } = await situation();
    const mapping = await run("schema");
    expect(await run("schema mapping")).toEqual(mapping);
    const other = await run("schema events");
    expect(other.stderr).toContain('schema: "events" is not one of mapping, config, summary, ');
    expect(other.status).toBe(2);
  });

  it("says of each path by which folder it goes, and can be read strictly", () => {
    const says = (words: string) =>
      Object.entries<{ description?: string }>(shipped.$defs)
        .filter(([, { description = "" }]) => description.includes(words))
        .map(([key]) => key)
        .toSorted();
    expect(says("A relative path goes by the folder of this file.")).toEqual(
      ["ca_file", "log_file", "mapping", "metrics_file"].concat(
        ...["report", "results", "state", "token_file"],
      ),
    );
    expect(says("It is started in the folder of this file.")).toEqual(["token_command"]);
    expect(() => new Ajv2020({ strict: true }).compile(shipped)).not.toThrow();
  });

  it.each([
    ["base_url", "https://example.com"],
    ["token_command", ["vault", "read"]],
    ["sheet", 2],
    ["success_statuses", [200, "4xx"]],
    ["rate", "2.5/s"],
    ["timeout", "2.5s"],
    ["max_outage", 0],
    ["no_check", false],
    ["target", "north"],
    ["targets", {}],
  ])("%s: %j is right for an editor and for the program", async (key, value) => {
    const content = { targets: { north: {} }, [key]: value };
    expect(agreesWith(content)).toBe(true);
    expect(await accepts({ ...content, ...(key === "targets" ? value : {}) })).toBe(true);
    if (key.startsWith("target")) return;
    const within = { target: "north", targets: { north: { [key]: value } } };
    expect([agreesWith(within), await accepts(within)]).toEqual([true, true]);
  });

  it.each([
    ["base_ulr", "https://example.com"],
    ["config", "other.yaml"],
    ["token", "sesame"],
    ["token_command", []],
    ["concurrency", 0],
    ["rate", 50],
    ["max_errors", "half"],
    ["timeout", 30],
    ["max_outage", 15],
    ["sucess_statuses", 200],
    ["dry_run", true],
    ["strict", [true]],
    ["targets", { north: "https://example.com" }],
    ["targets", { north: { target: "south" } }],
    ["targets", { north: { base_ulr: "https://example.com" } }],
  ])("%s: %j is wrong for an editor and for the program", async (key, value) => {
    expect(agreesWith({ [key]: value })).toBe(false);
    expect(await accepts({ [key]: value })).toBe(false);
  });
});

describe("eventload config", () => {
  it("prints the settings in force, and shows no secret", async () => {
    const { run, write } = await situation();
    await write(
      "eventload.yaml",
      'base_url: https://example.com\ntoken_command: "login --password sesame"\nrate: 50/s\n',
    );
    const env = { EVENTLOAD_TOKEN: "sesame-open" };
    const { status, stdout } = await run("config --concurrency 8 --ca-file y", {
      env,
    });
    expect(status).toBe(0);
    expect(stdout).not.toContain("sesame");
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
    for (const line of [
      ["base_url", "https://example.com", "(eventload.yaml: base_url)"],
      ["token_command", "login ********", "(eventload.yaml: token_command)"],
      ["ca_file", "y", "(--ca-file)"],
      ["rate", "50/s", "(eventload.yaml: rate)"],
      ["concurrency", "8", "(--concurrency)"],
      ["max_attempts", "5"],
      ["strict", "false"],
      ["token", "******** (EVENTLOAD_TOKEN)"],
    ]) {
      expect(lines).toContainEqual(line);
    }
  });

  it("says what is wrong with the token, and hides the password of an address", async () => {
    const { run } = await situation();
    const both = await run("config --token-file a --token-command b");
    expect(both.stdout).toContain("--token-file: give it or --token-command, not both");
    const address = await run("config --base-url https://me:sesame@example.com");
    expect(address).toMatchObject({
      status: 2,
      stdout: "",
      stderr:
        "eventload: --base-url: it holds a user name or password, which the service does not use.\n",
    });
    const none = await run("config", { env: { EVENTLOAD_TOKEN: "" } });
    expect(none.stdout).toMatch(/^token +No token: set EVENTLOAD_TOKEN/m);
  });
});
