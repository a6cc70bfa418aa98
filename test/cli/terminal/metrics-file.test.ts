import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMetricsFile, renderMetrics } from "../../../src/cli/terminal/metrics-file.ts";
import { noCounts } from "../../../src/model/outcome.ts";
import { noFigures } from "../../../src/model/run-events.ts";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { scenario } from "../../scenarios/scenario.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { situation } from "../situation.ts";
import { parsePrometheusText } from "./parse-prometheus-text.ts";
import { sending } from "./progress-given.ts";

/** Samples by name and labels, without the label that all have. */
function figuresOf(text: string): Record<string, number> {
  const entries = parsePrometheusText(text).map(({ name, labels: { run, ...labels }, value }) => {
    expect(run).toBe("people");
    const own = Object.values(labels).join(" ");
    return [`${name.replace("eventload_", "")} ${own}`.trim(), value];
  });
  return Object.fromEntries(entries);
}

it("the text of metrics gives every label back as it was, whatever is in it", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (label, value) => {
        const last = { last_exit_status: value };
        const run = { name: label, startedAtSeconds: 1, labels: { label }, last };
        const [info, , , status] = parsePrometheusText(renderMetrics(run));
        expect(info?.labels).toEqual({ run: label, label, exit_reason: "" });
        expect(status?.value).toBe(value + 0); // -0 is 0
      },
    ),
  );
});

it("attempts at the end are those of the summary, also where nothing was sent now", () => {
  const counts = noCounts();
  const summary = { ...noFigures(), counts, attempts: 20, unanswered: 2 };
  const common = { exitReason: "complete", delivery: "at-least-once", elapsedMs: 1 } as const;
  const ended = { atSeconds: 1, status: 0, reason: "", summary: { ...summary, ...common } };
  const text = renderMetrics({ name: "people", startedAtSeconds: 1, labels: {}, ended });
  expect(text).toContain('eventload_attempts_total{run="people"} 20\n');
  expect(text).toContain('eventload_unanswered_total{run="people"} 2\n');
});

describe("a file of metrics", () => {
  it("tells of a run what its results do, and can be read by everybody", async () => {
    const { url } = await sandboxUnderTest();
    const { import: send, path, read, write, run } = await situation();
    await write("people.csv", 'Email,First Name,Code\na@x,A,1\n,B,2\n"b@x",C,3\n');
    const metrics = ["--metrics-file", path("people.prom")];
    const results = path('it"s\\ mine.results.csv');
    const first = await send(["--base-url", url, ...metrics, "--results", results]);
    expect(first.status).toBe(1);
    const text = await read("people.prom");
    const [info] = parsePrometheusText(text);
    expect(info).toMatchObject({
      name: "eventload_run_info",
      labels: {
        ...{ run: "people", command: "import", input: "people.csv", exit_reason: "complete" },
        results: 'it"s\\ mine.results.csv',
      },
    });
    const figures = figuresOf(text);
    expect(figures).toMatchObject({
      ...{ running: 0, last_exit_status: 1, last_success_timestamp_seconds: 0 },
      ...{ rows: 3, rows_ended: 3 },
      ...{ "events succeeded": 2, "events invalid": 1, "events not_sent": 0 },
      ...{ attempts_total: 2, retries_total: 0, in_flight: 0 },
    });
    expect(figures.last_end_timestamp_seconds).toBeGreaterThan(0);

    const again = await send(["--base-url", url, ...metrics, "--results", results]);
    expect(again.status).toBe(2);
    const after = figuresOf(await read("people.prom"));
    // What is not known is left out.
    expect(after).toMatchObject({ last_exit_status: 2, running: 0 });
    expect(Object.keys(after).filter((name) => /^(rows|events|attempts)/.test(name))).toEqual([]);

    const failed = results.replace(".results.", ".failed.");
    await writeFile(failed, (await read('it"s\\ mine.failed.csv')).replace(",B,2", "c@x,B,2"));
    expect((await run(["retry", failed, ...metrics])).status).toBe(0);
    const done = figuresOf(await read("people.prom"));
    expect(done).toMatchObject({ last_exit_status: 0, attempts_total: 3, rows: 3, rows_ended: 3 });
    expect(done.last_success_timestamp_seconds).toBe(done.last_end_timestamp_seconds);

    // A run that cannot start leaves what is known of the last success.
    expect((await send(["--base-url", url, ...metrics, "--results", results])).status).toBe(2);
    const { last_success_timestamp_seconds: last } = figuresOf(await read("people.prom"));
    expect(last).toBe(done.last_end_timestamp_seconds);
  });

  it("says that a run did not start", async () => {
    const { import: send, path, read } = await situation();
    const argv = ["--metrics-file", path("people.prom")];
    expect((await send(argv, { env: { EVENTLOAD_TOKEN: "" } })).status).toBe(2);
    const [info] = parsePrometheusText(await read("people.prom"));
    expect(info?.labels.exit_reason).toBe("token_missing");
    expect(figuresOf(await read("people.prom"))).toMatchObject({ last_exit_status: 2, running: 0 });
  });

  it.each([
    ["people.txt", "people.txt is not a .prom file, which node_exporter reads"],
    ["mine.prom", "mine.prom exists already, and nothing is overwritten"],
    ["mine.prom/people.prom", "mine.prom is a file, not a folder."],
    ["log.prom", "log.prom is the log; name another for the metrics."],
  ])("is not %s", async (name, why) => {
    const { import: send, path, read, write, folder } = await situation();
    await write("mine.prom", "mine");
    const log = name === "log.prom" ? name : "run.log";
    const besides = ["--results", path("run.results.csv"), "--log-file", path(log)];
    const { status, stderr } = await send(["--metrics-file", path(name), ...besides]);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
    expect(await read("mine.prom")).toBe("mine");
    expect((await readdir(folder)).filter((one) => /prom|txt/.test(one))).toEqual(["mine.prom"]);
  });

  it.each(["resume", "retry"])(
    "of a %s says what the last part said, until it is known what that has done",
    async (command) => {
      const folder = await temporaryFolder();
      const path = `${folder}/people.prom`;
      const before = `# TYPE eventload_attempts_total counter\neventload_attempts_total{run="people"} 32\n`;
      await writeFile(path, before);
      const setting = { value: path, origin: "command line", place: "--metrics-file" } as const;
      const clock = { date: () => new Date(0), schedule: () => () => {} };
      const metrics = createMetricsFile(setting, clock);
      await metrics.prepare({ command }, () => {});
      metrics.update({ kind: "warning", message: "once" });
      metrics.update({ phase: "check", rows: 10, bytes: 100, totalBytes: 1000 } as never);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await readFile(path, "utf8")).toBe(before);
      metrics.update(sending(20, { attemptsSoFar: { attempts: 33, retries: 1, unanswered: 0 } }));
      const figures = async () => figuresOf(await readFile(path, "utf8"));
      await expect.poll(figures).toMatchObject({ running: 1, rows_ended: 20, attempts_total: 33 });
    },
  );

  it("is written every minute, and once it cannot be, that is reported once", async () => {
    const folder = await temporaryFolder();
    const path = `${folder}/people.prom`;
    const waits: { delayMs: number; run: () => void }[] = [];
    const clock = {
      date: () => new Date("2026-03-01T12:00:00.500Z"),
      schedule(delayMs: number, run: () => void) {
        waits.push({ delayMs, run });
        return () => {};
      },
    };
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const setting = {
      value: path,
      origin: "command line",
      place: "--metrics-file",
    } as const;
    const metrics = createMetricsFile(setting, clock);
    await metrics.prepare({ command: "import" }, warn);
    expect(await readdir(folder)).toEqual([]);
    for (const message of ["once", "again"]) metrics.update({ kind: "warning", message });
    const figures = async () => figuresOf(await readFile(path, "utf8"));
    await expect.poll(() => readdir(folder)).toEqual(["people.prom"]);
    expect(await figures()).toMatchObject({
      ...{ running: 1, last_end_timestamp_seconds: 0 },
      start_timestamp_seconds: Date.parse("2026-03-01T12:00:00.500Z") / 1000,
    });
    // At the first look at its sending, and then every minute.
    metrics.update(sending(10));
    await expect.poll(figures).toMatchObject({ running: 1, rows_ended: 10 });
    metrics.update(sending(20));
    expect(waits.map(({ delayMs }) => delayMs)).toEqual([60_000, 60_000]);
    waits[1]?.run();
    await expect.poll(figures).toMatchObject({ running: 1, rows_ended: 20 });
    await expect.poll(() => readdir(folder)).toEqual(["people.prom"]);

    await rm(folder, { recursive: true });
    waits[2]?.run();
    await metrics.end(3, "outage");
    expect(warnings).toEqual([
      `the metrics are not updated: ${path} cannot be written: there is no such file or folder.`,
    ]);
  });
});

it("a run that is stopped tells it, and its file is for all to read, whatever the umask", async () => {
  const service = await sandboxUnderTest({ latencyMs: 20 });
  const { start, read, folder } = await scenario("ordering-key");
  const program = await scenario("plain");
  await writeFile(
    `${program.folder}/narrow.mjs`,
    `process.umask(0o077); await import(${JSON.stringify(new URL("../../../dist/cli/bin.js", import.meta.url).href)});`,
  );
  const run = start(
    `
      import steps.csv --mapping steps.yaml --base-url ${service.url} --metrics-file people.prom
      --rate 20/s
    `,
    { program: `${program.folder}/narrow.mjs` },
  );
  while (service.counts().requests < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(figuresOf(await read("people.prom"))).toMatchObject({ running: 1 });
  run.child.kill("SIGTERM");
  expect((await run.ended).status).toBe(143);
  const figures = figuresOf(await read("people.prom"));
  expect(figures).toMatchObject({ running: 0, last_exit_status: 143, rows: 150 });
  expect(figures["events not_sent"]).toBeGreaterThan(0);
  expect((await stat(`${folder}/people.prom`)).mode & 0o777).toBe(0o644);
});
