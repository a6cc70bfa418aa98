import { describe, expect, it } from "vitest";
import type { GivenValue } from "../../../src/cli/options/arguments.ts";
import { nextCommands } from "../../../src/cli/options/next-commands.ts";
import { printedSummary, summaryForLog } from "../../../src/cli/terminal/printed.ts";
import { renderSummary, type SummaryDetails } from "../../../src/cli/terminal/summary.ts";

import { noCounts } from "../../../src/model/outcome.ts";
import type { EndedLine, OutcomeGroup } from "../../../src/model/outcome-groups.ts";
import type { RunSummary } from "../../../src/model/run-events.ts";
import { typedCommand } from "../../../src/model/typed-command.ts";

const latency = {
  ...{ answers: 1330, min_ms: 3, mean_ms: 24, p50_ms: 21, p95_ms: 80 },
  ...{ p99_ms: 120.4, max_ms: 1240 },
};

const complete: RunSummary = {
  exitReason: "complete",
  delivery: "at-least-once",
  ...{ rows: 1312, events: 1280, elapsedMs: 37_700 },
  ...{ attempts: 1330, unanswered: 0, perhapsTwice: 0 },
  counts: { ...noCounts(), succeeded: 1162, rejected: 118, invalid: 32 },
  results: "out/b.results.csv",
  failedRows: "out/b.failed.csv",
  manifest: "out/b.run.json",
  sending: {
    ...{ processes: 1, hasLostPart: false, durationMs: 35_000 },
    ...{ attempts: 1330, retries: 50, pauses: 0, latency },
    pausedMs: { asked: 0, outage: 0 },
  },
  problems: [],
  ungroupedProblems: 0,
};

const details: SummaryDetails = {
  next: {
    retry: ["eventload", "retry", "out/b.failed.csv"],
    report: ["eventload", "report", "out/b.results.csv"],
  },
  needsTokenCommand: false,
};

const line = (row: number, more: Partial<EndedLine> = {}): EndedLine => ({
  ...{ status: "rejected", code: "http_422", message: `phone "${row}" is not valid`, row },
  ...{ line: row + 1, source: undefined, ...more },
});

const group = (more: Partial<OutcomeGroup> = {}): OutcomeGroup => ({
  ...{ status: "rejected", code: "http_422", message: 'phone "…" is not valid', count: 118 },
  ...{ column: undefined, isAlike: false },
  first: [line(173), line(503), line(736), line(1100)],
  ...more,
});

it("names the column of what is rejected", () => {
  const lines = renderSummary({ ...complete, problems: [group({ column: "Tel" })] }, details);
  expect(lines).toContain('118 × rejected (422), column "Tel": phone "…" is not valid');
  const named = renderSummary({ ...complete, problems: [group({ column: "Phone" })] }, details);
  expect(named).toContain('118 × rejected (422): phone "…" is not valid');
});

describe("the summary", () => {
  it("shows the counts, how the sending went, the files, and what to type next", () => {
    expect(renderSummary(complete, details)).toEqual([
      "Complete: 1,312 rows, 1,280 events in 37.7 s",
      "  succeeded  1,162  the service accepted it",
      "  rejected     118  the service refused it",
      "  invalid       32  could not be mapped; nothing was sent",
      "  total      1,312",
      "1,330 attempts (38 requests/s), 50 of them retries",
      "Latency: median 21 ms, 95 % 80 ms, 99 % 120 ms, longest 1.2 s",
      "Results:     out/b.results.csv",
      "Failed rows: out/b.failed.csv",
      "Manifest:    out/b.run.json",
      "Next: fix out/b.failed.csv, then run: eventload retry out/b.failed.csv",
      "For a report, run: eventload report out/b.results.csv",
    ]);
  });

  it("tells what did not succeed, like with like, where first, and what to do", () => {
    const problems = [
      group(),
      group({ count: 2, message: "plan is unknown", first: [line(7), line(8)] }),
      group({
        ...{ status: "invalid", code: "missing_value", count: 1 },
        message: 'column "phone": is blank,\u001b[31m and\nthe mapping requires it',
        first: [line(15, { line: undefined })],
      }),
      group({ code: "http_403", message: "Forbidden", count: 10, first: [line(9)] }),
      group({ status: "failed", code: "ECONNREFUSED", message: "", count: 1, first: [line(9)] }),
    ];
    const lines = renderSummary({ ...complete, problems, ungroupedProblems: 3 }, details);
    const from = lines.indexOf("What did not succeed:");
    expect(lines.slice(from - 1, lines.indexOf("Results:     out/b.results.csv"))).toEqual([
      "",
      "What did not succeed:",
      '118 × rejected (422): phone "…" is not valid',
      "    rows 173 (line 174), 503 (line 504), 736 (line 737), …",
      "    Fix in the failed rows what the service refuses, then retry them.",
      "2 × rejected (422): plan is unknown",
      "    rows 7 (line 8), 8 (line 9)",
      '1 × invalid: column "phone": is blank, [31m and the mapping requires it',
      "    row 15",
      "    Fix the cells in the failed rows, or the mapping, then retry them.",
      "10 × rejected (403): Forbidden",
      "    rows 9 (line 10), …",
      "    Check the address and the token, then the failed rows, and retry them.",
      "1 × failed (ECONNREFUSED)",
      "    row 9 (line 10)",
      "    Nothing has to be fixed: retry the failed rows when the service works again.",
      "and 3 lines of other kinds: see out/b.failed.csv",
      "",
    ]);
  });

  it("in a narrow terminal breaks lines between words, and never a command", () => {
    const lines = renderSummary({ ...complete, problems: [group()] }, { ...details, columns: 40 });
    expect(lines).toContain("  invalid       32  could not be mapped;");
    expect(lines).toContain("    nothing was sent");
    expect(lines.slice(-2)).toEqual([
      "Next: fix out/b.failed.csv, then run: eventload retry out/b.failed.csv",
      "For a report, run: eventload report out/b.results.csv",
    ]);
  });

  it.each([
    [{ limit: "rate", share: 0.964, perSecond: 20 }, "96 % of the time by --rate (20/s)"],
    [{ limit: "throttling", perSecond: 49.7 }, "by the service, which takes about 50 requests/s"],
    [{ limit: "quota" }, "by the service's quota"],
    [{ limit: "concurrency" }, "by latency, with 8 requests in flight"],
    [{ limit: "adapted_concurrency" }, "by the service, which handles about 8 requests"],
  ] as const)("names what limited the sending: %j", (limited, text) => {
    const limitedBy = { share: 1, allowed: 8, ...limited };
    expect(renderSummary({ ...complete, limitedBy }, details).join("\n")).toContain(text);
  });

  it("tells of pauses, of repeats and of what may have arrived twice", () => {
    const pausedMs = { asked: 30_000, outage: 4200 };
    const sending = { ...complete.sending!, pauses: 2, pausedMs };
    const lines = renderSummary({ ...complete, sending, unanswered: 3, perhapsTwice: 2 }, details);
    expect(lines).toContain("2 pauses: 30.0 s as the service asked, 4.2 s during an outage");
    expect(lines).toContain(
      "3 attempts unanswered: 2 events may have arrived twice (import_unanswered)",
    );
    const stopped = { ...complete, exitReason: "interrupted", unanswered: 1 } as const;
    expect(renderSummary(stopped, details)).toContain(
      "1 attempt unanswered: that event may have arrived (import_unanswered)",
    );
  });

  it("of one that stopped says why, what is left, and how it goes on", () => {
    const stopped: RunSummary = {
      ...complete,
      isOver: false,
      events: 300,
      exitReason: "outage",
      message: "The service has accepted nothing for 15 min.",
      counts: { ...noCounts(), succeeded: 300, not_sent: 1012 },
    };
    const next = { resume: ["eventload", "resume", "out/b.results.csv"] };
    const lines = renderSummary(stopped, { ...details, next, needsTokenCommand: true });
    expect(lines.slice(0, 5)).toEqual([
      "Stopped after 37.7 s: 300 of 1,312 rows, 300 events",
      "The service has accepted nothing for 15 min.",
      "  succeeded    300  the service accepted it",
      "  not sent   1,012  rows not settled before the run stopped",
      "1,330 attempts (38 requests/s), 50 of them retries",
    ]);
    // There is no such file yet.
    expect(lines).toContain("Results:     out/b.results.csv, once it is complete");
    expect(lines.slice(-2)).toEqual([
      "Next: resume it: eventload resume out/b.results.csv",
      "The token is not stored: give the same --token-command again.",
    ]);
    const { results: _, ...nothing } = stopped;
    const told = renderSummary({ ...nothing, problems: [group()] }, details);
    expect(told.at(-1)).toMatch(/^No results were written/);
    expect(told).not.toContain("What did not succeed:");
  });

  it("says why there is no report", () => {
    const given = { ...details, report: { why: "the disk is full" } };
    expect(renderSummary(complete, given)).toContain("Report:      none: the disk is full");
  });
});

describe("the next command", () => {
  const typed = (settings: Record<string, GivenValue["origin"]>) => ({
    given: (name: string) =>
      name in settings
        ? { value: `a ${name}`, origin: settings[name]!, place: `--${name}` }
        : undefined,
  });

  it("repeats what was typed and is not known from the run before", () => {
    const line = "command line";
    const others = { mapping: line, rate: line, "token-command": line } as const;
    const args = typed({ config: line, target: line, "token-file": "environment", ...others });
    const next = nextCommands(complete, args, { env: {} });
    expect(printedSummary(complete, next).next).toMatchObject({
      retry: "eventload retry out/b.failed.csv --config 'a config' --target 'a target'",
      report: "eventload report out/b.results.csv --config 'a config'",
    });
  });

  it.each([
    ["outage", "npx eventload resume out/b.results.csv"],
    ["input_changed", undefined],
    ["complete", undefined],
  ] as const)("after %s resumes what can be, by npx as before", (why, found) => {
    const env = { npm_lifecycle_event: "npx" };
    const next = nextCommands({ ...complete, exitReason: why }, typed({}), { env });
    expect(typedCommand(next.resume) ?? undefined).toBe(found);
  });
});

describe("the summary for machines", () => {
  it("has groups, latencies, limits and the next commands", () => {
    const problems = [group({ first: [line(173)] })];
    const limitedBy = { limit: "rate", share: 0.964, allowed: 8 } as const;
    const summary = { ...complete, problems, ungroupedProblems: 2, limitedBy };
    expect(printedSummary(summary, details.next)).toMatchObject({
      ...{ rows: 1312, succeeded: 1162, attempts: 1330, retries: 50, unanswered: 0 },
      limited_by: { limit: "rate", share: 0.96 },
      ...{ elapsed_ms: 37_700, sending_ms: 35_000, exit_reason: "complete" },
      latency: { answers: 1330, min_ms: 3, mean_ms: 24, p50_ms: 21, max_ms: 1240 },
      paused_ms: { asked: 0, outage: 0 },
      problem_groups: [
        {
          ...{ status: "rejected", code: "http_422", count: 118 },
          message: 'phone "…" is not valid',
          first: [{ row: 173, line: 174, message: 'phone "173" is not valid' }],
          todo: "Fix in the failed rows what the service refuses, then retry them.",
        },
      ],
      problems_ungrouped: 2,
      next: { resume: null, retry: "eventload retry out/b.failed.csv" },
    });
  });

  it("has nothing of what cells hold where it goes into a log", () => {
    const logged = summaryForLog({ ...complete, problems: [group({ count: 5 })] }, {});
    expect(JSON.stringify(logged)).not.toContain("phone");
    expect(logged.problem_groups).toMatchObject([{ code: "http_422", count: 5 }]);
  });
});
