import { describe, expect, it } from "vitest";
import { situation } from "../situation.ts";

describe("a value that cannot be used", () => {
  it("is reported with all others", async () => {
    const { import: send } = await situation();
    const faulty = ["--rate", "abc", "--concurrency", "x", "--delivery", "twic", "--limit", "ten"];
    const { status, stdout, stderr } = await send([...faulty, "--json"]);
    const [message, ...faults] = stderr.trimEnd().split("\n");
    expect(message).toBe("eventload: 4 settings cannot be used.");
    expect(faults.toSorted()).toEqual([
      expect.stringMatching('^  --concurrency: "x" is not a whole number from 1 to'),
      expect.stringMatching('^  --delivery: "twic" is not one of at-least-once'),
      expect.stringMatching('^  --limit: "ten" is not a whole number, 1 or more'),
      expect.stringMatching('^  --rate: "abc" is not a rate'),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ exit_reason: "option_invalid" });
    expect(JSON.parse(stdout).details).toHaveLength(4);
    expect(status).toBe(2);
  });

  it.each([
    ["limit:", "1:1: limit: is blank; give it a value, or leave it out\n"],
    ["limit: [3]", "1:1: limit: takes one value, not a list or an object\n"],
    ["limit: 1\nlimit: 2", "2:1: limit: is here twice: remove one\n"],
    ["log-file: y", "1:1: log-file: unknown key; did you mean log_file?\n"],
    ["sucess_statuses: 2xx", "1:1: sucess_statuses: unknown key; did you mean success_statuses?\n"],
    ["retry_statuses: 99", "1:17: retry_statuses: "],
    ["rate:5/s", "1:1: it has to hold keys and values with a space after the colon"],
    ["config: other.yaml", "1:1: config: unknown key"],
    ["idempotency_header: Host", '1:21: idempotency_header: "Host" is not a header for event ids'],
    ["- limit", "1:1: it has to hold keys and values"],
    ["token_command: {a: b}", "1:1: token_command: takes a text, or a list of texts"],
    ["token_command: [vault, [read]]", "1:1: token_command: takes a text, or a list of texts"],
    ["token_command: []", "1:1: token_command: takes a text, or a list of texts"],
    ["base_url: foo", "1:11: base_url: it is not a URL such as https://"],
    [
      "targets: { north: { base_url: 'https://me:sesame@a.example' } }",
      "1:31: targets.north.base_url: it holds a user name",
    ],
    ["results: a.txt", "1:10: results: names of results end in .results.csv; give a.results.csv\n"],
    ["results: '{x}.results.csv'", "1:10: results: {x} has no value here; use {input}, {date}, "],
    [
      "metrics_file: m.txt",
      "1:15: metrics_file: m.txt is not a .prom file, which node_exporter reads",
    ],
    ["report: r.csv", "1:9: report: r.csv is not a .html file, which a report is\n"],
    ["state: 's-{date}.jsonl'", "1:8: state: {date} has no value here; use {input}, {target}, "],
    ["success_statuses: [200, ok]", '1:1: success_statuses: "ok" is no status from 200 to 599'],
  ])("names the key and its place: %s", async (yaml, sentence) => {
    const { import: send, write } = await situation();
    await write("eventload.yaml", `${yaml}\n`);
    const { status, stderr } = await send();
    expect(stderr.startsWith(`eventload: eventload.yaml:${sentence}`)).toBe(true);
    expect(status).toBe(2);
  });

  it.each([[["--limit", ""]], [["--limit= "]]])("is a blank one: %j", async (args) => {
    const { import: send } = await situation();
    const { status, stderr } = await send(args);
    expect(stderr).toBe("eventload: --limit is blank: give it a value.\n");
    expect(status).toBe(2);
  });

  it("does nothing in a variable of another name, and a warning says so", async () => {
    const { check } = await situation();
    const { status, stderr } = await check("--quiet", { env: { EVENTLOAD_TOKN: "1" } });
    const warning =
      "warning: eventload does not read EVENTLOAD_TOKN, but only EVENTLOAD_TOKEN, EVENTLOAD_BASE_URL, EVENTLOAD_CONFIG, EVENTLOAD_TARGET\n";
    expect({ status, stderr }).toEqual({ status: 0, stderr: warning });
  });

  it("is no blank variable", async () => {
    const { check } = await situation();
    const env = { EVENTLOAD_LIMIT: "", EVENTLOAD_CONFIG: "", EVENTLOAD_X: " " };
    const { status, stderr } = await check([], { env });
    expect(stderr).toContain("3 rows give 3 events, no row is invalid. Nothing was sent.\n");
    expect(status).toBe(0);
  });
});

it.each([
  ["export out/people.failed.csv -o all.csv", "all.csv is not a .xlsx file, which export writes"],
  ["report people.results.csv -o all.csv", "all.csv is not a .html file, which a report is"],
  ["init people.csv -o all.csv", "all.csv is not a .yaml file, which init writes"],
])("%s is refused, as programs go by how a name ends", async (line, sentence) => {
  const { run } = await situation();
  const { status, stderr } = await run(line);
  expect([status, stderr]).toEqual([2, `eventload: --output: ${sentence}.\n`]);
});

describe("eventload.yaml", () => {
  it("that is no YAML is one line with its place, and none of its text", async () => {
    const { check, write } = await situation();
    await write("eventload.yaml", 'quiet: true\ntoken_command: "echo sesame\nlimit: 3\n');
    const { status, stdout, stderr } = await check("--json");
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
target: nort
`;
    await write("eventload.yaml", yaml);
    const { status, stdout, stderr } = await run(`check ${path("people.csv")} --json`);
    expect(stderr).toBe(`eventload: eventload.yaml has 8 problems.
  eventload.yaml:2:7: rate: "fast" is not a rate such as 50/s, 3000/m or 100000/h
  eventload.yaml:3:1: concurency: unknown key; did you mean concurrency?
  eventload.yaml:4:15: max_attempts: "0" is not a whole number from 1 to 1000
  eventload.yaml:6:52: targets.north.timeout: "soon" is not a duration above 0 such as 500ms, 30s, 15m or 1h, a day at most
  eventload.yaml:6:58: targets.north.token: the token does not belong in a file like this; give token_file or token_command, or set EVENTLOAD_TOKEN
  eventload.yaml:7:10: targets.south: has to hold keys such as base_url
  eventload.yaml:8:8: quiet: "maybe" is not true or false
  eventload.yaml:9:9: target: this file has no target "nort"; did you mean north
`);
    expect(JSON.parse(stdout)).toMatchObject({ exit_reason: "config_invalid" });
    expect(JSON.parse(stdout).details).toHaveLength(8);
    expect(status).toBe(2);
  });
});

it.each([
  ["hidden_rows: skip", "", "eventload.yaml: hidden_rows: people.csv is no workbook."],
  ["sheet: 2", "", "eventload.yaml: sheet: people.csv is no workbook."],
  [
    "targets: { north: { sheet: 2 } }",
    "--target north",
    "eventload.yaml: targets.north.sheet: people.csv is no workbook.",
  ],
  ["sheet: 2", "--sheet 1", "--sheet: people.csv is no workbook."],
])(
  "what does not suit the input is named where it stands: %s %s",
  async (yaml, typed, sentence) => {
    const { check, write } = await situation();
    await write("eventload.yaml", `${yaml}\n`);
    const { status, stderr } = await check(typed);
    expect([status, stderr]).toEqual([2, `eventload: ${sentence}\n`]);
  },
);

it("a status in two lists is named with the key to fix, whether or not something is sent", async () => {
  const { run, import: send, write } = await situation();
  await write("eventload.yaml", "success_statuses: [200, 409]\nreject_statuses: 4xx\n");
  for (const answer of [await send(), await send("--dry-run"), await run("config")]) {
    expect(answer.stderr).toBe(
      "eventload: eventload.yaml: reject_statuses: 409 is among the reject statuses and among the success statuses; leave it in one.\n",
    );
    expect(answer.status).toBe(2);
  }
});
