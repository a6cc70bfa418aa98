import { describe, expect, it } from "vitest";
import { describeProgress } from "../../../src/cli/terminal/describe-progress.ts";
import { fitProgressLines } from "../../../src/cli/terminal/progress-bar.ts";
import type { SendingState } from "../../../src/model/sending-state.ts";
import { linesAt, sending } from "./progress-given.ts";

describe("the progress line", () => {
  it("of a check says checking", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const read = (rows: number, bytesRead: number, totalBytes?: number) =>
      fitProgressLines(
        describe({ phase: "check", rows, invalidRows: 3, bytesRead, totalBytes }),
        77,
      );
    expect(read(0, 0, 4000)).toEqual([
      "checking [                    ] 0 %, 0 rows, 3 rows invalid",
    ]);
    nowMs = 2000;
    expect(read(500, 1000, 4000)).toEqual([
      "checking [====          ] 25 %, 500 rows, 250 rows/s, 3 rows invalid, ETA 6 s",
    ]);
    expect(read(500, 1000)).toEqual(["checking 500 rows, 250 rows/s, 3 rows invalid"]);
  });

  it("of a check is complete where no more was to be read", () => {
    const describe = describeProgress({ now: () => 0 });
    const part = { rows: 500, invalidRows: 0, bytesRead: 1000, isOver: true };
    const at = (totalBytes: number | undefined) =>
      fitProgressLines(describe({ phase: "check", totalBytes, ...part }), 50)[0];
    expect(at(4000)).toMatch(/ing \[=+\] 100 %, 500 rows$/);
    expect(at(undefined)).toMatch(/ing 500 rows$/);
  });

  const whole = [
    "sending [========            ] 38 %, 500 of 1,312 rows, 50 rows/s, ETA 17 s",
    "        488 succeeded, 12 did not, 32/32 in flight",
  ] as const;
  const narrower = "38 %, 500 of 1,312 rows, 50 rows/s, ETA 17 s";

  it.each([
    [117, ...whole],
    [77, ...whole],
    [50, narrower, "488 succeeded, 12 did not, 32/32 in flight"],
    [40, "500 of 1,312 rows, 50 rows/s, ETA 17 s", "488 succeeded, 12 did not"],
    [37, "sending 500 of 1,312 rows, ETA 17 s", "        488 succeeded, 12 did not"],
    [20, "500 of 1,312 rows", "12 did not"],
    [5, ""],
  ] as const)("fits %i columns", (columns, ...lines) => {
    expect(linesAt(columns)).toEqual(lines);
  });

  it("has room for all in eighty columns, also of large numbers", () => {
    const counts = { ...sending(500).counts, succeeded: 1_487_655, rejected: 12_345 };
    const waitsFor = { kind: "rate", bound: "cap" } as const;
    const lines = linesAt(
      77,
      {
        ...{ rowsTotal: 5_000_000, counts },
        sending: { waitsFor, perSecond: 50, cap: 50, inFlight: 4, allowed: 256, attempts: 500 },
      },
      1_499_500,
    );
    expect(lines).toEqual([
      "sending 30 %, 1,500,000 of 5,000,000 rows, 50 rows/s, ETA 19 h 26 min",
      "1,487,655 succeeded, 12,345 did not, 4/256 in flight, --rate: 50 requests/s",
    ]);
  });

  it("never wraps, and keeps what matters most", () => {
    for (let columns = 20; columns < 160; columns++) {
      const lines = linesAt(columns);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      expect(lines[0]).toContain("500 of 1,312 rows");
      expect(lines[1]).toContain("12 did not");
    }
  });

  it("has no bar and no time left where the end is not known", () => {
    expect(linesAt(117, { rowsTotal: undefined })).toEqual([
      "sending 500 rows, 50 rows/s",
      "        488 succeeded, 12 did not, 32/32 in flight",
    ]);
  });

  it("counts the rate from where a run goes on", () => {
    expect(linesAt(150, {}, 700)[0]).toContain("1,200 of 1,312 rows, 50 rows/s, ETA");
    // Of a part that was killed, rows that had ended may not have been in the results yet.
    const late = linesAt(150, { rowsBefore: 300 });
    expect(late[0]).toContain("500 of 1,312 rows, 20 rows/s, ETA 41 s");
  });

  it("tells the rate of the last ten seconds", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const rows = [0, 1000, 1010, 1020];
    const lines = rows.map((done) => {
      const [line] = fitProgressLines(describe(sending(done)), 150);
      nowMs += 10_000;
      return line;
    });
    expect(lines.at(-1)).toContain(", 1 row/s, ETA ");
  });

  it("does not count what was not sent as what went wrong", () => {
    const counts = { ...sending(500).counts, not_sent: 7 };
    expect(linesAt(150, { counts })[1]).toContain("12 did not");
  });
});

describe("what it waits for", () => {
  const pause = (reason: "asked" | "outage", forMs: number) => ({
    waitsFor: { kind: "pause", reason, forMs, hasKnownEnd: reason === "asked" } as const,
  });

  it.each<[string, Partial<SendingState>, string | undefined, string]>([
    ["asked", pause("asked", 29_001), "ETA 46 s", "service asked to wait, 30 s left"],
    [
      ...(["down", pause("outage", 12_000), "ETA unknown"] as const),
      "paused: service unavailable, next probe in 12 s",
    ],
    [
      ...(["probed", pause("outage", 0), "ETA unknown"] as const),
      "paused: service unavailable, trying one request",
    ],
    ["stopping", { waitsFor: { kind: "stop" } }, undefined, "stopping: waiting for 32 answers"],
    ["token", { waitsFor: { kind: "token" } }, "ETA unknown", "waiting for a new token"],
    [
      "first",
      { waitsFor: { kind: "first_answer" } },
      "ETA unknown",
      "waiting for the first answer",
    ],
    [
      "capped",
      { waitsFor: { kind: "rate", bound: "cap" }, perSecond: 50, cap: 50 },
      ...(["ETA 17 s", "--rate: 50 requests/s"] as const),
    ],
    [
      "throttled",
      { waitsFor: { kind: "rate", bound: "throttling" }, perSecond: 7.5 },
      ...(["ETA 17 s", "service takes 7.5 requests/s"] as const),
    ],
    [
      "quota",
      { waitsFor: { kind: "rate", bound: "quota" }, perSecond: 60 },
      ...(["ETA 17 s", "quota: 60 requests/s"] as const),
    ],
  ])("%s", (_, sending, eta, words) => {
    const [first, second] = linesAt(200, { sending });
    expect(/ETA .*$/.exec(first ?? "")?.[0]).toBe(eta);
    expect(second).toMatch(new RegExp(`, ${words}$`));
    // Eighty columns, less the margin, have room for it.
    expect(linesAt(77, { sending })[1]).toContain(words);
  });

  it("has no speed before the first answer, whatever was left out", () => {
    const waitsFor = { kind: "first_answer" } as const;
    expect(linesAt(150, { sending: { waitsFor } })[0]).not.toContain("/s");
  });

  it("counts a pause down", () => {
    const shown = (forMs: number) => linesAt(150, { sending: pause("asked", forMs) })[1];
    expect(shown(29_800)).toMatch(/, service asked to wait, 30 s left$/);
    expect(shown(12_200)).toMatch(/, service asked to wait, 13 s left$/);
    expect(shown(300_000)).toMatch(/, service asked to wait, 5 min 0 s left$/);
  });

  it("says how many events wait for a retry", () => {
    const held = { toRetry: 812, retriesHeld: 800, inFlight: 0, attempts: 700, retries: 200 };
    expect(linesAt(150, { sending: held })[1]).toMatch(/0\/32 in flight, 812 to retry$/);
  });
});
