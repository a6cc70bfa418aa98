import { expect, test } from "vitest";
import {
  accepted,
  type Reply,
  type Service,
  startService,
} from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "../run/import-under-test.ts";
import { mapping, numberedRows, receiptsOfRows, rowOf } from "./import-rows.ts";

/** On the fake clock, where it is 12:00:00 on Sunday, the first of March 2026, at the beginning. */

const count = 6;

interface Throttled {
  readonly workspace: Workspace;
  readonly service: Service;
  /** When each request came, on the fake clock. */
  readonly at: readonly number[];
}

/** A service that answers the third request, and no other, with a wish to be left alone. */
async function throttledOnce(status: number, retryAfter?: string | string[]): Promise<Throttled> {
  const workspace = await openWorkspace(numberedRows(count), mapping);
  const at: number[] = [];
  const service = await startService(({ n }): Reply => {
    at.push(workspace.clock.now());
    if (n !== 2) return accepted;
    // The service has the same time of day.
    const date = workspace.clock.date().toUTCString();
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter, date };
    return { status, headers, body: '{"message":"too fast"}' };
  });
  return { workspace, service, at };
}

/** A wait of its own is this long at most; nothing else may be added to what was asked for. */
const longestBackoffMs = 20_000;

async function waitAfter(status: number, retryAfter?: string | string[]): Promise<number> {
  const { workspace, service, at } = await throttledOnce(status, retryAfter);
  const summary = await workspace.import(service.url, { concurrency: 1 });
  expect(summary).toMatchObject({ exitReason: "complete", attempts: count + 1, unanswered: 0 });
  expect(summary.counts).toMatchObject({ succeeded: count });
  const receipts = receiptsOfRows(service.receipts, count);
  expect(receipts.toSorted()).toEqual([1, 1, 1, 1, 1, 2]);
  const [line] = (await workspace.lines("people.results.csv")).filter(
    ({ import_attempts }) => import_attempts === "2",
  );
  expect(line).toMatchObject({ import_status: "succeeded", import_http_status: "202" });
  // Not one event, but the whole service was left alone.
  return (at[3] ?? Number.NaN) - (at[2] ?? Number.NaN);
}

test.each<[string, string | string[], number]>([
  ["seconds", "120", 120_000],
  ["IMF-fixdate", "Sun, 01 Mar 2026 12:02:00 GMT", 120_000],
  ["several, of which the longest counts", ["30", "90", "60"], 90_000],
  ["seconds and a date", ["30", "Sun, 01 Mar 2026 12:01:30 GMT"], 90_000],
  ["15 minutes, and no more", "900", 900_000],
])("a Retry-After is obeyed in full, for the whole service: %s", async (_, retryAfter, askedMs) => {
  for (const status of [429, 503]) {
    const waitMs = await waitAfter(status, retryAfter);
    // A date counts from the time at which it is read, and the run has begun before.
    expect(waitMs).toBeGreaterThan(askedMs - 1000);
    expect(waitMs).toBeLessThan(askedMs + longestBackoffMs);
  }
});

test.each<[string, string | string[] | undefined]>([
  ["nothing", undefined],
  ["0", "0"],
  ["a negative number", "-120"],
  ["a date in the past", "Sun, 01 Mar 2026 11:58:00 GMT"],
  ["several, all junk", ["soon", "-5", ""]],
])("what asks for no wait adds none: %s", async (_, retryAfter) => {
  expect(await waitAfter(429, retryAfter)).toBeLessThan(longestBackoffMs);
});

test.each<[string, string | string[], string | undefined]>([
  ["seconds", "961", "2026-03-01T12:16:0"],
  ["a date", "Sun, 01 Mar 2026 13:00:00 GMT", "2026-03-01T13:00:00"],
  ["several, one of which is too long", ["5", "3600"], "2026-03-01T13:00:0"],
  ["more seconds than dates go", "9".repeat(30), undefined],
])(
  "a wish for more than 15 minutes stops the run, which says when to come back: %s",
  async (_, retryAfter, when) => {
    for (const status of [429, 503]) {
      const { workspace, service } = await throttledOnce(status, retryAfter);
      const summary = await workspace.import(service.url, { concurrency: 1 });
      expect(summary.exitReason).toBe("throttled");
      expect(summary.message).toContain(when ?? "too far in the future");
      expect(summary.counts).toMatchObject({ succeeded: 2, not_sent: count - 2, failed: 0 });
      expect(summary.attempts).toBe(3);
      expect(service.receipts).toHaveLength(3);

      // What was asked for counts for the next process too.
      const early = await workspace.import(service.url, { resume: "must" });
      expect(early.exitReason).toBe("throttled");
      expect(service.receipts).toHaveLength(3);
      if (when === undefined) continue;
      workspace.clock.advance(3_600_000);
      const resumed = await workspace.import(service.url, { resume: "must" });
      expect(resumed).toMatchObject({ exitReason: "complete", counts: { succeeded: count } });
      expect(receiptsOfRows(service.receipts, count).toSorted()).toEqual([1, 1, 1, 1, 1, 2]);
    }
  },
);

test("a 429 for as long as it lasts fails nothing", async () => {
  const workspace = await openWorkspace(numberedRows(count), mapping);
  const service = await startService((receipt): Reply => {
    // Ten times as often as an event may be tried.
    const isBusy = receipt.n >= 1 && receipt.n <= 30;
    return isBusy ? { status: 429 } : accepted;
  });
  const summary = await workspace.import(service.url, { maxAttempts: 3 });
  expect(summary).toMatchObject({ exitReason: "complete", unanswered: 0, attempts: count + 30 });
  expect(summary.counts).toMatchObject({ succeeded: count });
  const accepts = service.receipts.filter(({ n }) => n < 1 || n > 30);
  expect(accepts.map(rowOf).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
});
