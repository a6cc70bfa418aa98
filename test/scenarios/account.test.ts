import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

/** A service that answers by the name in the body, 202 unless said otherwise. */
async function serviceByName() {
  let answers: Readonly<Record<string, Reply>> = {};
  const nameOf = (body: string): string => JSON.parse(body).name;
  const service = await startService(({ body }) => answers[nameOf(body)] ?? { status: 202 });
  let seen = 0;
  return {
    url: service.url,
    received: service.received,
    receipts: service.receipts,
    answer(by: typeof answers) {
      answers = by;
    },
    /** The names that have been received since the last call. */
    names() {
      const fresh = service.receipts.slice(seen);
      seen = service.receipts.length;
      return fresh.map(({ body }) => nameOf(body)).toSorted();
    },
  };
}

const refused: Reply = { status: 422 };
const [results, failed] = ["out/people.results.csv", "out/people.failed.csv"];

/** Imports 13 rows: two are refused, and three invalid. */
async function imported(...more: string[]) {
  const service = await serviceByName();
  const people = await scenario("fix-and-retry");
  service.answer({ "Person 1": refused, "Person 5": refused });
  const command = [
    ...["import", "people.csv", "--base-url", service.url, "--results", results],
    ...more,
  ];
  const { status } = await people.eventload(command);
  expect(status).toBe(1);
  expect(service.names()).toHaveLength(10);
  return { people, service, command };
}

async function change(people: Scenario, file: string, ...changes: [from: string, to: string][]) {
  const path = join(people.folder, file);
  let text = await readFile(path, "utf8");
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  await writeFile(path, text);
}

async function statusOf(people: Scenario, path = "out") {
  const { status, stdout } = await people.eventload(`status ${path} --json`);
  expect(status).toBe(0);
  return JSON.parse(stdout).accounts;
}

const filesIn = async ({ folder }: Scenario) => (await readdir(join(folder, "out"))).toSorted();

const fixes: [string, string][] = [
  [",unknown,", ",33,"],
  [",12.5,", ",12,"],
];

describe("one import, one account", () => {
  it("is the same in its files, status, resume and report, whatever its parts did", async () => {
    const { people, service } = await imported();
    expect(await statusOf(people)).toMatchObject([
      {
        ...{ state: "complete", reason: null, part: 1, rows_settled: 13, rows_total: 13 },
        ...{ succeeded: 8, open: 5, next: `eventload retry ${failed}` },
      },
    ]);

    await change(people, failed, ...fixes);
    service.answer({ "Person 5": refused });
    const retried = await people.eventload(`retry ${failed} --json`);
    expect(retried.status).toBe(1);
    expect(JSON.parse(retried.stdout)).toMatchObject({
      ...{
        rows: 13,
        succeeded: 11,
        rejected: 1,
        invalid: 1,
        attempts: 14,
        exit_reason: "complete",
      },
      part: { number: 2, rows: 5, succeeded: 3, rejected: 1, invalid: 1 },
      next: { retry: `eventload retry ${failed}`, resume: null },
    });
    expect(service.names()).toEqual(["Person 1", "Person 11", "Person 3", "Person 5"]);
    const lines = await people.records(results);
    expect(lines.map((line) => line.import_row)).toEqual(
      Array.from({ length: 13 }, (_, at) => `${at + 1}`),
    );
    expect(lines.map((line) => line.import_part).join("")).toBe("1212121211121");
    expect(lines[3]).toMatchObject({ Age: "33", import_status: "succeeded", import_attempts: "1" });
    expect(lines[1]).toMatchObject({ import_status: "succeeded", import_attempts: "2" });
    const left = lines.filter((line) => line.import_status !== "succeeded");
    expect(await people.records(failed)).toEqual(left);
    expect(await statusOf(people, results)).toMatchObject([{ part: 2, succeeded: 11, open: 2 }]);

    await change(people, failed, [",rejected,", ",skipped,"], [",invalid,", ",skipped,"]);
    const last = await people.eventload(`retry ${failed}`);
    expect(last.stderr).toContain("2 lines not sent: set to skipped in the file.");
    expect(last.status).toBe(0);
    expect(service.names()).toEqual([]);
    expect(await statusOf(people)).toMatchObject([{ part: 3, open: 0, next: null }]);
    expect(await filesIn(people)).toEqual(["people.results.csv", "people.run.json"]);

    // From now on, no command changes anything.
    const read = () => Promise.all([people.read(results), people.read("out/people.run.json")]);
    const before = await read();
    for (const command of [
      ["retry", results],
      ["resume", results],
    ]) {
      const again = await people.eventload(command);
      expect(again.stderr).toContain("Complete already, so nothing was sent: 13 rows");
      expect(again.status).toBe(0);
    }
    const gone = await people.eventload(`retry ${failed}`);
    expect(gone).toMatchObject({ status: 2, stderr: expect.stringContaining(failed) });
    expect(await read()).toEqual(before);
    expect(service.names()).toEqual([]);

    const report = await people.eventload(`report ${results}`);
    expect(report.status).toBe(0);
    const page = await people.read("out/people.report.html");
    expect(page).toContain(", in 3 parts");
    const { parts } = JSON.parse(before[1] ?? "");
    expect(parts.map(({ command }: { command: string }) => command)).toEqual([
      ...["import", "retry", "retry"],
    ]);
  });

  it("is named by --results where the file is elsewhere", async () => {
    const { people, service } = await imported();
    service.answer({});
    await change(people, failed, ...fixes);
    await rename(join(people.folder, failed), join(people.folder, "fixed.csv"));
    const lost = await people.eventload("retry fixed.csv");
    expect(lost.status).toBe(2);
    expect(lost.stderr).toContain("--results");
    const told = await people.eventload(`retry fixed.csv --results ${results} --json`);
    expect(JSON.parse(told.stdout)).toMatchObject({ succeeded: 12, invalid: 1 });
    expect(service.names()).toEqual(["Person 1", "Person 11", "Person 3", "Person 5"]);

    const twice = await people.eventload(`retry fixed.csv --results ${results}`);
    expect(twice.stderr).toContain("4 lines not sent: done already.");
    expect(service.names()).toEqual([]);
  });
});

it("a retry that is killed is unfinished to every command, is resumed from what it selected, and is one part", async () => {
  const { people, service, command } = await imported();
  await change(people, failed, ...fixes);
  service.answer({ "Person 3": "silence" });
  const { child, ended } = people.start(`retry ${failed} --concurrency 1`);
  await service.received(12);
  child.kill("SIGKILL");
  await ended;
  // What the account was before is all there.
  expect(await people.records(results)).toHaveLength(13);
  await writeFile(join(people.folder, failed), "no longer what it was");
  service.names();
  const resume = `eventload resume ${results}`;
  const [account] = await statusOf(people);
  expect(account).toMatchObject({ rows_total: 5, part: 2, next: resume });
  const early = await people.eventload(`report ${results}`);
  expect(early.status).toBe(0);
  for (const refusal of [["retry", results], command]) {
    const { status, stderr } = await people.eventload(refusal);
    expect(stderr).toContain(resume);
    expect(status).toBe(2);
  }
  service.answer({});
  const stopped = await people.eventload(resume.replace("eventload ", ""));
  expect(stopped.stderr.replaceAll(/\s+/g, " ")).toContain(
    `${failed} was changed during the run: move it away, then resume.`,
  );
  expect(stopped.status).toBe(3);
  await rename(join(people.folder, failed), join(people.folder, "edited.csv"));
  expect(service.names()).toContain("Person 3");
  const resumed = await people.eventload(`resume ${results} --json`);
  expect(JSON.parse(resumed.stdout)).toMatchObject({
    ...{ rows: 13, succeeded: 12, invalid: 1 },
    part: { number: 2, rows: 5 },
  });
  expect(service.names()).toEqual([]);
  const lines = await people.records(results);
  expect(lines[3]).toMatchObject({ import_part: "2", import_unanswered: "1", Age: "33" });
  expect(await statusOf(people)).toMatchObject([{ state: "complete", part: 2, open: 1 }]);
  expect(await filesIn(people)).toEqual([
    ...["people.failed.csv", "people.report.html", "people.results.csv", "people.run.json"],
  ]);
});

it.each(["stops", "is killed"])("of a retry that %s, all that is said is the same", async (how) => {
  const accepted: Reply = { status: 202 };
  const replies = [...Array<Reply>(20).fill(accepted).fill(refused, 0, 8)];
  let goOn = () => {};
  const held = new Promise<Reply>((resolve) => {
    goOn = () => resolve(accepted);
  });
  const service = await startService(({ n }) => {
    if (how === "is killed" && n === 26) return held;
    return replies[n] ?? (n < 24 || n > 27 ? accepted : refused);
  });
  const people = await scenario("plain");
  const lines = Array.from({ length: 20 }, (_, at) => `p${at}@example.com,P${at},${at}`);
  await writeFile(
    join(people.folder, "people.csv"),
    `Email,First Name,Code\n${lines.join("\n")}\n`,
  );
  const to = ["--base-url", service.url, "--results", results, "--concurrency", "1"];
  const metrics = ["--metrics-file", "people.prom"];
  await people.eventload(["import", "people.csv", ...to, ...metrics]);
  const retry = ["retry", failed, "--json", "--max-errors", "2", ...metrics];
  const metric = async (name: string) => {
    const text = await people.read("people.prom");
    return Number(new RegExp(`^eventload_${name}\\{.*\\} (.*)$`, "m").exec(text)?.[1]);
  };
  const figures = async () => {
    const { stdout } = await people.eventload(["report", results, "--json"]);
    return JSON.parse(stdout);
  };

  const running = people.start(retry);
  if (how === "is killed") {
    await service.received(27);
    running.child.kill("SIGKILL");
  }
  const { stdout, stderr } = await running.ended;
  // Of eight rows, four have succeeded.
  const reported = await figures();
  expect(reported).toMatchObject({
    ...{ open: 4, delivered: 16, problems: [{ status: "rejected", count: 4 }] },
    headline: expect.stringContaining("A retry stopped: 16 of 20 rows delivered, 4 still open"),
  });
  // What was staged or in flight when it was killed has no answer.
  expect(reported.retries).toBe(reported.attempts - 20);
  expect(reported.attempts).toBeGreaterThanOrEqual(27);
  expect(reported.unanswered > 0).toBe(how === "is killed");
  if (how === "stops") {
    expect(reported.attempts).toBe(27);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 8, attempts: 27, retries: 7, not_sent: 1 });
    expect(stderr).toContain("27 attempts");
    expect([await metric("attempts_total"), await metric("retries_total")]).toEqual([27, 7]);
  }
  goOn();
  const resumed = await people.eventload(`resume ${results} --json --max-errors 100%`);
  const { attempts, retries, unanswered } = JSON.parse(resumed.stdout);
  expect(await figures()).toMatchObject({ attempts, retries, unanswered });
  const own = (await people.records(results)).map((line) => Number(line.import_attempts));
  expect(own.reduce((one, other) => one + other)).toBe(attempts);
});

const shards = [1, 2, 3].map((index) => `out/people.${index}-of-3`);

it("an account that was merged from shards has the retries of its shards, and is what is retried from then on", async () => {
  const service = await serviceByName();
  const people = await scenario("fix-and-retry");
  service.answer({ "Person 1": refused, "Person 5": refused });
  const command = ["import", "people.csv", "--base-url", service.url];
  let retries = 0;
  for (const index of [1, 2, 3]) {
    const shard = ["--shard", `${index}/3`, "--results", "out/{input}.{shard}.results.csv"];
    await people.eventload([...command, ...shard]);
    const own = `out/people.${index}-of-3.failed.csv`;
    if (retries > 0 || !(await people.read(own)).includes(",rejected,")) continue;
    service.answer({ "Person 5": refused });
    const retried = await people.eventload(`retry ${own} --json`);
    expect(JSON.parse(retried.stdout).part).toMatchObject({ number: 2 });
    retries++;
  }
  expect(retries).toBe(1);
  const open = await statusOf(people);
  expect(open.map(({ next }: { next: unknown }) => next)).toEqual([null, null, null]);
  const withFailures = shards.filter((_, at) => open[at].open > 0);

  const merge = ["merge", "out/people.*-of-3.results.csv", "--results", results];
  const merged = await people.eventload([...merge, "--json"]);
  expect(merged.status).toBe(1);
  const summary = JSON.parse(merged.stdout);
  const lines = await people.records(results);
  expect(lines).toHaveLength(13);
  expect(summary.succeeded).toBe(lines.filter((line) => line.import_status === "succeeded").length);
  expect(lines.some((line) => line.import_part === "2")).toBe(true);
  expect((await people.eventload(merge)).stderr).toContain("Merged already");

  service.names();
  for (const shard of withFailures) {
    const { status, stderr } = await people.eventload(`retry ${shard}.results.csv`);
    expect(stderr).toContain(`${shard}.results.csv was merged into`);
    expect(stderr).toContain(`Run eventload retry ${join(people.folder, results)}\n`);
    expect(status).toBe(2);
  }
  expect(service.names()).toEqual([]);

  await change(people, failed, ...fixes);
  const last = await people.eventload(`retry ${failed} --json`);
  expect(JSON.parse(last.stdout)).toMatchObject({
    ...{ rows: 13, succeeded: 11, rejected: 1, invalid: 1 },
    part: { number: 3 },
  });
  const { parts } = JSON.parse(await people.read("out/people.run.json"));
  expect(parts).toHaveLength(5);
  const after = await people.read(results);
  // What the retry did is not undone by another merge.
  const again = await people.eventload(merge);
  expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("Merged already") });
  expect(await people.read(results)).toBe(after);
  expect(await statusOf(people, results)).toMatchObject([{ open: 2, part: 3 }]);
});
