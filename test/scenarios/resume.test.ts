import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { expectNoSilentRepeat, idsIn, scenario } from "./scenario.ts";

const results = "out/steps.results.csv";

/** Starts an import of 150 rows, and kills it in the midst of sending. */
async function killed(...more: string[]) {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record, latencyMs: 20 });
  const place = await scenario("ordering-key");
  const command = [
    ...["import", "steps.csv", "--mapping", "steps.yaml", "--base-url", service.url],
    ...["--results", results, "--concurrency", "4", "--idempotency-header", "Idempotency-Key"],
  ];
  const run = place.start([...command, ...more]);
  while (service.counts().requests < 40) await new Promise((resolve) => setTimeout(resolve, 2));
  run.child.kill("SIGKILL");
  await run.ended;
  return { place, service, record };
}

it("after kill -9, resume goes on where the run was, and says what was perhaps sent", async () => {
  const { place, record } = await killed();
  const { status, stdout, stderr } = await place.eventload(`resume ${results} --json`);
  const [, ended] =
    /Resumed after (\d+) rows; \d events? may have been in flight when it was interrupted/.exec(
      stderr,
    ) ?? [];
  expect(Number(ended)).toBeGreaterThan(0);
  // Of the process that was killed all is known, and what was in flight counts as without an answer.
  const [, attempts] = /^(\d+) attempts in [\d.]+ s of sending \(/m.exec(stderr) ?? [];
  expect(Number(attempts)).toBeGreaterThanOrEqual((await idsIn(record)).length);
  expect(stderr).toContain("Complete: 150 rows, 150 events; this part of the run took");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    rows: 150,
    events: 150,
    succeeded: 150,
    not_sent: 0,
  });
  const lines = await place.records(results);
  expect(lines.map((line) => line.import_row)).toEqual(
    Array.from({ length: 150 }, (_, at) => `${at + 1}`),
  );
  expect(new Set(lines.map((line) => line.import_status))).toEqual(new Set(["succeeded"]));
  expectNoSilentRepeat(lines, await idsIn(record));
  const manifest = JSON.parse(await place.read("out/steps.run.json"));
  expect(manifest).toMatchObject({
    exit_reason: "complete",
    rows: 150,
    counts: { succeeded: 150, not_sent: 0 },
    reconciliation: { rows_written: 150, adds_up: true },
  });
  await expect(place.read(`${results}.journal.1`)).rejects.toThrow("ENOENT");
});

it.each([
  ["steps.csv", "the input"],
  ["steps.yaml", "the mapping"],
])(
  "a run goes on only with what it was started with not when %s has changed",
  async (file, what) => {
    const { place, service } = await killed();
    const before = service.counts().requests;
    await appendFile(join(place.folder, file), "\n");
    const { status, stderr } = await place.eventload(`resume ${results}`);
    expect(status).toBe(2);
    expect(stderr).toContain(`${what} ${join(place.folder, file)} has changed`);
    expect(service.counts().requests).toBe(before);
  },
);
