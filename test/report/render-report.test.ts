import fc from "fast-check";
import { expect, test } from "vitest";
import { noCounts } from "../../src/model/outcome.ts";
import { sum } from "../../src/model/quantities.ts";
import { type RunFigures, seriesNames, type TimeSeries } from "../../src/model/run-figures.ts";
import { pauseReasons } from "../../src/model/sending-state.ts";
import { html } from "../../src/report/html.ts";
import { groupPauses } from "../../src/report/pauses-section.ts";
import { compareResults, reconcile } from "../../src/report/reconciliation.ts";
import { renderReport } from "../../src/report/render-report.ts";
import type { ReportedRun } from "../../src/report/reported-run.ts";
import { createResultsSummarizer } from "../../src/report/results-summary.ts";
import { linearScale, logScale, perSecond, seriesPoints } from "../../src/report/time-chart.ts";

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
  [8, ["0", "2 ms", "4 ms", "6 ms", "8 ms"]],
  [81, ["0", "20 ms", "40 ms", "60 ms", "80 ms"]],
  [2100, ["0", "0.5 s", "1 s", "1.5 s", "2 s"]],
  [28_400, ["0", "5 s", "10 s", "15 s", "20 s", "25 s"]],
  [140_000, ["0", "30 s", "1 min", "1 min 30 s", "2 min"]],
  [480_000, ["0", "2 min", "4 min", "6 min", "8 min"]],
  [9_000_000, ["0", "30 min", "1 h", "1 h 30 min", "2 h", "2 h 30 min"]],
  [4_000_000_000, ["0", "192 h", "384 h", "576 h", "768 h", "960 h"]],
])("the moments of a run of %d ms are round, and can be told apart", (durationMs, wanted) => {
  const series = { ...seriesOf(1, 3), bucket_ms: durationMs, duration_ms: durationMs };
  const figures = { ...largest(String), parts: [], series };
  const page = renderReport({ ...run, figures }, createResultsSummarizer().summary());
  const [, foot = ""] = /<div class="foot"[^>]*>(.*?)<\/div>/s.exec(page) ?? [];
  expect([...foot.matchAll(/>([^<]+)</g)].map(([, text]) => text)).toEqual(wanted);
});

test.each([
  ["The plan is not known.", undefined],
  [`The plan is not known, nor is any other of those. ${"More of it. ".repeat(40)}`, "those."],
  [`${"word ".repeat(60)}`.trim(), "word…"],
  ["x".repeat(400), "x…"],
  [`${"x".repeat(99)}${"\u{1f600}".repeat(30)}`, "x…"],
])("a heading is short, and what it leaves out stands below, once: %s", (error, end) => {
  const summary = createResultsSummarizer();
  const earlier = {
    ...({ status: "rejected", errorCode: "http_422", eventId: "", unanswered: 0 } as const),
    ...{ line: 2, error },
  };
  summary.add({ row: 1, line: 2, cells: [], earlier });
  const page = renderReport(run, summary.summary());
  const [, title = ""] = /<h3 id="problem-1"><bdi>(.*?)<\/bdi>/s.exec(page) ?? [];
  const [, said] = /<p class="said"><bdi>(.*?)<\/bdi>/s.exec(page) ?? [];
  expect(title.length).toBeLessThanOrEqual(101);
  expect(title.endsWith(end ?? error)).toBe(true);
  const both = `${title.replace(/…$/, "")} ${said?.replace(/^… /, "") ?? ""}`;
  expect(both.replaceAll(" ", "")).toBe(error.replaceAll(" ", ""));
});

test.each([
  ["complete", {}, "Nothing: every line of the results file succeeded or was skipped."],
  [
    "complete",
    { rejected: 2 },
    "Nothing in the results file as it is now, but there were 2 when the run ended.",
  ],
  [
    "outage",
    { not_sent: 4976 },
    "Nothing so far; 4,976 rows had not settled when the run stopped.",
  ],
  ["outage", { not_sent: 1 }, "Nothing so far; 1 row had not settled when the run stopped."],
  [
    "outage",
    { rejected: 1, not_sent: 3 },
    "Nothing in the results file so far. 1 line that did not succeed waits for others before it, and will be in the results file after a resume.",
  ],
])("a run that is %s with %j speaks of what there is: %s", (exit_reason, counted, said) => {
  const counts = { ...noCounts(), succeeded: 24, ...counted };
  const page = renderReport({ ...run, exit_reason, counts }, createResultsSummarizer().summary());
  const [, note] = /<h2 id="problems">.*?<p class="note">(.*?)<\/p>/s.exec(page) ?? [];
  expect(note).toBe(said);
});

test("pauses that say the same are one line, with how many and how long in all", () => {
  const said = (message: string, at_ms: number, reason: "asked" | "outage" = "asked") => ({
    ...{ at_ms, duration_ms: 1000 + at_ms, reason, message },
  });
  const pauses = [
    ...[said("wait 3 s", 40), said("wait 2 s", 20), said("down", 30, "outage")],
    ...[said("down", 10, "outage"), said("down", 50)],
  ];
  expect(groupPauses(pauses)).toEqual([
    {
      ...{ reason: "outage", message: "down", count: 2 },
      ...{ firstAtMs: 10, durationMs: 2040, longestMs: 1030 },
    },
    {
      ...{ reason: "asked", message: "wait # s", count: 2 },
      ...{ firstAtMs: 20, durationMs: 2060, longestMs: 1040 },
    },
    {
      ...{ reason: "asked", message: "down", count: 1 },
      ...{ firstAtMs: 50, durationMs: 1050, longestMs: 1050 },
    },
  ]);
});

test("of pauses that say the same, the longest may be any", () => {
  const pauses = [3000, 9000, 2000].map((duration_ms, at) => ({
    ...{ at_ms: at * 10_000, duration_ms, reason: "asked" as const, message: "wait" },
  }));
  expect(groupPauses(pauses)).toMatchObject([{ count: 3, durationMs: 14_000, longestMs: 9000 }]);
});

test.each<[Partial<ReportedRun>, string]>([
  [{ unanswered: 3, perhaps_twice: 2 }, "2 events may have arrived twice"],
  [{ unanswered: 3 }, "these may have arrived"],
  [{ counts: { ...noCounts(), unknown: 1 } }, "in this run"],
  [{}, "no event is unknown"],
])("what is unanswered is told from what may have arrived twice: %j", (given, note) => {
  const page = renderReport({ ...run, ...given }, createResultsSummarizer().summary());
  expect(page).toMatch(new RegExp(`<dt>Unanswered</dt><dd>.*<small>${note}</small></dd>`));
});

const line = (status: "succeeded" | "rejected" | undefined, unanswered = 0) => ({
  ...{ row: 1, line: 2, cells: [] },
  earlier: {
    ...{ unanswered, errorCode: "", error: "", eventId: "", line: 2 },
    ...(status === undefined ? {} : { status }),
  },
});

test("an event that succeeded at its first answer has arrived once", () => {
  const summary = createResultsSummarizer();
  for (const unanswered of [0, 0, 1]) summary.add(line("succeeded", unanswered));
  summary.add(line("rejected", 1));
  expect(summary.summary().perhapsTwice.count).toBe(1);
});

test("a status that was cleared is shown once, as what is missing", () => {
  const summary = createResultsSummarizer();
  summary.add(line("succeeded"));
  summary.add(line(undefined));
  const two = {
    ...{ ...run, rows: 2, events: 2, counts: { ...noCounts(), succeeded: 2 } },
    reconciliation: { ...run.reconciliation, rows_read: 2, rows_settled: 2, lines: 2 },
  };
  expect(compareResults(two, summary.summary())).toEqual(["1 succeeded instead of 2"]);
});

const pageOf = (series: Partial<TimeSeries>, given: Partial<ReportedRun> = {}) => {
  const figures = { ...largest(String), series: { ...seriesOf(4, 0), ...series } };
  return renderReport({ ...run, figures, ...given }, createResultsSummarizer().summary());
};

test("where nothing was sent there is no chart, and it says so", () => {
  const page = pageOf({ skipped: [5, 5, 5, 5] }, { attempts: 0 });
  expect(page).toContain("Nothing was sent, so there are no charts");
  expect(page).not.toContain('class="chart"');
  expect(page).not.toContain("<dt>Rate</dt>");
  expect(page).not.toContain("Time to an answer</h2>");
});

test("a legend names what there is, and rows that were never sent are not in events per second", () => {
  const sent = { attempts: [9, 9, 9, 9], succeeded: [9, 9, 9, 9] };
  const clean = pageOf(sent);
  expect(clean).toContain("</span>succeeded</li>");
  expect(clean).not.toContain("</span>sent without success</li>");
  const unsent = { not_succeeded: [90, 90, 0, 0], unsent: [90, 90, 0, 0] };
  const withInvalid = pageOf({ ...sent, ...unsent });
  expect(withInvalid).not.toContain("</span>sent without success</li>");
  expect(withInvalid).toContain("settled per second, at most 180.");
  expect(withInvalid).toContain('<th scope="col">Never sent</th>');
  const refused = pageOf({ ...sent, ...unsent, unsent: [88, 90, 0, 0] });
  expect(refused).toContain("</span>sent without success</li>");
});

test("each table has a name", () => {
  const summary = createResultsSummarizer();
  const earlier = {
    status: "rejected",
    errorCode: "http_422",
    eventId: "",
    unanswered: 1,
  } as const;
  for (const error of ["no 1", "no 2"]) {
    const line = { line: 2, error, source: "a.csv" };
    summary.add({ row: 1, line: 2, cells: [], earlier: { ...earlier, ...line } });
    const done = { ...earlier, status: "succeeded" as const };
    summary.add({ row: 1, line: 2, cells: [], earlier: { ...done, ...line } });
  }
  const figures = { ...largest(String), series: seriesOf(4, 1) };
  const page = renderReport({ ...run, figures }, summary.summary());
  const tables = [...page.matchAll(/<table([^>]*)>/g)].map(([, attributes = ""]) => attributes);
  expect(tables).toHaveLength(8);
  for (const attributes of tables) {
    const [, label, id] = / aria-label(?:ledby="([^"]+)"|="([^"]+)")/.exec(attributes) ?? [];
    expect(label === undefined ? id : page.includes(` id="${label}"`)).toBeTruthy();
  }
});

test("what is drawn is within its scale", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 1e9, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (largest, share) => {
        const linear = linearScale(largest);
        expect(linear.place(largest)).toBeLessThanOrEqual(1 + 1e-9);
        expect(linear.place(largest)).toBeGreaterThanOrEqual(0.49);
        const smallest = Math.max(0.1, largest * share);
        const log = logScale(smallest, Math.max(smallest, largest));
        expect(log.place(Math.max(smallest, largest))).toBeLessThanOrEqual(1 + 1e-9);
        expect(log.place(smallest)).toBeGreaterThanOrEqual(-1e-9);
        for (const { at } of [...linear.labels, ...log.labels]) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(1);
        }
      },
    ),
  );
});

test("a report stays small with as much of everything as it can hold", () => {
  const message = (at: number) => `${"<&".repeat(400)} ${String.fromCharCode(97 + (at % 26))}`;
  const summary = createResultsSummarizer();
  for (let row = 1; row <= 20_000; row++) {
    const word = [...String(row)].map((digit) => String.fromCharCode(97 + Number(digit))).join("");
    const earlier = {
      ...({ status: "rejected", errorCode: "http_422", eventId: "", unanswered: 1 } as const),
      ...{ line: row + 1, source: message(row), error: `${word} ${message(row)}` },
    };
    summary.add({ row, line: row + 1, cells: [], earlier });
  }
  const page = renderReport({ ...run, figures: largest(message) }, summary.summary());
  expect(page.length).toBeGreaterThan(200_000);
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
  expect(page).toContain("more, all different from these");
});

test("lines of a part that was killed are not compared with charts that cannot have them", () => {
  const summary = createResultsSummarizer().summary();
  const figures = { ...largest(String), series: seriesOf(4, 100) };
  const shown = (given: Partial<ReportedRun>) =>
    renderReport({ ...run, figures, ...given }, summary);
  expect(shown({})).toMatch(/20,000 and 1,200: a part .* left no figures<.td><td>– not known/);
  const fewer = { counts: { ...noCounts(), rejected: 1199 }, attempts: 400 };
  expect(shown(fewer)).toMatch(/1,199 ≠ 1,200<.td><td class="bad">/);
  expect(shown(fewer)).not.toContain("1,199 and 1,200");
  expect(shown(fewer)).toContain("do not rely on the charts");
  expect(shown({})).not.toContain("do not rely on the charts");
  // A part that ended nothing has left out attempts alone.
  const asMany = { ...run, figures, counts: { ...noCounts(), rejected: 1200 } };
  expect(reconcile(asMany, summary).at(-1)).toMatchObject({
    ...{ name: "holds.figures", found: "1,200 = 1,200", holds: true },
  });
});

const run: ReportedRun = {
  eventload: "0.1.0",
  input: { path: "/x/people.csv", name: "people.csv", bytes: 1, sha256: "aa" },
  mapping: { path: "/x/people.yaml", bytes: 10, sha256: "aa" },
  base_url: "https://example.com",
  options: {
    delivery: "at-least-once",
    concurrency: 32,
    timeout_ms: 30_000,
    reading: { header: true },
  },
  parts: [{ part: 1, started_at: "2026-03-01T12:00:00.000Z", finished_at: null }],
  started_at: "2026-03-01T12:00:00.000Z",
  finished_at: "2026-03-01T12:00:01.000Z",
  elapsed_ms: 1000,
  rows: 20_000,
  events: 20_000,
  counts: { ...noCounts(), rejected: 20_000 },
  attempts: 20_000,
  unanswered: 0,
  perhaps_twice: 0,
  reconciliation: {
    ...{ rows_read: 20_000, rows_settled: 20_000, rows_not_settled: 0, rows_written: 20_000 },
    ...{ lines: 20_000, adds_up: true },
  },
  exit_reason: "complete",
  message: null,
  results: "/x/people.results.csv",
  failed_rows: "/x/people.failed.csv",
};

function largest(message: (at: number) => string): RunFigures {
  return {
    parts: Array.from({ length: 100 }, (_, at) => ({
      started_at: "2026-03-01T12:00:00.000Z",
      at_ms: at * 100,
    })),
    series: seriesOf(600, 1_234_567.8),
    latency: {
      ...{ answers: 1, min_ms: 0.1, mean_ms: 1, p50_ms: 1, p75_ms: 1, p90_ms: 1, p95_ms: 1 },
      ...{ p99_ms: 1, p999_ms: 1, max_ms: 86_400_000, histogram: "" },
    },
    pauses: {
      count: 1000,
      longest: Array.from({ length: 20 }, (_, at) => ({
        at_ms: at,
        duration_ms: 1,
        reason: pauseReasons[at % 3] ?? "asked",
        message: message(at).slice(0, 200),
      })),
    },
  };
}
