import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { linesSoFar } from "../lines-so-far.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

it.each([
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s drains what is in flight and ends with %i, and the run can go on",
  async (signal, exitStatus) => {
    const record = await temporaryPath("received.jsonl");
    const service = await sandboxUnderTest({ recordFile: record, latencyMs: 40 });
    const { folder, start, program, records } = await scenario("ordering-key");
    const run = start(
      `import steps.csv --mapping steps.yaml --base-url ${service.url} --concurrency 4 --json`,
    );
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
    // What stands in the part are the first rows of the input, and all of them succeeded.
    const drained = await linesSoFar(join(folder, "steps.results.csv"));
    expect(drained.map((line) => [line.import_row, line.import_status])).toEqual(
      drained.map((_, at) => [`${at + 1}`, "succeeded"]),
    );
    expect(drained.length).toBeLessThanOrEqual(received.length);

    const resumed = await program("resume steps.results.csv --json");
    expect(resumed.status).toBe(0);
    expect(resumed.stderr).toMatch(/^Complete: 150 rows, 150 events; this part of the run took /m);
    expect(resumed.stderr).toMatch(/^150 attempts in [\d.]+ s of sending \(/m);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 150, succeeded: 150, unanswered: 0 });
    expect(await readRecord(record)).toHaveLength(150); // each once
    const results = await records("steps.results.csv");
    expect(results.map((line) => line.import_row)).toEqual(results.map((_, at) => `${at + 1}`));
    expect(new Set(results.map((line) => line.import_attempts))).toEqual(new Set(["1"]));
  },
);

it("what was sent and never answered is not forgotten, though no event has an outcome", async () => {
  let isWell = false;
  const service = await startService(() => (isWell ? { status: 202 } : "cut"));
  const { start, program, records } = await scenario("plain");
  const command = ["import", "people.csv", "--base-url", service.url, "--concurrency", "1"];
  const run = start([...command, "--json"]);
  await service.received(1);
  run.child.kill("SIGINT");
  const { status, stdout } = await run.ended;
  expect(status).toBe(130);
  const { attempts, unanswered, next } = JSON.parse(stdout);
  expect([attempts, unanswered]).toEqual([service.receipts.length, service.receipts.length]);
  expect(next.resume).toBe("eventload resume people.results.csv");
  isWell = true;
  expect((await program("resume people.results.csv")).status).toBe(0);
  const [first] = await records("people.results.csv");
  expect(first).toMatchObject({
    ...{ import_status: "succeeded", import_unanswered: `${unanswered}` },
  });
});

it("a service that never answers holds up an interrupt no longer than the grace", async () => {
  let isWell = false;
  const service = await startService(() => (isWell ? { status: 202 } : new Promise(() => {})));
  const { start, program, records } = await scenario("plain");
  const run = start(
    `import people.csv --base-url ${service.url} --timeout 24h --grace 100ms --json`,
  );
  await service.received(1);
  run.child.kill("SIGTERM");
  const { status, stdout } = await run.ended;
  expect(status).toBe(143);
  expect(JSON.parse(stdout)).toMatchObject({ exit_reason: "interrupted", unanswered: 1 });
  isWell = true;
  expect((await program("resume people.results.csv")).status).toBe(0);
  const [first] = await records("people.results.csv");
  expect(first).toMatchObject({
    ...{ import_status: "succeeded", import_attempts: "2", import_unanswered: "1" },
  });
});

it("a second interrupt stops at once, and what was in flight is named and sent again", async () => {
  const service = await sandboxUnderTest({ latencyMs: 60_000 });
  const { folder, start, program, records } = await scenario("plain");
  const run = start(`import people.csv --base-url ${service.url}`);
  while (service.counts().requests < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  run.child.kill("SIGINT");
  const next = "eventload status people.results.csv";
  await run.stderrHas(`Interrupt again to stop at once. To see how to continue, run ${next}`);
  run.child.kill("SIGINT");
  await run.ended;
  expect(run.child.signalCode).toBe("SIGINT");
  expect(await linesSoFar(join(folder, "people.results.csv"))).toEqual([]);
  expect((await program(next.slice(10))).stdout).toContain("eventload resume people.results.csv");

  await service.stop();
  const again = await sandboxUnderTest({ port: Number(new URL(service.url).port) });
  const resumed = await program("resume people.results.csv");
  expect(resumed.status).toBe(0);
  expect(resumed.stderr).toContain("1 event may have been in flight when it was interrupted.");
  const [first, ...others] = await records("people.results.csv");
  expect(first).toMatchObject({
    ...{ import_status: "succeeded", import_attempts: "2", import_unanswered: "1" },
  });
  expect(others.length).toBeGreaterThan(0);
  for (const line of others) {
    expect(line).toMatchObject({ import_status: "succeeded", import_unanswered: "0" });
  }
  expect(again.counts().requests).toBe(others.length + 1);
});
