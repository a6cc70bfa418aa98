import { describe, expect, it } from "vitest";
import { describeProgress } from "../../../src/cli/terminal/describe-progress.ts";
import { fitProgress, fitReasons } from "../../../src/cli/terminal/progress-bar.ts";
import { noCounts } from "../../../src/model/outcome.ts";
import type { EndedLine, OutcomeGroup } from "../../../src/model/outcome-groups.ts";
import type { SendingState } from "../../../src/model/sending-state.ts";
import { lineAt, sending } from "./progress-given.ts";

const group = (code: string, message: string, count: number): OutcomeGroup => {
  const status = code.startsWith("http") ? "rejected" : "invalid";
  const first: EndedLine[] = [];
  return { status, code, column: undefined, message, isAlike: false, count, first };
};

describe("the progress line", () => {
  it("of a check says checking", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const read = (rows: number, bytesRead: number, totalBytes?: number) =>
      fitProgress(describe({ phase: "check", rows, invalidRows: 3, bytesRead, totalBytes }), 79);
    expect(read(0, 0, 4000)).toBe(
      "checking [                    ] 0 %, 0 rows, 3 rows invalid, 0 s elapsed",
    );
    nowMs = 2000;
    expect(read(500, 1000, 4000)).toBe(
      "checking 25 %, 500 rows, 3 rows invalid, ETA 6 s, 250 rows/s, 2 s elapsed",
    );
    expect(read(500, 1000)).toBe("checking 500 rows, 3 rows invalid, 250 rows/s, 2 s elapsed");
  });

  it.each([
    [79, "sending 38 %, 500 of 1,312 rows, ETA 17 s, 12 did not succeed, 50 events/s"],
    [58, "sending [=====         ] 38 %, 500 of 1,312 rows, ETA 17 s"],
    [38, "sending 38 %, 500 of 1,312 rows"],
    [10, "sending 38"],
  ] as const)("fits %i columns", (columns, line) => {
    expect(lineAt(columns)).toBe(line);
  });

  it("says why most of what does not succeed does not, in a line of its own", () => {
    const problems = [
      group("http_422", "email is not accepted: \u001b[31m a@b", 1045),
      group("not_an_integer", 'column "Age": "…" is not a whole number', 3),
    ];
    const described = describeProgress({ now: () => 0 })(sending(500, { problems }));
    const first = "  1,045 × 422 email is not accepted: \\u001b[31m a@b";
    expect(fitReasons(described, 120)).toBe(
      `${first}, 3 × invalid column "Age": "…" is not a whole number`,
    );
    expect(fitReasons(described, 79)).toBe(`${first}, 3 × invalid column "Age":…`);
    expect(fitReasons(described, 40)).toBe("  1,045 × 422 email is not accepted: \\u…");
  });

  it("has no bar and no time left where the end is not known", () => {
    expect(lineAt(117, { rowsTotal: undefined })).toBe(
      "sending 500 rows, 12 did not succeed, 50 events/s, 10 s elapsed, 32/32 in flight",
    );
  });

  it("counts the rate from where a run goes on", () => {
    expect(lineAt(150, {}, 700)).toContain("1,200 of 1,312 rows, ETA 3 s, 12 did not succeed, 50 ");
  });

  it("tells the rate of the last ten seconds", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const rows = [0, 1000, 1010, 1020];
    const lines = rows.map((done) => {
      const line = fitProgress(describe(sending(done)), 150);
      nowMs += 10_000;
      return line;
    });
    expect(lines.at(-1)).toContain(", 1 event/s, ");
  });
});

describe("what it waits for", () => {
  type Waits = NonNullable<SendingState["waitsFor"]>;
  const pause = (reason: "asked" | "outage", forMs: number): Waits => {
    return { kind: "pause", reason, forMs };
  };
  const rate = (bound: "rate" | "throttling" | "quota"): Waits => ({ kind: "rate", bound });

  it.each<[Waits, string, perSecond?: number]>([
    [pause("asked", 29_001), "service asked to wait, 30 s left"],
    [pause("outage", 12_000), "service unavailable, next probe in 12 s"],
    [pause("outage", 0), "service unavailable, trying one request"],
    [{ kind: "stop" }, "stopping: waiting for 32 answers"],
    [{ kind: "token" }, "waiting for a new token"],
    [{ kind: "first_answer" }, "waiting for the first answer"],
    [rate("rate"), "--rate: 50/s"],
    [rate("throttling"), "service takes 7.5 requests/s", 7.5],
    [rate("quota"), "quota: 60 requests/s", 60],
  ])("%j: %s", (waitsFor, words, perSecond = 50) => {
    // Eighty columns have room for it.
    const line = lineAt(79, { sending: { waitsFor, perSecond } });
    expect(line).toContain(`500 of 1,312 rows, ${words}`);
    if (waitsFor.kind === "stop") expect(line).not.toContain("ETA");
  });

  it("says how many events wait for a retry", () => {
    const held = { toRetry: 812, inFlight: 0 };
    expect(lineAt(150, { sending: held })).toMatch(/0\/32 in flight, 812 to retry$/);
  });
});

type Step = readonly [atSeconds: number, ...Parameters<typeof sending>];

const at = (seconds: number, ...given: Parameters<typeof sending>): Step => [seconds, ...given];

/** The time left at the last of several moments. */
function etaAfter(steps: readonly Step[]): string | undefined {
  let nowMs = 0;
  const describe = describeProgress({ now: () => nowMs });
  let line = "";
  for (const [atSeconds, ...given] of steps) {
    nowMs = atSeconds * 1000;
    line = fitProgress(describe(sending(...given)), 200);
  }
  return /ETA ([^,]*)/.exec(line)?.[1];
}

it.each<[string, string | undefined, Step[]]>([
  ["in the first second", "unknown", [at(0, 0), at(0.9, 400)]],
  ["at a steady rate", "10 s", [at(0, 0), at(5, 350), at(10, 656)]],
  ["beyond what anybody waits for", "unknown", [at(0, 0), at(10, 1, { rowsTotal: 1e9 })]],
  ["when all has ended", undefined, [at(0, 0), at(10, 1312)]],
  ["of hours", "2 h 46 min", [at(0, 0), at(10, 10, { rowsTotal: 10_010 })]],
  [
    "where most rows were left out, by the events that are left",
    "1 min 30 s",
    [
      at(0, 0, { eventsTotal: 100 }),
      at(10, 1010, { eventsTotal: 100, counts: { ...noCounts(), succeeded: 10, skipped: 1000 } }),
    ],
  ],
  ["while it stops", undefined, [at(0, 0), [10, 656, { sending: { waitsFor: { kind: "stop" } } }]]],
])("the time left: %s", (_, eta, steps) => {
  expect(etaAfter(steps)).toBe(eta);
});
