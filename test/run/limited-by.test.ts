import { expect, test } from "vitest";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { createFakeClock } from "../fake-clock.ts";
import { openWorkspace } from "./import-under-test.ts";

test("a run that --rate holds back says so, and one that nothing does says nothing", async () => {
  const names = Array.from({ length: 60 }, (_, at) => [`n ${at}`]);
  const mapping = "version: 1\nresource: users\nevent: e\nmembers:\n  name: name\n";
  const workspace = await openWorkspace([["name"], ...names], mapping);
  const service = await startService(() => accepted);
  const slow = await workspace.import(service.url, { ratePerSecond: 20 });
  expect(slow.limitedBy).toMatchObject({ limit: "rate", perSecond: 20 });
  const results = workspace.path("again.results.csv");
  expect((await workspace.import(service.url, { results, limit: 5 })).limitedBy).toBeUndefined();
});

test("a resume starts at what the service was found to take", async () => {
  const rows = Array.from({ length: 900 }, (_, at) => [`n ${at}`]);
  const mapping = "version: 1\nresource: users\nevent: e\nmembers:\n  name: name\n";
  const workspace = await openWorkspace([["name"], ...rows], mapping);
  const clock = createFakeClock({ waitsForDisk: true });
  const interrupt = new AbortController();
  let taken = 0;
  let [refused, tokens, sinceMs, isCounting] = [0, 5, clock.now(), false];
  const service = await startService(() => {
    tokens = Math.min(5, tokens + (clock.now() - sinceMs) / 20);
    sinceMs = clock.now();
    if (tokens >= 1) {
      tokens--;
      if (++taken === 600) interrupt.abort();
      return accepted;
    }
    if (isCounting) refused++;
    return { status: 429 };
  });
  await workspace.import(service.url, { clock, signal: interrupt.signal });
  isCounting = true;
  const resumed = await workspace.import(service.url, { clock, resume: "must" });
  expect(resumed.counts.succeeded).toBe(900);
  // One that does not know would begin with a wall of refusals.
  expect(refused).toBeLessThan(7);
});
