import { describe, expect, it } from "vitest";
import { describeProgress } from "../../src/cli/describe-progress.ts";
import { fitProgressLine } from "../../src/cli/fit-progress-line.ts";
import { createProgress } from "../../src/cli/progress.ts";
import { noEndings } from "../../src/domain/outcome.ts";
import type { SendProgress } from "../../src/import-options.ts";
import { collector } from "./fake-host.ts";

function sending(rowsEnded: number, more: Partial<SendProgress> = {}): SendProgress {
  return {
    phase: "send",
    rowsRead: rowsEnded,
    rowsEnded,
    rowsTotal: 1312,
    bytesRead: 0,
    totalBytes: undefined,
    counts: { ...noEndings(), succeeded: rowsEnded, rejected: 12 },
    inFlight: 32,
    pending: 0,
    pausedForMs: 0,
    pausedBecause: undefined,
    traffic: {
      ...{ attempts: 0, retries: 0, throttled: 0, unanswered: 0, allowed: 32 },
      answerTimes: { counts: [], sumMs: 0 },
    },
    ...more,
  };
}

/** The line after ten seconds in which 500 rows ended. */
function lineAt(columns: number, more: Partial<SendProgress> = {}, doneBefore = 0): string {
  let nowMs = 0;
  const describe = describeProgress({ now: () => nowMs });
  describe(sending(doneBefore, more));
  nowMs = 10_000;
  return fitProgressLine(describe(sending(doneBefore + 500, more)), columns);
}

describe("the progress line", () => {
  it.each([
    ["check", "checking"],
    ["baseline", "comparing"],
  ] as const)("of the phase %s says %s", (phase, word) => {
    const progress = { phase, rows: 500, invalidRows: 0, bytesRead: 1, totalBytes: 4 };
    expect(describeProgress({ now: () => 0 })(progress)).toMatchObject({
      phase: word,
      share: 0.25,
    });
  });

  it.each([
    [
      117,
      "sending [=======             ] 500 of 1,312 rows, 50/s, 500 succeeded, 12 did not, 32 in flight, ETA 17 s",
    ],
    [77, "sending [==     ] 500 of 1,312 rows, 50/s, 12 did not, 32 in flight, ETA 17 s"],
    [37, "500/1,312, 50/s, 12 not, ETA 17 s"],
    [24, "500/1,312, 50/s, 12 not"],
    [16, "500/1,312, 50/s"],
    [9, "500/1,312"],
    [5, ""],
  ])("fits %i columns", (columns, line) => {
    expect(lineAt(columns)).toBe(line);
  });

  it("never wraps, and keeps what matters most", () => {
    for (let columns = 12; columns < 140; columns++) {
      const line = lineAt(columns);
      expect(line.length).toBeLessThanOrEqual(columns);
      expect(line).toMatch(/500(\/| of )1,312/);
    }
  });

  it("tells of a pause instead of the time left", () => {
    const asked = { pausedForMs: 29_001, pausedBecause: "asked" } as const;
    expect(lineAt(117, asked)).toContain("service asked to wait, 30 s");
    expect(lineAt(45, asked)).toContain("waits 30 s");
  });

  it("has no bar where the end is not known", () => {
    expect(lineAt(117, { rowsTotal: undefined })).toBe(
      "sending 500 rows, 50/s, 500 succeeded, 12 did not, 32 in flight",
    );
  });

  it("counts the rate from where a run goes on", () => {
    expect(lineAt(117, {}, 700)).toContain("1,200 of 1,312 rows, 50/s");
  });

  it("does not know the time left before anything has ended", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    expect(fitProgressLine(describe(sending(0)), 117)).toContain("ETA unknown");
    nowMs = 5000;
    expect(fitProgressLine(describe(sending(0)), 117)).toContain("ETA unknown");
    nowMs = 10_000;
    const endless = sending(1, { rowsTotal: 1_000_000_000 });
    expect(fitProgressLine(describe(endless), 117)).toContain("ETA unknown");
  });
});

describe("on a terminal", () => {
  function terminal(columns: number, env: Record<string, string> = {}) {
    const { stream, text } = collector();
    Object.assign(stream, { isTTY: true, columns });
    return { stderr: Object.assign(stream, { isTTY: true, columns }), text, env };
  }

  it("a line in between clears the bar, and the bar follows it", () => {
    const { stderr, env, text } = terminal(80);
    const progress = createProgress({ stderr, env }, false, { now: () => 0 });
    progress.update(sending(3));
    progress.say("warning: odd");
    stderr.columns = 40;
    progress.end();
    expect(text()).toContain("\r\u001b[Kwarning: odd\n\u001b[1Gsending ");
    // Saving the place of the cursor would print the end over the lines before it.
    for (const memory of ["\u001b7", "\u001b8"]) expect(text()).not.toContain(memory);
    const last = text().split("\u001b[1G").at(-1)?.replaceAll("\u001b[0K", "").trimEnd();
    expect(last).toBe("sending [      ] 3/1,312, 0/s, 12 not");
    expect(text().endsWith("\n")).toBe(true);
  });

  it("that is dumb there are lines", () => {
    const { stderr, env, text } = terminal(80, { TERM: "dumb" });
    let nowMs = 0;
    const progress = createProgress({ stderr, env }, false, { now: () => nowMs });
    progress.update(sending(3));
    nowMs = 10_000;
    progress.update(sending(500));
    progress.end();
    expect(text()).toMatch(/^sending: 500 of 1,312 rows, .*\n$/);
  });
});
