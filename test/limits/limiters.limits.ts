import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { type Limiter, startLimiter, whyMissing } from "./start-limiter.ts";

/*
 * The built program in front of limiters that people run: how much of what they allow does it use? What a quick and
 * idle machine reaches is printed beside each figure. Half of it is held: a machine whose timers are late by a few
 * milliseconds loses a third behind the strictest limiters, whoever sends, while a limit that is taken for an outage,
 * or a rate that stays down, loses nearly all.
 */

const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));

interface Bounds {
  /** How many events the limiter accepts in a second. */
  readonly perSecond: number;
  /** How much of that is used after the first seconds, on a quick and idle machine. */
  readonly used: number;
  /** The share of the answers in that time that are refusals, on such a machine. */
  readonly refused: number;
  readonly latencyMs?: number;
  /** What is measured: from when, until when. There is a quarter more to send. */
  readonly fromS?: number;
  readonly toS?: number;
}

const nginx = (rules: string): Limiter => ({
  program: "nginx",
  zones: `limit_req_zone $binary_remote_addr zone=rate:1m rate=100r/s;
  limit_conn_zone $binary_remote_addr zone=places:1m;`,
  rules,
});
const haproxy = (rules: string, server = ""): Limiter => ({ program: "haproxy", rules, server });
const requestsWithin = (time: string, limit: number, status: number) =>
  haproxy(`stick-table type ip size 1k expire 60s store http_req_rate(${time})
  http-request track-sc0 src
  http-request deny deny_status ${status} if { sc_http_req_rate(0) gt ${limit} }`);
const fourConnections = haproxy(`stick-table type ip size 1k expire 60s store conn_cur
  tcp-request connection track-sc0 src
  tcp-request connection reject if { sc_conn_cur(0) gt 4 }`);
const npm = (limiter: string, settings: object): Limiter => ({
  program: "node",
  limiter,
  settings,
});

const retryAfter = "add_header Retry-After 1 always;";

const bucket: Bounds = { perSecond: 100, used: 0.93, refused: 0.06 };
/** A token each 10 ms: who is late by as much has lost it. */
const noBurst: Bounds = { perSecond: 100, used: 0.8, refused: 0.06 };
const withWait: Bounds = { perSecond: 100, used: 0.85, refused: 0.03 };
const windows: Bounds = { perSecond: 100, used: 0.88, refused: 0.06 };
const longWindows: Bounds = { ...windows, fromS: 20, toS: 40 };
const places: Bounds = { perSecond: 40, latencyMs: 100, used: 0.87, refused: 0.06 };

const cases: readonly (readonly [name: string, limiter: Limiter, bounds: Bounds])[] = [
  ["haproxy: 1,000 requests within 10 s, 429", requestsWithin("10s", 1000, 429), longWindows],
  [
    "express-rate-limit: 1,000 in each 10 s, 429, no hint",
    npm("express-rate-limit", {
      ...{ windowMs: 10_000, limit: 1000, standardHeaders: false, legacyHeaders: false },
    }),
    longWindows,
  ],
  ["nginx: limit_req, no burst, 503", nginx("limit_req zone=rate;"), noBurst],
  ["nginx: limit_req, no burst, 429", nginx("limit_req zone=rate; limit_req_status 429;"), noBurst],
  [
    "nginx: limit_req burst=20 nodelay, 503",
    nginx("limit_req zone=rate burst=20 nodelay;"),
    bucket,
  ],
  [
    "nginx: limit_req burst=20 nodelay, 429",
    nginx("limit_req zone=rate burst=20 nodelay; limit_req_status 429;"),
    bucket,
  ],
  ["nginx: limit_req burst=20 (waits), 503", nginx("limit_req zone=rate burst=20;"), bucket],
  [
    "nginx: limit_req, no burst, 503, Retry-After always",
    nginx(`limit_req zone=rate; ${retryAfter}`),
    // Each refusal is a second's pause, and a late timer is enough for one.
    { perSecond: 100, used: 0.6, refused: 0.03 },
  ],
  [
    "nginx: burst=20 nodelay, 429, Retry-After always",
    nginx(`limit_req zone=rate burst=20 nodelay; limit_req_status 429; ${retryAfter}`),
    withWait,
  ],
  ["nginx: limit_conn 4, 503", nginx("limit_conn places 4;"), places],
  ["nginx: limit_conn 4, 429", nginx("limit_conn places 4; limit_conn_status 429;"), places],
  ["haproxy: 100 requests within 1 s, 503", requestsWithin("1s", 100, 503), windows],
  ["haproxy: maxconn 4, 503 after 100 ms in its queue", haproxy("", "maxconn 4"), places],
  ["haproxy: 4 connections, others closed", fourConnections, places],
  [
    "express-rate-limit: 100 in each 1 s, 429, RateLimit of draft 8",
    npm("express-rate-limit", {
      ...{ windowMs: 1000, limit: 100, standardHeaders: "draft-8", legacyHeaders: false },
    }),
    withWait,
  ],
  [
    "rate-limiter-flexible: 100 in each 1 s, 429, Retry-After with decimals",
    npm("rate-limiter-flexible", { points: 100, duration: 1 }),
    withWait,
  ],
];

/** The most of all attempts that is refused, with those that found the limit. */
const refusedOfAll = 0.25;
/** An import that has not ended by then does not end. */
const longestS = 400;

const table: string[] = [];
afterAll(() => {
  console.log(
    [
      "used, refused (on a quick machine), refused of all, exit, statuses",
      ...table.toSorted(),
    ].join("\n"),
  );
});

test.concurrent.for(cases)("%s", async ([name, limiter, bounds], { expect, skip }) => {
  const why = await whyMissing(limiter);
  if (why !== undefined) skip(why);
  const { perSecond } = bounds;
  const { latencyMs = 5, fromS = 10, toS = 20 } = bounds;
  const rows = perSecond * toS * 1.25;
  const running = await startLimiter(limiter, latencyMs);
  let ended: Ended;
  try {
    ended = await sendRows(running.url, rows, longestS);
  } finally {
    await running.stop();
  }
  const answers = await running.answers();
  // The first event is sent alone.
  const beginS = (answers.filter(isAccepted)[1]?.atS ?? 0) + fromS;
  const measured = answers.filter(({ atS }) => atS >= beginS && atS < beginS + toS - fromS);
  const accepted = measured.filter(isAccepted).length;
  const used = accepted / perSecond / (toS - fromS);
  const refused = 1 - accepted / measured.length;
  const { summary, exit } = ended;
  const { succeeded, rejected, failed, unknown } = summary;
  // A closed connection is in no log of answers.
  const ofAll = 1 - succeeded / summary.attempts;
  const statuses = JSON.stringify({ succeeded, rejected, failed, unknown });
  table.push(
    `${name}\n  ${percent(used)} (${percent(bounds.used)})  ${percent(refused)} (${percent(bounds.refused)})  ${percent(ofAll)}  ${exit}  ${statuses.replaceAll('"', "")}`,
  );
  expect({ exit, succeeded, rejected, failed, unknown }).toEqual({
    ...{ exit: 0, succeeded: rows, rejected: 0, failed: 0, unknown: 0 },
  });
  expect(used).toBeGreaterThanOrEqual(bounds.used / 2);
  expect(refused).toBeLessThanOrEqual(2 * bounds.refused);
  expect(ofAll).toBeLessThanOrEqual(refusedOfAll);
});

const isAccepted = ({ status }: { readonly status: number }) => status === 202;

interface Ended {
  readonly exit: number | null;
  readonly summary: Readonly<
    Record<"succeeded" | "rejected" | "failed" | "unknown" | "attempts", number>
  >;
}

const mapping = `version: 1
resource: contacts
event: contact.created
members:
  email: Email
`;

/** Imports rows; interrupts the import if it is not over in time. */
async function sendRows(url: string, rows: number, withinS: number): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), "limits-"));
  const people = Array.from({ length: rows }, (_, at) => `person${at}@example.com\n`);
  await writeFile(join(folder, "people.csv"), `Email\n${people.join("")}`);
  await writeFile(join(folder, "people.yaml"), mapping);
  const args = ["import", "people.csv", "--base-url", url, "--json", "--quiet"];
  const { HOME, PATH } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { HOME, PATH, EVENTLOAD_TOKEN: "a-token" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let json = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    json += text;
  });
  const timer = setTimeout(() => child.kill("SIGTERM"), withinS * 1000);
  const [exit] = await once(child, "close");
  clearTimeout(timer);
  return { exit, summary: JSON.parse(json) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`.padStart(7);
}
