import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

const statuses = (lines: Record<string, string>[]) => lines.map((line) => line.import_status);

/** Imports the 13 rows of which 3 are bad. */
async function imported(): Promise<{ people: Scenario; record: string; url: string }> {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record });
  const people = await scenario("fix-and-retry");
  const { status, stderr } = await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv"],
  ]);
  expect(status).toBe(1);
  expect(stderr).toContain('row 4 (line 5), column "Age": "unknown" is not a whole number');
  expect(stderr).toContain("eventload retry out/people.failed.csv");
  return { people, record, url: service.url };
}

describe("10 good and 3 bad rows", () => {
  it("gives 13 results lines, and a failed-rows file of 3", async () => {
    const { people } = await imported();
    const results = await people.records("out/people.results.csv");
    expect(results.map((line) => line.import_row)).toEqual(
      [...Array(13).keys()].map((at) => `${at + 1}`),
    );
    expect(statuses(results).filter((status) => status === "succeeded")).toHaveLength(10);
    const failed = await people.records("out/people.failed.csv");
    expect(failed.map((line) => line.import_row)).toEqual(["4", "8", "12"]);
    expect(statuses(failed)).toEqual(["invalid", "invalid", "invalid"]);
    const manifest = JSON.parse(await people.read("out/people.run.json"));
    expect(manifest).toMatchObject({
      exit_reason: "complete",
      counts: { succeeded: 10, invalid: 3, not_sent: 0 },
      reconciliation: { rows_read: 13, rows_settled: 13, lines: 13, adds_up: true },
    });
  });

  it("retry of the fixed rows sends exactly those 3", async () => {
    const { people, record } = await imported();
    const fixed = (await people.read("out/people.failed.csv"))
      .replace(",unknown,", ",33,")
      .replace("\n,Person 7", "\nfound@example.com,Person 7")
      .replace(",12.5,", ",12,");
    await writeFile(join(people.folder, "out/people.failed.csv"), fixed);
    const before = (await readRecord(record)).length;

    const { status, stdout } = await people.eventload(["retry", "out/people.failed.csv", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, events: 3, succeeded: 3, attempts: 3 });
    const received = (await readRecord(record)).slice(before);
    expect(received.map(({ body }) => (body as { name: string }).name).toSorted()).toEqual([
      "Person 11",
      "Person 3",
      "Person 7",
    ]);
    const retried = await people.records("out/people.retry-1.results.csv");
    expect(retried.map((line) => line.import_row)).toEqual(["4", "8", "12"]);
    const [first] = await people.records("out/people.results.csv");
    expect(new Set(retried.map((line) => line.import_input))).toEqual(
      new Set([first?.import_input]),
    );
  });

  it("check and retry say where in the file that they read a row is, and the report of which it tells", async () => {
    const { people } = await imported();
    const place = "row 8 (line 3 of people.failed.csv)";
    const check = ["check", "out/people.failed.csv", "--mapping", "people.yaml"];
    expect((await people.eventload(check)).stdout).toContain(`${place}, column "Email": is blank`);

    const page = "out/retry.html";
    const retry = await people.eventload(["retry", "out/people.failed.csv", "--report", page]);
    expect(retry.stderr).toContain(`${place}, column "Email": is blank`);
    expect(retry.stderr).toContain("    rows 4, 12 (lines 2, 4 of people.failed.csv)\n");
    expect(retry.stderr).toContain(`    ${place}\n`);
    expect(retry.stderr).not.toContain("(line 9)");
    // The results of a retry keep the line that the first import had.
    expect(await people.read(page)).toContain("Rows and lines are those of the original input");
  });

  it("retry of the whole results leaves out what succeeded, and can be retried in turn", async () => {
    const { people, record } = await imported();
    const sent = (await readRecord(record)).length;
    const first = await people.eventload(["retry", "out/people.results.csv", "--json"]);
    expect(first.status).toBe(1);
    expect(JSON.parse(first.stdout)).toMatchObject({
      rows: 13,
      skipped: 10,
      invalid: 3,
      attempts: 0,
    });

    const fixed = (await people.read("out/people.retry-1.failed.csv")).replace(",unknown,", ",33,");
    await writeFile(join(people.folder, "out/people.retry-1.failed.csv"), fixed);
    const second = await people.eventload(["retry", "out/people.retry-1.failed.csv", "--json"]);
    expect(second.status).toBe(1);
    expect(JSON.parse(second.stdout)).toMatchObject({ rows: 3, succeeded: 1, invalid: 2 });
    expect(await readRecord(record)).toHaveLength(sent + 1);

    const once = await people.eventload(["retry", "out/people.failed.csv"]);
    expect(once.stderr).not.toContain("warning:");
    expect(await people.records("out/people.retry-2.results.csv")).toHaveLength(3);
  });

  it("a fixed copy under another name finds its manifest; one elsewhere asks for it", async () => {
    const { people, url } = await imported();
    const failed = await people.read("out/people.failed.csv");
    await writeFile(join(people.folder, "out/people.failed (1).csv"), failed);
    expect((await people.eventload(["retry", "out/people.failed (1).csv"])).status).toBe(1);

    await writeFile(join(people.folder, "fixed.csv"), failed);
    const lost = await people.eventload(["retry", "fixed.csv"]);
    expect(lost.status).toBe(2);
    expect(lost.stderr).toContain("give --mapping and --base-url");
    const told = ["retry", "fixed.csv", "--mapping", "people.yaml", "--base-url", url];
    expect((await people.eventload(told)).status).toBe(1);
    expect(await people.records("fixed.retry-1.results.csv")).toHaveLength(3);
  });
});

it("an event that nobody changed keeps its id and is sent once more only while it has not succeeded", async () => {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record, failRate: 0.6, seed: 5 });
  const { eventload, records } = await scenario("fix-and-retry");
  const common = ["--max-attempts", "1", "--idempotency-header", "Idempotency-Key"];
  const base = ["--mapping", "people.yaml", "--base-url", service.url, ...common];
  expect((await eventload(["import", "people.csv", ...base])).status).toBe(1);
  const before = await records("people.results.csv");
  const failedIds = before
    .filter((line) => line.import_status === "failed")
    .map((line) => line.import_event_id);
  expect(failedIds.length).toBeGreaterThan(2);

  expect((await eventload(["retry", "people.failed.csv", "--max-attempts", "50"])).status).toBe(1);
  const after = await records("people.retry-1.results.csv");
  const succeeded = after.filter((line) => line.import_status === "succeeded");
  expect(succeeded.map((line) => line.import_event_id)).toEqual(failedIds);
  const keys = (await readRecord(record)).map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toHaveLength(10);
});
