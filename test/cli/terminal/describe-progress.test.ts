import { describe, expect, it } from "vitest";
import { describeProgress } from "../../../src/cli/terminal/describe-progress.ts";
import { plain } from "../../../src/cli/terminal/lines.ts";
import { fitProgressLines } from "../../../src/cli/terminal/progress-bar.ts";
import type { EndedLine, OutcomeGroup } from "../../../src/model/outcome-groups.ts";
import type { SendingState } from "../../../src/model/sending-state.ts";
import { linesAt, sending } from "./progress-given.ts";

const group = (code: string, message: string, count: number): OutcomeGroup => {
  const status = code.startsWith("http") ? "rejected" : "invalid";
  const first: EndedLine[] = [];
  return { status, code, message, count, first };
};

describe("the progress line", () => {
  it("of a check says checking", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const read = (rows: number, bytesRead: number, totalBytes?: number) =>
      fitProgressLines(
        describe({ phase: "check", rows, invalidRows: 3, bytesRead, totalBytes }),
        79,
        plain,
      );
    expect(read(0, 0, 4000)).toEqual([
      "checking [                    ] 0 %, 0 rows, 3 rows invalid, 0 s elapsed",
    ]);
    nowMs = 2000;
    expect(read(500, 1000, 4000)).toEqual([
      "checking 25 %, 500 rows, 3 rows invalid, ETA 6 s, 250 rows/s, 2 s elapsed",
    ]);
    expect(read(500, 1000)).toEqual(["checking 500 rows, 3 rows invalid, 250 rows/s, 2 s elapsed"]);
  });

  it.each([
    [
      119,
      [
        "sending [========            ] 38 %, 500 of 1,312 rows, ETA 17 s, 50 rows/s, 10 s elapsed",
        "        488 events succeeded, 12 did not, 32/32 in flight",
      ],
    ],
    [
      79,
      [
        "sending [====      ] 38 %, 500 of 1,312 rows, ETA 17 s, 50 rows/s, 10 s elapsed",
        "        488 events succeeded, 12 did not, 32/32 in flight",
      ],
    ],
    [
      50,
      [
        "sending [==    ] 38 %, 500 of 1,312 rows, ETA 17 s",
        "        488 events succeeded, 12 did not",
      ],
    ],
    [38, ["sending 38 %, 500 of 1,312 rows", "        488 events succeeded"]],
  ] as const)("fits %i columns", (columns, lines) => {
    expect(linesAt(columns)).toEqual(lines);
  });

  it("in eighty columns has what matters, also of large numbers", () => {
    const counts = { ...sending(500).counts, succeeded: 1_487_655, rejected: 12_345, invalid: 77 };
    const waitsFor = { kind: "rate", bound: "cap" } as const;
    const lines = linesAt(
      79,
      {
        ...{ rowsTotal: 5_000_000, counts },
        sending: { waitsFor, perSecond: 50, inFlight: 4, allowed: 256 },
      },
      1_499_500,
    );
    expect(lines).toEqual([
      "sending [==     ] 30 %, 1,500,000 of 5,000,000 rows, ETA 19 h 26 min, 50 rows/s",
      "        1,487,655 events succeeded, 12,345 did not, 77 rows invalid",
      "        --rate: 50 requests/s",
    ]);
  });

  it("says why most of what does not succeed does not, and shortens it where there is no room", () => {
    const problems = [
      group("http_422", "email is not accepted: \u001b[31m a@b", 1045),
      group("not_an_integer", 'column "Age": "…" is not a whole number', 3),
    ];
    expect(linesAt(79, { problems }).slice(2)).toEqual([
      "        422 email is not accepted: \\u001b[31m a@b ×1,045",
      '        invalid column "Age": "…" is not a whole number ×3',
    ]);
    expect(linesAt(40, { problems }).slice(2)).toEqual([
      "        422 email is not accepted… ×1,045",
      '        invalid column "Age": "…" is … ×3',
    ]);
  });

  it("has no bar and no time left where the end is not known", () => {
    expect(linesAt(117, { rowsTotal: undefined })).toEqual([
      "sending 500 rows, 50 rows/s, 10 s elapsed",
      "        488 events succeeded, 12 did not, 32/32 in flight",
    ]);
  });

  it("counts the rate from where a run goes on", () => {
    expect(linesAt(150, {}, 700)[0]).toContain("1,200 of 1,312 rows, ETA 3 s, 50 rows/s");
    // Of a part that was killed, rows that had ended may not have been in the results yet.
    const late = linesAt(150, { rowsBefore: 300 });
    expect(late[0]).toContain("500 of 1,312 rows, ETA 41 s, 20 rows/s");
  });

  it("tells the rate of the last ten seconds", () => {
    let nowMs = 0;
    const describe = describeProgress({ now: () => nowMs });
    const rows = [0, 1000, 1010, 1020];
    const lines = rows.map((done) => {
      const [line] = fitProgressLines(describe(sending(done)), 150, plain);
      nowMs += 10_000;
      return line;
    });
    expect(lines.at(-1)).toContain(", 1 row/s, ");
  });
});

describe("what it waits for", () => {
  const pause = (reason: "asked" | "outage", forMs: number) => ({
    waitsFor: { kind: "pause", reason, forMs } as const,
  });

  it.each<[string, Partial<SendingState>, string | undefined, string]>([
    ["asked", pause("asked", 29_001), "ETA 17 s", "service asked to wait, 30 s left"],
    [
      ...(["down", pause("outage", 12_000), "ETA 17 s"] as const),
      "paused: service unavailable, next probe in 12 s",
    ],
    [
      ...(["probed", pause("outage", 0), "ETA 17 s"] as const),
      "paused: service unavailable, trying one request",
    ],
    ["stopping", { waitsFor: { kind: "stop" } }, undefined, "stopping: waiting for 32 answers"],
    ["token", { waitsFor: { kind: "token" } }, "ETA 17 s", "waiting for a new token"],
    ["first", { waitsFor: { kind: "first_answer" } }, "ETA 17 s", "waiting for the first answer"],
    [
      "capped",
      { waitsFor: { kind: "rate", bound: "cap" }, perSecond: 50 },
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
    // Eighty columns have room for it.
    const [first, , third] = linesAt(79, { sending });
    expect(/ETA [^,]*/.exec(first ?? "")?.[0]).toBe(eta);
    expect(third?.trim()).toBe(words);
  });

  it("says how many events wait for a retry", () => {
    const held = { toRetry: 812, retriesHeld: 800, inFlight: 0 };
    expect(linesAt(150, { sending: held })[1]).toMatch(/0\/32 in flight, 812 to retry$/);
  });
});
