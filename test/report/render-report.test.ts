import fc from "fast-check";
import { expect, test } from "vitest";
import { html } from "../../src/model/look/html.ts";
import type { Manifest } from "../../src/model/manifest.ts";
import { noCounts } from "../../src/model/outcome.ts";
import { sum } from "../../src/model/quantities.ts";
import { type RunFigures, seriesNames, type TimeSeries } from "../../src/model/run-figures.ts";
import { pauseReasons } from "../../src/model/sending-state.ts";
import { createFailedRows, type FailedRow } from "../../src/report/failed-rows.ts";
import { incidentsOf } from "../../src/report/incidents.ts";
import { createMoments } from "../../src/report/moments.ts";
import { renderReport, renderTextReport } from "../../src/report/render-report.ts";
import { reportFigures } from "../../src/report/report-figures.ts";
import type { Reported } from "../../src/report/reported-run.ts";
import { perSecond, roundUp, seriesPoints } from "../../src/report/time-charts.ts";
import { verdictOf } from "../../src/report/verdict.ts";
import { givenManifest as given } from "../results/given-manifest.ts";

test("no text gets out of where it is put", () => {
  const text = fc.string({ unit: fc.constantFrom(..."<>\"'&`=/ -!ax\u202e\u0000\u2028\ud800") });
  fc.assert(
    fc.property(text, (given) => {
      const { html: made } = html`<p title="${given}">${[given]}</p>`;
      const [, attribute, content] = /^<p title="([^"]*)">([^<]*)<\/p>$/su.exec(made) ?? [];
      expect(attribute).toBe(content);
      expect(content).not.toMatch(/[<>"'`]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}]/u);
    }),
  );
});

const seriesOf = (buckets: number, value: number): TimeSeries =>
  ({
    bucket_ms: 100,
    duration_ms: buckets * 100 - 50,
    ...Object.fromEntries(seriesNames.map((name) => [name, Array(buckets).fill(value)])),
  }) as unknown as TimeSeries;

test("fewer and longer stretches add up to the same", () => {
  const values = fc.array(fc.nat(1000), { minLength: 1, maxLength: 600 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 150 }), (attempts, most) => {
      const longest = attempts.map((value) => value * 3);
      const series = { ...seriesOf(attempts.length, 0), attempts, longest_latency_ms: longest };
      const points = seriesPoints(series, most);
      expect(points.length).toBeLessThanOrEqual(most);
      expect(sum(points.map((point) => point.attempts))).toBe(sum(attempts));
      expect(Math.max(...points.map((point) => point.longest_latency_ms))).toBe(
        Math.max(...longest),
      );
      points.forEach((point, at) => {
        expect(point.fromMs).toBe(points[at - 1]?.toMs ?? 0);
        expect(point.toMs).toBeGreaterThan(point.fromMs);
      });
      expect(points.at(-1)?.toMs).toBe(series.duration_ms);
    }),
  );
});

test("what ends in the last few milliseconds is no peak", () => {
  const even = { ...seriesOf(30, 100), duration_ms: 2901 };
  const rates = (series: TimeSeries, most: number) =>
    seriesPoints(series, most).map((point) => perSecond(point, point.succeeded));
  expect(Math.max(...rates(even, 120))).toBeLessThan(2000);
  expect(Math.max(...rates(even, 7))).toBeLessThan(2000);
  // What lasts for half of a stretch is one.
  expect(rates({ ...even, duration_ms: 2950 }, 120).at(-1)).toBe(2000);
});

test.each([
  [28_400, ["0", "5 s", "10 s", "15 s", "20 s", "25 s"]],
  [140_000, ["0", "30 s", "1 min", "1 min 30 s", "2 min"]],
  [480_000, ["0", "2 min", "4 min", "6 min", "8 min"]],
  [9_000_000, ["0", "30 min", "1 h", "1 h 30 min", "2 h", "2 h 30 min"]],
  [4_000_000_000, ["0", "192 h", "384 h", "576 h", "768 h", "960 h"]],
])("the times of a run of %d ms are round", (durationMs, wanted) => {
  const page = renderReport(reportOf({ figures: figuresOf(durationMs) }));
  const [, foot = ""] = /<svg class="x"[^>]*>(.*?)<\/svg>/s.exec(page) ?? [];
  expect([...foot.matchAll(/>([^<]+)</g)].map(([, text]) => text)).toEqual(wanted);
});

test("a run of less than five seconds has no charts, as one without figures", () => {
  expect(renderReport(reportOf({}))).toContain("has no figures of how it was sent");
  expect(renderReport(reportOf({ figures: figuresOf(4999) }))).not.toContain('class="chart"');
});

test("the top of a chart is round, and not far above what it was made for", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1e9, noNaN: true }), (largest) => {
      expect(largest / roundUp(largest)).toBeLessThanOrEqual(1 + 1e-9);
      expect(largest / roundUp(largest)).toBeGreaterThanOrEqual(0.49);
    }),
  );
});

const complete = (counts: Readonly<Record<string, number>>, more: Partial<Manifest> = {}) => {
  const rows = sum(Object.values(counts));
  const reconciliation = { rows_read: rows, rows_settled: rows, rows_not_settled: 0 };
  return {
    ...{ counts: { ...noCounts(), ...counts }, rows, events: rows },
    reconciliation: { ...reconciliation, rows_written: rows, lines: rows, adds_up: true },
    ...more,
  };
};
const stopped = (counts: Readonly<Record<string, number>>, more: Partial<Manifest> = {}) =>
  complete(counts, { exit_reason: "outage", ...more });
test.each([
  [complete({ succeeded: 50_000 }), "delivered", "All 50,000 rows delivered"],
  [complete({ succeeded: 1 }), "delivered", "1 row delivered"],
  [complete({}), "delivered", "Nothing had to be sent"],
  [complete({ succeeded: 5, skipped: 1 }), "delivered", "5 of 6 rows delivered, 1 left out"],
  [
    complete({ succeeded: 49_999, failed: 1 }),
    "open",
    "49,999 of 50,000 rows delivered, 1 still open",
  ],
  [
    complete({ succeeded: 12 }, { rows: 8, events: 12 }),
    ...(["delivered", "All 12 events of 8 rows delivered"] as const),
  ],
  [
    complete({ succeeded: 9, rejected: 3 }, { rows: 8, events: 12 }),
    ...(["open", "9 events of 8 rows delivered, 3 lines still open"] as const),
  ],
  [stopped({ succeeded: 9, not_sent: 91 }), "stopped", "Stopped with 91 of 100 rows to go"],
  [
    stopped({ succeeded: 9, failed: 1 }, { exit_reason: "input_damaged" }),
    ...(["stopped", "Ended early: 9 of 10 rows delivered, 1 still open"] as const),
  ],
  [
    stopped(
      { succeeded: 9, failed: 1 },
      { parts: given.parts.map((part) => ({ ...part, part: 2 })) },
    ),
    ...(["stopped", "A retry stopped: 9 of 10 rows delivered, 1 still open"] as const),
  ],
  [
    complete({ succeeded: 2 }, { exit_reason: "not_reconciled" }),
    ...(["not_reconciled", "The counts do not reconcile: do not rely on them."] as const),
  ],
])("the headline fits what happened (%#)", (given, kind, headline) => {
  expect(verdictOf(reportOf(given))).toMatchObject({ kind, headline });
});

test("an outage is in the story, and its times in local time and in UTC", () => {
  const pause = (at_ms: number, duration_ms: number, reason: "asked" | "outage") => {
    return { at_ms, duration_ms, reason, message: `status 503 after ${at_ms}` };
  };
  const longest = [
    pause(90_000, 14_000, "outage"),
    pause(1000, 500, "asked"),
    pause(3000, 1500, "asked"),
  ];
  const parts = [
    { started_at: "2026-02-28T22:59:00.000Z", at_ms: 0 },
    { started_at: "2026-03-01T03:00:00.000Z", at_ms: 80_000 },
  ];
  const figures = { ...figuresOf(120_000), parts, pauses: { count: 3, longest } };
  const reported = reportOf(complete({ succeeded: 7 }, { figures }), "Europe/Amsterdam");
  expect(verdictOf(reported).story).toBe("An outage of 14 s cost nothing.");
  const brief = { ...figures, pauses: { count: 1, longest: [pause(90_000, 4, "outage")] } };
  const { story } = verdictOf(reportOf(complete({ succeeded: 7 }, { figures: brief })));
  expect(story).toBe("Nothing is left to do.");
  expect(incidentsOf(figures)).toMatchObject([
    { count: 2, durationMs: 2000, from: "2026-02-28T22:59:01.000Z" },
    { count: 1, from: "2026-03-01T03:00:10.000Z", to: "2026-03-01T03:00:24.000Z" },
  ]);
  const page = renderReport(reported);
  expect(page).toContain("04:00:10 to 04:00:24 (03:00:10 to 03:00:24 UTC)");
  expect(page).toContain(
    "28 Feb 2026, 23:59:01 to 23:59:04 (28 Feb 2026, 22:59:01 to 22:59:04 UTC)",
  );
  expect(page.match(/<rect class="(asked|outage)"/g)).toHaveLength(
    3 * page.split('class="chart"').slice(1).length,
  );
});

test.each<
  [
    status: FailedRow["status"],
    message: string,
    found: [column: string | undefined, message: string][],
  ]
>([
  [
    "invalid",
    'column "Age": "x; column \\"Age\\": y" is not a whole number; column "Email": is blank; column "Age": "x" is odd',
    [
      ["Age", "is not a whole number"],
      ["Email", "is blank"],
      ["Age", "is odd"],
    ],
  ],
  [
    "invalid",
    'has 3 cells; without a column: "pro"',
    [[undefined, 'has 3 cells; without a column: "pro"']],
  ],
  ["invalid", 'column "Gone": "x" is odd', [[undefined, 'column "Gone": "x" is odd']]],
  ["rejected", "profile.age is not accepted", [["Age", "profile.age is not accepted"]]],
  ["rejected", "a@x.example has been taken", [["Email", "a@x.example has been taken"]]],
  [
    "rejected",
    "the city of Amsterdam is not served",
    [["Place", "the city of Amsterdam is not served"]],
  ],
  ["rejected", "no reason given", [[undefined, "no reason given"]]],
])(
  "of a row that is %s the problems of %s are found, each with its column",
  (status, message, found) => {
    const members = new Map([["profile.age", "Age"]]);
    const collector = createFailedRows(["Email", "Age", "Place"], members);
    collector.add(failedRow(1, { status, message, cells: ["a@x.example", "x", "Amsterdam"] }));
    const { groups, severalProblems } = collector.groups();
    expect(groups.map((group) => [group.column, group.message])).toEqual(found);
    expect(severalProblems).toBe(Number(found.length > 1));
  },
);

const word = (number: number) =>
  [...String(number)].map((digit) => String.fromCharCode(97 + Number(digit))).join("");

test.each([10_000, 30])(
  "a page stays small if 60,000 rows fail in %d ways, and counts them all",
  (ways) => {
    const columns = ["Row", "One", "Two"];
    const collector = createFailedRows(columns);
    const rows = 60_000;
    const awkward = "<&\u202e".repeat(60);
    for (let row = 1; row <= rows; row++) {
      collector.add(
        failedRow(row, {
          message: word(row % ways),
          cells: [`${row}`, awkward.slice(0, 80), awkward.slice(0, 80)],
        }),
      );
    }
    const failed = collector.groups();
    const kept = failed.groups.flatMap((group) => group.rows.flatMap(({ cells }) => cells));
    expect(sum(kept.map((cell) => cell.length))).toBeLessThan(4_000_000);
    const figures = { ...figuresOf(6_000_000), ...manyPauses };
    const reported = { ...reportOf(complete({ rejected: rows }, { figures })), failed };
    const page = renderReport(reported);
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
    expect(page.match(/<tr><td class="num"/g)?.length).toBeGreaterThanOrEqual(24);
    // Only the largest group of a status is open.
    expect(page.match(/<details class="group"( open)?>/g)).toHaveLength(24);
    expect(page.match(/<details class="group" open>/g)).toHaveLength(1);
    const { problems, problems_left_out: rest } = reportFigures(reported);
    expect(sum(problems.map(({ count }) => count)) + rest).toBe(rows);
    const text = renderTextReport(reported);
    expect(text.length).toBeLessThanOrEqual(10);
    const counts = text.flatMap(
      (line) => /^- (?:and )?([\d,]+) /.exec(line)?.[1]?.replaceAll(",", "") ?? [],
    );
    expect(sum(counts.map(Number))).toBe(rows);
    expect(text.at(-1)).toMatch(/^- and [\d,]+ problems of other kinds$/);
    expect(text.filter((line) => line.endsWith("…"))).toEqual([]);
  },
);

test("what answers mean follows from the rules, and only settings that are not usual are shown", () => {
  const answer = (status: number) => ({ status, count: 1, first_at: at, last_at: at });
  const at = "2026-03-01T12:00:00.000Z";
  const answers = [202, 401, 409, 422, 429, 503].map(answer);
  const figures = { ...figuresOf(1000), answers };
  const options = { ...usual.options, success_statuses: "2xx,409", rate_per_second: 50 };
  const pageOf = (more: Partial<Manifest>) =>
    renderReport(reportOf(complete({ rejected: 6 }, { figures, ...more })));
  const page = pageOf({ options: options as Manifest["options"] });
  const meanings = [...page.matchAll(/<tr><td>(\d+)<\/td><td>([^<]+)<\/td>/g)].map(
    ([, status, what]) => [status, what],
  );
  expect(meanings).toEqual([
    ["202", "delivered"],
    ["401", "refused"],
    ["409", "delivered"],
    ["422", "refused"],
    ["429", "not now; sent again"],
    ["503", "not now; sent again"],
  ]);
  expect(page).toContain("--rate 50/s");
  expect(pageOf({})).not.toMatch(/--rate|success_statuses|&quot;/);
});

test("the largest groups come first, also if they come last in the file", () => {
  const collector = createFailedRows([]);
  for (let row = 1; row <= 500; row++)
    collector.add(failedRow(row, { message: `only ${word(row)}` }));
  for (let row = 501; row <= 600; row++) collector.add(failedRow(row, { message: `plan ${row}` }));
  const { groups } = collector.groups();
  expect(groups[0]).toMatchObject({ message: "plan …", count: 100, isAlike: false });
  expect(groups[0]?.rows[0]).toMatchObject({ row: 501, message: "plan 501" });
});

function failedRow(row: number, more: Partial<FailedRow> = {}): FailedRow {
  return {
    ...{ row, line: row + 1, source: undefined, status: "rejected", code: "http_422" },
    ...{ message: "", cells: [] },
    ...more,
  };
}

function reportOf(run: Partial<Manifest>, zone = "UTC"): Reported {
  return {
    run: { ...usual, ...run },
    failed: undefined,
    moments: createMoments(zone),
    ...{ next: undefined, toFix: undefined, map: undefined, missing: [] },
    ...{ isMasked: false, asTyped: (text: string) => text },
  };
}

const usual: Manifest = {
  ...given,
  input: { ...given.input, name: "people.csv" },
  mapping: { ...given.mapping, path: "people.yaml" },
  ...{ parts: [], results: "people.results.csv", failed_rows: "people.failed.csv" },
};

function figuresOf(durationMs: number): RunFigures {
  const times = { min_ms: 0.1, mean_ms: 1, p50_ms: 1, p95_ms: 1, p99_ms: 1 };
  return {
    parts: [{ started_at: "2026-03-01T12:00:00.000Z", at_ms: 0 }],
    series: { ...seriesOf(1, 3), bucket_ms: durationMs, duration_ms: durationMs },
    latency: { answers: 1, ...times, max_ms: 86_400_000, histogram: "" },
    pauses: { count: 0, longest: [] },
    ...{ answers: [], kinds: [] },
  };
}

/** As much of everything as a manifest can hold. */
const manyPauses: Partial<RunFigures> = {
  series: seriesOf(600, 1_234_567.8),
  pauses: {
    count: 1000,
    longest: Array.from({ length: 20 }, (_, at) => ({
      ...{ at_ms: at * 100, duration_ms: 1, reason: pauseReasons[at % 2] ?? "asked" },
      message: `${word(at)} ${"<&".repeat(95)}`,
    })),
  },
};
