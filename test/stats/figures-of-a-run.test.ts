import { expect, test } from "vitest";
import { sum } from "../../src/model/quantities.ts";
import type { Reply } from "../delivery/service-under-test.ts";
import { runToReport } from "../report/reported-run.ts";

const prepared = (replyTo: (request: number, body: string) => Reply) => runToReport(replyTo, 12);

/** A run that was stopped at its fifth request. */
async function stoppedRun() {
  const drain = new AbortController();
  const run = await prepared((request) => {
    if (request === 5) drain.abort();
    return { status: 200 };
  });
  await run.workspace.import(run.url, { concurrency: 1, signal: drain.signal });
  return { ...run, stopped: await run.manifest() };
}

test("they add up to what the run was", async () => {
  const { workspace, url, manifest } = await prepared((request) => {
    if (request === 4) return { status: 429, headers: { "retry-after": "2" } };
    if (request === 7) return { status: 500 };
    return { status: request === 9 ? 422 : 200 };
  });
  await workspace.import(url, { concurrency: 2 });
  const { figures, counts, attempts } = await manifest();
  const { series, latency, pauses } = figures;
  expect(counts).toMatchObject({ succeeded: 9, rejected: 1, invalid: 1, skipped: 1 });
  expect(sum(series.succeeded)).toBe(9);
  expect(sum(series.not_succeeded)).toBe(2);
  expect(sum(series.unsent)).toBe(1);
  expect(sum(series.skipped)).toBe(1);
  expect(attempts).toBe(12);
  expect(sum(series.attempts)).toBe(12);
  expect(sum(series.retries)).toBe(2);
  expect(latency.answers).toBe(12);
  expect(pauses.count).toBe(1);
  expect(pauses.longest[0]).toMatchObject({ reason: "asked" });
  expect(sum(series.paused_asked_ms)).toBe(pauses.longest[0]?.duration_ms);
  expect(sum(series.paused_asked_ms)).toBeGreaterThanOrEqual(2000);
});

test("those of a run that was resumed are of all its parts", async () => {
  const { workspace, url, manifest, stopped } = await stoppedRun();
  expect(sum(stopped.figures.series.attempts)).toBe(5);
  await workspace.import(url, { concurrency: 1, resume: "must" });
  const { figures, counts, attempts } = await manifest();
  expect(figures.parts).toHaveLength(2);
  expect(figures.parts[1]?.at_ms).toBe(stopped.figures.series.duration_ms);
  expect(sum(figures.series.attempts)).toBe(attempts);
  expect(sum(figures.series.succeeded)).toBe(counts.succeeded);
  expect(sum(figures.series.skipped)).toBe(counts.skipped);
  expect(sum(figures.series.not_succeeded)).toBe(counts.invalid);
  expect(figures.latency.answers).toBe(attempts);
});

test("what has settled behind a row that waits is counted once", async () => {
  const drain = new AbortController();
  const gentle = { concurrency: 1, maxAttempts: 50 };
  const { workspace, url, manifest } = await prepared((_, body) => {
    if (body.includes("Ann 8")) drain.abort();
    return { status: body.includes('Ann 1"') && !drain.signal.aborted ? 500 : 200 };
  });
  await workspace.import(url, { ...gentle, signal: drain.signal });
  const stopped = (await manifest()).figures.series;
  // Its second row waits for another attempt, when those after it have settled.
  expect(sum(stopped.not_succeeded) + sum(stopped.skipped)).toBe(2);
  await workspace.import(url, { ...gentle, resume: "must" });
  const { figures, counts } = await manifest();
  expect(sum(figures.series.succeeded)).toBe(counts.succeeded);
  expect(sum(figures.series.skipped)).toBe(counts.skipped);
  expect(sum(figures.series.not_succeeded)).toBe(counts.invalid);
});

test("bent ones do not keep anybody from a retry", async () => {
  const { workspace, url, manifest } = await prepared((request) => ({
    status: request > 3 ? 200 : 422,
  }));
  await workspace.import(url);
  const before = await manifest();
  const figuresBent = { ...before.figures, series: { bucket_ms: -1 } };
  await workspace.write("people.run.json", JSON.stringify({ ...before, figures: figuresBent }));
  await workspace.retry(url, "people.failed.csv", { mapping: workspace.path("people.yaml") });
  const { figures, exit_reason } = await manifest();
  expect(exit_reason).toBe("complete");
  expect(figures.parts).toHaveLength(1);
  expect(sum(figures.series.attempts)).toBe(sum(figures.series.succeeded));
});
