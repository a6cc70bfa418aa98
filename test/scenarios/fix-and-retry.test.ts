import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

/** Imports the 13 rows of which 3 are bad. */
async function imported(): Promise<{ people: Scenario; record: string; url: string }> {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record });
  const people = await scenario("fix-and-retry");
  const { status, stderr } = await people.eventload(`
    import people.csv --mapping people.yaml --base-url ${service.url}
    --results out/people.results.csv
  `);
  expect(status).toBe(1);
  expect(stderr).toContain('row 4 (line 5), column "Age": "unknown" is not a whole number');
  expect(stderr).toContain("eventload retry out/people.failed.csv");
  return { people, record, url: service.url };
}

describe("10 good and 3 bad rows", () => {
  it("a retry says where in the file that it reads a row is, and the summary where in the input", async () => {
    const { people } = await imported();
    const place = "row 8 (line 3 of people.failed.csv)";
    const check = await people.eventload("check out/people.failed.csv -m people.yaml");
    expect(check.stderr).toContain("people.failed.csv sends only what is open, after a check");
    const page = "out/retry.html";
    const retry = await people.eventload(`retry out/people.failed.csv --report ${page}`);
    expect(retry.stderr).toContain(`${place}, column "Email": is blank`);
    // The summary is that of the import.
    expect(retry.stderr).toContain("    rows 4 (line 5), 12 (line 13)\n");
    expect(retry.stderr).toContain("    row 8 (line 9)\n");
    expect(await people.read(page)).toContain("13 rows: 10 delivered, 3 open");
  });

  it("a retry says which cells were changed, by column and with examples", async () => {
    const { people } = await imported();
    const long = "x".repeat(500);
    const fixed = (await people.read("out/people.failed.csv"))
      .replace(",unknown,", ",33,")
      .replace("\n,Person 7", `\nfound@example.com,${long}`)
      .replace(",12.5,", ",12,");
    await writeFile(join(people.folder, "out/people.failed.csv"), fixed);
    const log = ["--log-file", "log.jsonl"];
    const { status, stderr } = await people.eventload(["retry", "out/people.failed.csv", ...log]);
    expect(status).toBe(0);
    expect(stderr).toContain(
      `Changed cells: column "Age" in 2 rows (row 4: "unknown" is now "33"), column "Email" in 1 row (row 8: "" is now "found@example.com"), column "Name" in 1 row (row 8: "Person 7" is now "${"x".repeat(40)}…").\n`,
    );
    expect(stderr.indexOf("Changed since then")).toBeLessThan(stderr.indexOf("Retry complete"));
    // A log holds no cells.
    expect(await people.read("log.jsonl")).not.toContain("found@example.com");
  });

  it("retry of the whole results sends what is open, with its own cells", async () => {
    const { people, record } = await imported();
    const sent = (await readRecord(record)).length;
    const first = await people.eventload("retry out/people.results.csv --json");
    expect(first.stderr).not.toContain("Changed since then");
    expect(first.status).toBe(1);
    expect(JSON.parse(first.stdout)).toMatchObject({
      ...{ rows: 13, succeeded: 10, invalid: 3 },
      part: { number: 2, rows: 3, invalid: 3 },
    });
    expect(await readRecord(record)).toHaveLength(sent);
  });

  it("a fixed copy under another name finds its account", async () => {
    const { people } = await imported();
    const failed = await people.read("out/people.failed.csv");
    await writeFile(join(people.folder, "out/people.failed (1).csv"), failed);
    expect((await people.eventload(["retry", "out/people.failed (1).csv"])).status).toBe(1);
  });

  it("of which the account is lost are imported, and keep their numbers", async () => {
    const { people, record, url } = await imported();
    const fixed = (await people.read("out/people.failed.csv")).replace(",unknown,", ",33,");
    await writeFile(join(people.folder, "left.csv"), fixed);
    const to = ["--mapping", "people.yaml", "--base-url", url, "--results", "left.results.csv"];
    const before = (await readRecord(record)).length;
    const { status, stdout } = await people.eventload(["import", "left.csv", ...to, "--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, succeeded: 1, invalid: 2 });
    expect(await readRecord(record)).toHaveLength(before + 1);
    const lines = await people.records("left.results.csv");
    expect(lines.map((line) => line.import_row)).toEqual(["4", "8", "12"]);
    expect((await people.eventload("retry left.failed.csv")).status).toBe(1);

    const beside = ["import", "out/people.failed.csv", ...to.slice(0, 4)];
    const refused = await people.eventload([...beside, "--results", "b.results.csv"]);
    expect(refused.stderr).toContain("eventload retry out/people.failed.csv sends only what is");
    expect(refused.status).toBe(2);
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

  expect((await eventload("retry people.failed.csv --max-attempts 50")).status).toBe(1);
  const after = await records("people.results.csv");
  const succeeded = after.filter(
    (line) => line.import_part === "2" && line.import_status === "succeeded",
  );
  expect(succeeded.map((line) => line.import_event_id)).toEqual(failedIds);
  const keys = (await readRecord(record)).map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toHaveLength(10);
});
