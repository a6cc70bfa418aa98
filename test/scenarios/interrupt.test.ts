import { expect, it } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s drains what is on the wire and ends with %i", async (signal, exitStatus) => {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record, latencyMs: 40 });
  const { start, records } = await scenario("order-by");
  const run = start([
    ...["import", "steps.csv", "--mapping", "steps.yaml", "--base-url", service.url],
    ...["--concurrency", "4", "--json"],
  ]);
  while (service.counts().requests < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  run.child.kill(signal);
  const { status, stdout, stderr } = await run.ended;

  expect(status).toBe(exitStatus);
  expect(stderr).toContain("Interrupted");
  const summary = JSON.parse(stdout);
  expect(summary).toMatchObject({ rows: 150, exit_reason: "interrupted", unanswered: 0 });
  const received = await readRecord(record);
  expect(summary.succeeded).toBe(received.length);
  expect(summary.succeeded + summary.not_sent).toBe(150);
  const results = await records("steps.results.csv");
  const succeeded = results.filter((line) => line.import_status === "succeeded");
  expect(succeeded).toHaveLength(received.length);
});

it("a second interrupt leaves at once, and what was on the wire is unknown", async () => {
  const service = await sandboxUnderTest({ latencyMs: 60_000 });
  const { start, records } = await scenario("plain");
  const run = start([
    "import",
    "people.csv",
    "--mapping",
    "people.yaml",
    "--base-url",
    service.url,
  ]);
  while (service.counts().requests < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  run.child.kill("SIGINT");
  await run.stderrHas("Once more to leave at once");
  run.child.kill("SIGINT");
  const { status } = await run.ended;
  expect(status).toBe(130);
  const [first, ...others] = await records("people.results.csv");
  expect(first).toMatchObject({ import_status: "unknown", import_unanswered: "1" });
  expect(others).toEqual([]);
});
