import { expect, test } from "vitest";
import { answer, type RawServer, startRawServer } from "../delivery/raw-server.ts";
import {
  accepted,
  type Reply,
  type Service,
  startService,
} from "../delivery/service-under-test.ts";
import { createFakeClock } from "../fake-clock.ts";
import { openWorkspace, type Workspace } from "../run/import-under-test.ts";
import { mapping, numberedRows, receiptsOfRows } from "./import-rows.ts";

/** All waits are on the fake clock. */

const count = 60;
const minuteMs = 60_000;
const everyOne = Array.from({ length: count }, () => 1);

async function workspaceOf(rows: number): Promise<Workspace> {
  const workspace = await openWorkspace(numberedRows(rows), mapping);
  const clock = createFakeClock({ waitsForDisk: true });
  const start: Workspace["import"] = (url, options) => workspace.import(url, { clock, ...options });
  return { ...workspace, clock, import: start };
}

/** Each event once at most, retries where nothing else is left, and the probes of the first minute. */
const untilNoticed = count + 75 + 35;

interface Ailing {
  readonly workspace: Workspace;
  readonly service: Service;
  /** When it was asked while it was down, from the moment that it went down. */
  readonly asked: readonly number[];
  /** Requests in flight at the same time, at most, after its first minute down. */
  mostAtOnce(): number;
  readonly taken: { readonly body: string }[];
}

/** A service that takes so many events, and then is down for a while. */
async function downFor(durationMs: number, after: number, reply: Reply): Promise<Ailing> {
  const workspace = await workspaceOf(count);
  const { clock } = workspace;
  const asked: number[] = [];
  const taken: { readonly body: string }[] = [];
  let downSince: number | undefined;
  let underWay = 0;
  let mostAtOnce = 0;
  const service = await startService(async (receipt) => {
    if (taken.length >= after) downSince ??= clock.now();
    const downForMs = clock.now() - (downSince ?? Number.NaN);
    if (!(downForMs < durationMs)) {
      taken.push(receipt);
      return accepted;
    }
    asked.push(downForMs);
    underWay++;
    // The others that are under way have the time to come.
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (downForMs > minuteMs) mostAtOnce = Math.max(mostAtOnce, underWay);
    underWay--;
    return reply;
  });
  return { workspace, service, asked, mostAtOnce: () => mostAtOnce, taken };
}

test.each<[string, Reply, number]>([
  ["503 from the first event on", { status: 503 }, 0],
  ["503 half way", { status: 503 }, 25],
  ["resets half way", "cut", 25],
])("five minutes of %s fail nothing, and the service is left room", async (_, reply, after) => {
  const down = await downFor(5 * minuteMs, after, reply);
  const { workspace, service, asked, mostAtOnce, taken } = down;
  const summary = await workspace.import(service.url, { concurrency: 8, maxAttempts: 5 });
  const unanswered = reply === "cut" ? asked.length : 0;
  expect(summary).toMatchObject({ exitReason: "complete", unanswered });
  expect(summary.counts).toMatchObject({ succeeded: count, failed: 0, unknown: 0 });
  expect(receiptsOfRows(taken, count)).toEqual(everyOne);
  expect(summary.attempts).toBe(service.receipts.length);
  const inFirstMinute = asked.filter((atMs) => atMs <= minuteMs).length;
  expect(inFirstMinute).toBeLessThanOrEqual(untilNoticed);
  // A probe each time that the outage has grown by a sixteenth.
  expect(asked.length - inFirstMinute).toBeLessThanOrEqual(28);
  expect(asked.length).toBeGreaterThan(5);
  expect(mostAtOnce()).toBe(1);
  for (const line of await workspace.lines("people.results.csv")) {
    expect(line).toMatchObject({ import_status: "succeeded", import_http_status: "202" });
  }
});

test("a service that goes away half way, and comes back, fails nothing", async () => {
  const workspace = await workspaceOf(count);
  const taken: RawServer["requests"][number][] = [];
  let isAway = false;
  let server: RawServer | undefined;
  const serve = async (port?: number) => {
    server = await startRawServer(
      {
        onRequest(socket, request) {
          taken.push(request);
          socket.write(answer("202 Accepted"));
          if (taken.length !== 25) return;
          isAway = true;
          // At once for who comes now, and for who is there when nothing is under way any more.
          setImmediate(() => void server?.close());
        },
      },
      port === undefined ? {} : { port },
    );
    return server.origin;
  };
  const origin = await serve();
  let refusals = 0;
  const summary = await workspace.import(origin, {
    concurrency: 1,
    maxAttempts: 5,
    onNotice(notice) {
      if (!isAway || notice.kind !== "retry" || ++refusals !== 4) return;
      isAway = false;
      void serve(Number(new URL(origin).port));
    },
  });
  expect(summary).toMatchObject({ exitReason: "complete" });
  expect(summary.counts).toMatchObject({ succeeded: count, failed: 0, unknown: 0 });
  // Only what was in flight as it went away may have arrived without an answer.
  expect(summary.unanswered).toBeLessThanOrEqual(1);
  expect(taken.length).toBeLessThanOrEqual(count + summary.unanswered);
  expect(Math.min(...receiptsOfRows(taken, count))).toBe(1);
});

test("an outage of more than 15 minutes stops the run, which goes on when the service is back", async () => {
  const { workspace, service, asked, taken } = await downFor(20 * minuteMs, 25, { status: 503 });
  const summary = await workspace.import(service.url, { concurrency: 8, maxAttempts: 5 });
  expect(summary.exitReason).toBe("outage");
  expect(summary.counts).toMatchObject({ succeeded: 25, not_sent: count - 25, failed: 0 });
  expect(asked.at(-1)).toBeLessThan(16 * minuteMs);
  expect(asked.length).toBeLessThanOrEqual(untilNoticed + 50);

  workspace.clock.advance(10 * minuteMs);
  const resumed = await workspace.import(service.url, { resume: "must" });
  expect(resumed).toMatchObject({ exitReason: "complete", counts: { succeeded: count } });
  expect(receiptsOfRows(taken, count)).toEqual(everyOne);
});

test("after ten seconds of 503 the run does not crawl", async () => {
  const rows = 3000;
  const workspace = await workspaceOf(rows);
  const { clock } = workspace;
  let taken = 0;
  let downAtMs: number | undefined;
  const service = await startService(() => {
    if (taken >= 500) downAtMs ??= clock.now();
    if (downAtMs !== undefined && clock.now() - downAtMs < 10_000) return { status: 503 };
    taken++;
    return accepted;
  });
  const summary = await workspace.import(service.url, { concurrency: 32 });
  expect(summary).toMatchObject({ exitReason: "complete", counts: { succeeded: rows } });
  // What had to wait is repeated one a second and a tenth of what is sent; all else goes at once.
  expect(clock.now() - (downAtMs ?? 0)).toBeLessThan(2 * minuteMs);
});

test("a service that throttles for good, and does not say for how long, stops the run", async () => {
  const workspace = await workspaceOf(count);
  let taken = 0;
  const service = await startService(() => (taken++ < 20 ? accepted : { status: 429 }));
  const summary = await workspace.import(service.url, { concurrency: 8 });
  expect(summary.exitReason).toBe("throttled");
  expect(summary.counts).toMatchObject({ succeeded: 20, not_sent: count - 20 });
  expect(workspace.clock.now()).toBeLessThan(20 * minuteMs);
  expect(service.receipts.length).toBeLessThan(180);
});
