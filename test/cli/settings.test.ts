import { describe, expect, it } from "vitest";
import { situation } from "./situation.ts";

/** With three rows that are invalid: strict refuses to start, and anything else would send. */
async function invalidPeople() {
  const people = await situation();
  await people.write("people.csv", "Email,First Name,Code\n,A,1\n,B,2\n,C,3\n");
  return people;
}

describe("yes and no", () => {
  it.each(["true", "TRUE", "1", "yes", "On"])("%s is yes, wherever it stands", async (word) => {
    const { import: send, write } = await invalidPeople();
    const strict = "3 rows are invalid, and --strict sends nothing then";
    expect((await send([], { env: { EVENTLOAD_STRICT: word } })).stderr).toContain(strict);
    expect((await send([`--strict=${word}`])).stderr).toContain(strict);
    await write("eventload.yaml", `strict: ${word}\n`);
    expect((await send()).stderr).toContain(strict);
  });

  it.each(["false", "0", "No", "off"])("%s is no, wherever it stands", async (word) => {
    const { check, write } = await situation();
    const isShown = (stderr: string) => stderr.includes("3 rows give 3 events");
    await write("eventload.yaml", `quiet: ${word}\n`);
    expect(isShown((await check()).stderr)).toBe(true);
    await write("eventload.yaml", "quiet: yes\n");
    expect(isShown((await check()).stderr)).toBe(false);
    expect(isShown((await check([], { env: { EVENTLOAD_QUIET: word } })).stderr)).toBe(true);
    expect(isShown((await check([`--quiet=${word}`])).stderr)).toBe(true);
  });

  it("anything else is refused where it stands", async () => {
    const { check, write } = await situation();
    const why = 'needs true or false, not "maybe".';
    const env = await check([], { env: { EVENTLOAD_QUIET: "maybe" } });
    expect(env).toMatchObject({ status: 2, stderr: `eventload: EVENTLOAD_QUIET ${why}\n` });
    expect((await check(["--quiet=maybe"])).stderr).toBe(`eventload: --quiet ${why}\n`);
    await write("eventload.yaml", "quiet: maybe\n");
    expect((await check()).stderr).toBe(`eventload: eventload.yaml: quiet ${why}\n`);
  });
});

describe("a value that cannot be used", () => {
  it.each([
    ["EVENTLOAD_RATE", "fast", 'EVENTLOAD_RATE: "fast" is not a rate'],
    ["EVENTLOAD_LIMIT", "ten", "EVENTLOAD_LIMIT needs a whole number from 0 to 9007199254740991"],
    ["EVENTLOAD_DELIVERY", "twice", 'EVENTLOAD_DELIVERY: "twice" is not one of at-least-once'],
    ["EVENTLOAD_IDEMPOTENCY_HEADER", "Host", 'EVENTLOAD_IDEMPOTENCY_HEADER: "Host" cannot'],
  ])("names the variable: %s", async (name, value, sentence) => {
    const { import: send } = await situation();
    const { status, stderr } = await send([], { env: { [name]: value } });
    expect(stderr).toContain(`eventload: ${sentence}`);
    expect(status).toBe(2);
  });

  it.each([
    ["rate: fast", 'eventload.yaml: rate: "fast" is not a rate'],
    ["max_attempts: 0", "eventload.yaml: max_attempts needs a whole number from 1 to 1000"],
    ["limit:", "eventload.yaml: limit is blank; give it a value, or leave it out."],
    ['limit: ""', "eventload.yaml: limit is blank"],
    ["limit: [3]", "eventload.yaml: limit takes one value, not a list or an object."],
    ["limit: {a: 3}", "eventload.yaml: limit takes one value, not a list or an object."],
    ["limit: 1\nlimit: 2", "eventload.yaml:2:1: a key that is there already."],
    ["base_url: x\nbase-url: y", "eventload.yaml: base_url is there twice"],
    ["concurency: 3", "unknown key concurency; did you mean concurrency"],
    ["config: other.yaml", "eventload.yaml: config cannot stand in a configuration file"],
    ["- limit", "eventload.yaml: it has to hold keys and values."],
  ])("names the key: %s", async (yaml, sentence) => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", `${yaml}\n`);
    const { status, stderr } = await send();
    expect(stderr).toContain(
      `eventload: ${sentence.startsWith("unknown") ? "eventload.yaml: " : ""}${sentence}`,
    );
    expect(status).toBe(2);
  });

  it.each([[["--limit", ""]], [["--limit="]], [["--limit", " "]], [["--results", ""]]])(
    "is a blank one: %j",
    async (args) => {
      const { import: send } = await situation();
      const { status, stderr } = await send(args);
      expect(stderr).toBe(`eventload: ${args[0]?.replace("=", "")} is blank: give it a value.\n`);
      expect(status).toBe(2);
    },
  );

  it("a blank variable is none", async () => {
    const { check } = await situation();
    const env = {
      EVENTLOAD_LIMIT: "",
      EVENTLOAD_QUIET: " ",
      EVENTLOAD_CONFIG: "",
      EVENTLOAD_X: "",
    };
    const { status, stderr } = await check([], { env });
    expect(stderr).toContain("3 rows give 3 events, none is invalid. Nothing was sent.\n");
    expect(status).toBe(0);
  });
});

describe("eventload.yaml", () => {
  it("that is no YAML is one line with its place, and none of its text", async () => {
    const { check, write } = await situation();
    await write("eventload.yaml", 'quiet: true\ntoken_command: "echo sesame\nlimit: 3\n');
    const { status, stdout, stderr } = await check(["--json"]);
    expect(stderr).toMatch(/^eventload: eventload\.yaml:\d+:\d+: not valid YAML\.\n$/);
    expect(stdout).not.toContain("sesame");
    expect(status).toBe(2);
  });

  it("keeps a value as it is written", async () => {
    const { check, write } = await situation();
    await write("eventload.yaml", "mapping: 007\nlimit: 1\n");
    const { stderr } = await check();
    expect(stderr).toContain("1 row gives");
    const { run, path } = await situation();
    await write("eventload.yaml", "mapping: 007\n");
    const other = await run(["check", path("people.csv"), "--config", `${path("")}none.yaml`]);
    expect(other.stderr).toContain("none.yaml: it cannot be read");
  });

  it("is no place for the token, and does not repeat it", async () => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", "token: sesame\n");
    const { status, stderr } = await send();
    expect(stderr).toMatch(/eventload\.yaml: the token does not belong in it/);
    expect(stderr).not.toContain("sesame");
    expect(status).toBe(2);
  });
});
