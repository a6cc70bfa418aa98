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
