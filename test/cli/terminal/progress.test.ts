import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProgress } from "../../../src/cli/terminal/progress.ts";
import { collector } from "../fake-host.ts";
import { sending } from "./progress-given.ts";
import { virtualScreen } from "./virtual-screen.ts";

const noTime = { now: () => 0 };
const betweenDrawingsMs = 100;
const line = /^sending (\[[= ]+\] )?\d+ %, [\d,]+ of 1,/;
const [status, code, message] = ["rejected", "http_422", "email is not accepted"] as const;
const failing = (rows: number) =>
  sending(rows, {
    problems: [{ status, code, column: undefined, message, isAlike: true, count: 12, first: [] }],
  });

describe("on a terminal", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("nothing of it is left at the end", async () => {
    const screen = virtualScreen(80);
    const progress = await createProgress({ stderr: screen.stderr, env: {} }, false, noTime);
    const check = { phase: "check", invalidRows: 0, totalBytes: 100 } as const;
    progress.update({ ...check, rows: 700, bytesRead: 50 });
    progress.say("warning: odd");
    progress.update(sending(1312));
    progress.end();
    expect(screen.lines).toEqual(["warning: odd", ""]);
  });

  it("is drawn anew when time has passed, and not with each update", async () => {
    const screen = virtualScreen(80);
    const progress = await createProgress({ stderr: screen.stderr, env: {} }, false, noTime);
    const rows = [3, 4, 5].map((rows) => {
      progress.update(sending(rows));
      vi.advanceTimersByTime(60);
      return /(\d+) of/.exec(screen.lines[0] ?? "")?.[1];
    });
    expect(rows).toEqual(["3", "4", "4"]);
    progress.end();
  });

  it("no line is ever broken, whatever comes between", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("update" as const), rows: fc.integer({ min: 1, max: 1312 }) }),
      fc.record({ do: fc.constant("say" as const), words: fc.integer({ min: 1, max: 40 }) }),
    );
    const width = fc.integer({ min: 40, max: 200 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), width, async (steps, columns) => {
        const screen = virtualScreen(columns);
        const progress = await createProgress({ stderr: screen.stderr, env: {} }, false, noTime);
        const said: string[] = [];
        const shownAbove = () =>
          screen.lines
            .slice(0, -2)
            .map((line) => line.trim())
            .join(" ");
        progress.update(failing(1));
        for (const step of steps) {
          if (step.do === "say") {
            said.push(`warning: ${"odd ".repeat(step.words).trim()}`);
            progress.say(said.at(-1) ?? "");
          } else progress.update(failing(step.rows));
          vi.advanceTimersByTime(betweenDrawingsMs);
          expect(shownAbove()).toBe(said.join(" "));
          const [first = "", second = ""] = screen.lines.slice(-2);
          expect(first).toMatch(line);
          expect(second).toMatch(/^ {2}12 × 422 email is not accepted/);
          expect(Math.max(first.length, second.length)).toBeLessThan(columns);
        }
        progress.end();
        expect(
          screen.lines
            .map((line) => line.trim())
            .join(" ")
            .trim(),
        ).toBe(said.join(" "));
        expect(screen.lines.at(-1)).toBe("");
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });
});

describe("elsewhere", () => {
  async function display(given: {
    isTTY?: boolean;
    env?: Record<string, string>;
    quiet?: boolean;
  }) {
    let nowMs = 0;
    const { stream, text } = collector();
    const stderr = Object.assign(stream, { isTTY: given.isTTY ?? false, columns: 80 });
    const clock = { now: () => nowMs };
    const progress = await createProgress(
      { stderr, env: given.env ?? {} },
      given.quiet ?? false,
      clock,
    );
    const seconds = (until: number) => {
      for (let second = 0; second <= until; second++) {
        nowMs = second * 1000;
        progress.update(sending(second * 10));
      }
    };
    return { progress, text, seconds };
  }

  it.each([
    ["where there is no terminal", {}],
    ["on a dumb one", { isTTY: true, env: { TERM: "dumb" } }],
  ])("%s there is a plain line every ten seconds", async (_, given) => {
    const { progress, text, seconds } = await display(given);
    seconds(25);
    progress.say("warning: odd");
    progress.end();
    expect(text().split("\n")).toEqual([
      "sending: 7 %, 100 of 1,312 rows, ETA 2 min 2 s, 12 did not succeed, 10 events/s, 10 s elapsed, 32/32 in flight",
      "sending: 15 %, 200 of 1,312 rows, ETA 1 min 52 s, 12 did not succeed, 10 events/s, 20 s elapsed, 32/32 in flight",
      "warning: odd",
      "",
    ]);
  });

  it.each([true, false])("quiet, there are warnings only (terminal: %s)", async (isTTY) => {
    const { progress, text, seconds } = await display({ isTTY, quiet: true });
    seconds(25);
    progress.say("warning: odd");
    progress.end();
    expect(text()).toBe("warning: odd\n");
  });
});
