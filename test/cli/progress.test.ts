import { describe, expect, it } from "vitest";
import { describeProgress } from "../../src/cli/describe-progress.ts";
import { fitProgressLine } from "../../src/cli/fit-progress-line.ts";
import type { SendingState } from "../../src/delivery/sending-state.ts";
import { lineAt, sending } from "./progress-given.ts";

describe("the progress line", () => {
  it.each([
    ["check", "checking"],
    ["baseline", "comparing"],
  ] as const)("of the phase %s says %s", (phase, word) => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const read = (rows: number, bytesRead: number, totalBytes?: number) =>
      fitProgressLine(describe({ phase, rows, invalidRows: 3, bytesRead, totalBytes }), 77);
    expect(read(0, 0, 4000)).toBe(`${word} [                    ] 0 %, 0 rows, 3 invalid`);
    nowMs = 2000;
    expect(read(500, 1000, 4000)).toBe(
      `${word} [=====               ] 25 %, 500 rows, 250/s, 3 invalid, ETA 6 s`,
    );
    expect(read(500, 1000)).toBe(`${word} 500 rows, 250/s, 3 invalid`);
  });

  it.each([
    [
      138,
      "sending [=======             ] 38 %, 500 of 1,312 rows, 50/s, 50/s overall, 500 succeeded, 12 did not, 32/32 in flight, ETA 17 s",
    ],
    [
      106,
      "sending [====        ] 38 %, 500 of 1,312 rows, 50/s, 500 succeeded, 12 did not, 32/32 in flight, ETA 17 s",
    ],
    [77, "sending 38 %, 500 of 1,312 rows, 50/s, 12 did not, 32/32 in flight, ETA 17 s"],
    [66, "sending 38 %, 500 of 1,312 rows, 50/s, 12 did not, ETA 17 s"],
    [37, "500/1,312, 50/s, 12 not, ETA 17 s"],
    [24, "500/1,312, 50/s, 12 not"],
    [20, "500/1,312, 50/s"],
    [17, "500/1,312, 50/s"],
    [9, "500/1,312"],
    [5, ""],
  ])("fits %i columns", (columns, line) => {
    expect(lineAt(columns)).toBe(line);
  });

  it("never wraps, and keeps what matters most", () => {
    for (let columns = 12; columns < 160; columns++) {
      const line = lineAt(columns);
      expect(line.length).toBeLessThanOrEqual(columns);
      expect(line).toMatch(/500(\/| of )1,312/);
    }
  });

  it("has no bar and no time left where the end is not known", () => {
    expect(lineAt(117, { rowsTotal: undefined })).toBe(
      "sending 500 rows, 50/s, 50/s overall, 500 succeeded, 12 did not, 32/32 in flight",
    );
  });

  it("counts the rate from where a run goes on", () => {
    expect(lineAt(150, {}, 700)).toContain("1,200 of 1,312 rows, 50/s, 50/s overall");
  });

  it("tells what the speed is now beside what it was", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const rows = [0, 1000, 1010, 1020];
    const lines = rows.map((done) => {
      const line = fitProgressLine(describe(sending(done)), 150);
      nowMs += 10_000;
      return line;
    });
    expect(lines.at(-1)).toContain(" 1/s, 34/s overall");
  });

  it("does not count what was not sent as what went wrong", () => {
    const counts = { ...sending(500).counts, not_sent: 7 };
    expect(lineAt(150, { counts })).toContain("12 did not");
  });
});

describe("where nothing is answered any more", () => {
  const lineOf = (answers: readonly number[], given: Partial<SendingState> = {}) => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const { traffic } = sending(0);
    let line = "";
    for (const [at, counts] of answers.entries()) {
      nowMs = at * 5000;
      const answerTimes = { counts: [counts], sumMs: 0 };
      const more = { traffic: { ...traffic, answerTimes }, sending: given };
      line = fitProgressLine(describe(sending(Math.min(at, 1) * 300, more)), 200);
    }
    return line;
  };

  it("says that it waits for answers, and that nobody knows how long", () => {
    expect(lineOf([0, 300, 300])).toMatch(/, waiting for answers, ETA unknown$/);
  });

  it("does not say so where answers come, or none is due", () => {
    expect(lineOf([0, 300, 320])).toMatch(/in flight, ETA unknown$/);
    expect(lineOf([0, 300, 300], { inFlight: 0 })).toMatch(/in flight, ETA unknown$/);
  });
});

describe("what it waits for", () => {
  const pause = (reason: "asked" | "outage" | "retry_budget", forMs: number) => ({
    waitsFor: { kind: "pause", reason, forMs, hasKnownEnd: reason === "asked" } as const,
  });

  it.each<[string, Partial<SendingState>, string, string, string]>([
    [
      "wide",
      pause("asked", 29_001),
      "service asked to wait 30 s, ETA",
      "service waits 30 s",
      "waits 30 s",
    ],
    [
      "down",
      pause("outage", 12_000),
      "paused: service unavailable, next probe in 12 s, ETA unknown",
      "unavailable, next probe in 12 s",
      "waits 12 s",
    ],
    [
      "probed",
      pause("outage", 0),
      "paused: service unavailable, trying one request, ETA unknown",
      "unavailable, trying one request",
      "trying",
    ],
    [
      "failing",
      pause("retry_budget", 4000),
      "paused: requests keep failing, next probe in 4 s, ETA unknown",
      "paused, next probe in 4 s",
      "waits 4 s",
    ],
    [
      "stopping",
      { waitsFor: { kind: "stop" } },
      "stopping: waiting for what is on the wire",
      "waiting for answers",
      "stopping",
    ],
    [
      "token",
      { waitsFor: { kind: "token" } },
      "waiting for a new token, ETA unknown",
      "waiting for a token",
      "token",
    ],
    [
      "first",
      { waitsFor: { kind: "first_answer" } },
      "waiting for the first answer, ETA unknown",
      "waiting for an answer",
      "first answer",
    ],
    [
      "capped",
      { waitsFor: { kind: "rate", bound: "cap" }, perSecond: 50, cap: 50 },
      "held to 50/s by --rate, ETA 17 s",
      "held to 50/s",
      "max 50/s",
    ],
    [
      "throttled",
      { waitsFor: { kind: "rate", bound: "throttling" }, perSecond: 7.5 },
      "service takes about 7.5/s, ETA 17 s",
      "takes 7.5/s",
      "max 7.5/s",
    ],
    [
      "quota",
      { waitsFor: { kind: "rate", bound: "quota" }, perSecond: 60 },
      "held to 60/s by the service's quota, ETA 17 s",
      "quota: 60/s",
      "max 60/s",
    ],
  ])("%s", (_, sending, long, middle, short) => {
    expect(lineAt(200, { sending })).toContain(long);
    const narrower = Array.from({ length: 90 }, (__, less) => lineAt(110 - less, { sending }));
    expect(narrower.some((line) => line.endsWith(middle) || line.includes(`${middle},`))).toBe(
      true,
    );
    expect(narrower.some((line) => line.endsWith(short) || line.includes(`${short},`))).toBe(true);
    // Eighty columns, less the margin, have room for the whole of what matters.
    expect(lineAt(77, { sending })).toContain(long.split(",")[0]);
  });

  it("does not blame a bound that is not reached", () => {
    const waitsFor = { kind: "rate", bound: "cap" } as const;
    const line = lineAt(150, { sending: { waitsFor, perSecond: 80, cap: 80 } });
    expect(line).toContain("in flight, ETA 17 s");
  });

  it("counts a pause down, and says how long it is in all", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const lines = [29_800, 12_200].map((forMs) => {
      nowMs = 29_800 - forMs;
      return fitProgressLine(describe(sending(5, { sending: pause("asked", forMs) })), 150);
    });
    expect(lines[0]).toContain("service asked to wait 30 s, ETA unknown");
    expect(lines[1]).toContain("service asked to wait 30 s, 13 s left, ETA unknown");
    const longer = describe(sending(5, { sending: pause("asked", 300_000) }));
    expect(fitProgressLine(longer, 150)).toContain("service asked to wait 5 min 0 s, ETA");
  });

  it("says that only repeats are left, and how many", () => {
    const tail = { toRepeat: 812, retriesHeld: 800, inFlight: 0, attempts: 700, retries: 200 };
    expect(lineAt(150, { sending: tail })).toContain(
      "0/32 in flight, 812 to repeat, only repeats are left (1/s), ETA",
    );
  });
});
