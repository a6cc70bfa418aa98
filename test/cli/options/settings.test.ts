import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

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
    expect((await check()).stderr).toBe(
      `eventload: eventload.yaml:1:8: quiet ${why.slice(0, -1)}\n`,
    );
  });
});

describe("a value that cannot be used", () => {
  it.each([
    ["EVENTLOAD_RATE", "fast", 'EVENTLOAD_RATE: "fast" is not a rate'],
    ["EVENTLOAD_LIMIT", "ten", "EVENTLOAD_LIMIT needs a whole number, 0 or more"],
    ["EVENTLOAD_DELIVERY", "twice", 'EVENTLOAD_DELIVERY: "twice" is not one of at-least-once'],
    ["EVENTLOAD_IDEMPOTENCY_HEADER", "Host", 'EVENTLOAD_IDEMPOTENCY_HEADER: "Host" cannot'],
  ])("names the variable: %s", async (name, value, sentence) => {
    const { import: send } = await situation();
    const { status, stderr } = await send([], { env: { [name]: value } });
    expect(stderr).toContain(`eventload: ${sentence}`);
    expect(status).toBe(2);
  });

  it("is told with all others of the environment and the command line", async () => {
    const { import: send } = await situation();
    const env = { EVENTLOAD_RATE: "abc", EVENTLOAD_CONCURRENCY: "x", EVENTLOAD_DELIVERY: "twic" };
    const { status, stdout, stderr } = await send(["--limit", "ten", "--json"], { env });
    const [message, ...faults] = stderr.trimEnd().split("\n");
    expect(message).toBe("eventload: 4 settings cannot be used.");
    expect(faults.toSorted()).toEqual([
      expect.stringMatching("^  --limit needs a whole number, 0 or more"),
      expect.stringMatching('^  EVENTLOAD_CONCURRENCY needs a whole number from 1 to .*, not "x"$'),
      expect.stringMatching('^  EVENTLOAD_DELIVERY: "twic" is not one of at-least-once'),
      expect.stringMatching('^  EVENTLOAD_RATE: "abc" is not a rate'),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ exit_reason: "option_invalid" });
    expect(JSON.parse(stdout).details).toHaveLength(4);
    expect(status).toBe(2);
  });

  it.each([
    ["rate: fast", '1:7: rate: "fast" is not a rate'],
    ["max_attempts: 0", "1:15: max_attempts needs a whole number from 1 to 1000"],
    ["limit:", "1:1: limit: is blank; give it a value, or leave it out\n"],
    ['limit: ""', "1:8: limit: is blank"],
    ["limit: [3]", "1:8: limit: takes one value, not a list or an object\n"],
    ["limit: {a: 3}", "1:8: limit: takes one value, not a list or an object\n"],
    ["limit: 1\nlimit: 2", "2:1: limit: is there already: give it once\n"],
    ["log_file: x\nlog-file: y", "2:1: log-file: is there already, as log_file\n"],
    ["concurency: 3", "1:1: concurency: unknown key; did you mean concurrency?\n"],
    ["nonsense: 3", "1:1: nonsense: unknown key; remove it\n"],
    ["staging: {}", "1:1: staging: unknown key; a target belongs under targets:"],
    ["<<: {}", "1:1: <<: keys are not merged (<<) here; write out what is meant\n"],
    ["rate:5/s", "1:1: it has to hold keys and values with a space after the colon"],
    ["config: other.yaml", "1:1: config: cannot stand in a configuration file; give --config\n"],
    ["idempotency_header: Host", '1:21: idempotency_header: "Host" cannot be used'],
    ["- limit", "1:1: it has to hold keys and values"],
  ])("names the key and its place: %s", async (yaml, sentence) => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", `${yaml}\n`);
    const { status, stderr } = await send();
    expect(stderr.startsWith(`eventload: eventload.yaml:${sentence}`)).toBe(true);
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

  it.each([
    ["EVENTLOAD_TOKN", "did you mean EVENTLOAD_TOKEN?"],
    ["EVENTLOAD_TOKENFILE", "did you mean EVENTLOAD_TOKEN_FILE?"],
    ["EVENTLOAD_BASEURL", "did you mean EVENTLOAD_BASE_URL?"],
    ["EVENTLOAD_RAW", "did you mean EVENTLOAD_ROW?"],
    ["EVENTLOAD_PASSPHRASE", "the help of each command names those there are"],
  ])("%s is warned of, with what to do", async (name, fix) => {
    const { run } = await situation();
    const { status, stderr } = await run(["schema"], { env: { [name]: "sesame" } });
    const warning = `warning: ${name} is no setting of eventload, and does nothing; ${fix}\n`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: warning });
  });

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
    expect(stderr).toMatch(
      /^eventload: eventload\.yaml:\d+:\d+: not valid YAML: a quote .* never closed\n$/,
    );
    expect(stdout).not.toContain("sesame");
    expect(status).toBe(2);
  });

  it("tells all of its faults at once, each with its line, also those of other targets", async () => {
    const { run, write, path } = await situation();
    const yaml = `mapping: people.yaml
rate: fast
concurency: 3
max_attempts: 0
targets:
  north: { base_url: https://example.com, timeout: soon, token: sesame }
  south: nowhere
quiet: maybe
quiet: no
base_url: example.com
results: out/{day}.csv
target: nort
`;
    await write("eventload.yaml", yaml);
    const { status, stdout, stderr } = await run(["check", path("people.csv"), "--json"]);
    expect(stderr).toBe(`eventload: eventload.yaml has 11 problems.
  eventload.yaml:2:7: rate: "fast" is not a rate such as 50/s, 3000/m or 100000/h
  eventload.yaml:3:1: concurency: unknown key; did you mean concurrency?
  eventload.yaml:4:15: max_attempts needs a whole number from 1 to 1000, not "0"
  eventload.yaml:6:52: targets.north.timeout needs seconds, such as 30 or 2.5, not "soon"
  eventload.yaml:6:58: targets.north.token: the token does not belong in it; give token_file or token_command, or set EVENTLOAD_TOKEN
  eventload.yaml:7:10: targets.south: has to hold keys and values, such as base_url
  eventload.yaml:8:8: quiet needs true or false, not "maybe"
  eventload.yaml:9:1: quiet: is there already: give it once
  eventload.yaml:10:11: base_url: The base URL "example.com" cannot be used: it is not a URL such as https://example.com/prefix
  eventload.yaml:11:10: results: {day} stands for nothing; use {input}, {date}, {time}, {target}
  eventload.yaml:12:9: target: this file has no target "nort"; did you mean north
`);
    expect(JSON.parse(stdout)).toMatchObject({ exit_reason: "config_invalid" });
    expect(JSON.parse(stdout).details).toHaveLength(11);
    expect(status).toBe(2);
  });

  it("tells every place at which it is no YAML, once a line", async () => {
    const { check, write } = await situation();
    await write("eventload.yaml", "rate: 5/s\n\tquiet: true\nmapping: a: b: c\n- limit\n");
    const { stderr } = await check();
    const places = [...stderr.matchAll(/eventload\.yaml:(\d+):/g)].map(([, line]) => Number(line));
    expect(places.length).toBeGreaterThan(1);
    expect(places).toEqual([...new Set(places)]);
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
    expect(stderr).toMatch(/eventload\.yaml:1:1: token: the token does not belong in it/);
    expect(stderr).not.toContain("sesame");
    expect(status).toBe(2);
  });
});
