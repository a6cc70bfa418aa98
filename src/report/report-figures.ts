import { z } from "zod";
import { eventStatuses } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import { checksOf } from "./checks.ts";
import { incidentsOf } from "./incidents.ts";
import { hasLostPart, openOf, type Reported, settledOf } from "./reported-run.ts";
import { verdictOf } from "./verdict.ts";

const number = z.number();
const text = z.string();
const counted = { attempts: number, unanswered: number };

/** The figures of a report, as `eventload report --json` prints them. */
const figuresSchema = z.strictObject({
  version: z.literal(1).describe("Of this form"),
  eventload: text,
  input: text.describe("The name of the input"),
  base_url: text,
  verdict: z.enum(["delivered", "open", "stopped", "not_reconciled"]),
  headline: text.describe("The verdict as a sentence"),
  exit_reason: text,
  started_at: text,
  finished_at: text,
  elapsed_ms: number,
  sending_ms: number.nullable().describe("The time of sending; null if it is not known"),
  is_part_lost: z.boolean().describe("Whether a part was killed, so that its figures are missing"),
  rows: number,
  events: number,
  lines: number.describe("Lines of the results that have a status"),
  delivered: number.describe("Lines that succeeded"),
  open: number.describe("Lines that did not succeed and were not skipped"),
  skipped: number,
  not_settled: number.describe("Rows that had not settled when the run stopped"),
  counts: z.record(z.string(), number).describe("Lines by status"),
  ...counted,
  perhaps_twice: number.describe("Events of which more than one attempt may have arrived"),
  retries: number.nullable(),
  parts: z.array(
    z.strictObject({
      part: number,
      command: z.enum(["import", "resume", "retry"]),
      started_at: text,
      finished_at: text.nullable().describe("Null if it was killed"),
      rows: number,
      delivered: number,
      open: number,
      ...counted,
      exit_reason: text.nullable(),
    }),
  ),
  problems: z
    .array(
      z.strictObject({
        status: z.enum(eventStatuses),
        code: text,
        message: text.nullable().describe("Null with --mask-cells"),
        count: number,
        share: number.describe("Of all lines, from 0 to 1"),
        rows: z.array(number).describe("The first row numbers"),
      }),
    )
    .describe("What did not succeed, the largest groups first"),
  problems_left_out: number.describe("Lines of further groups"),
  kinds: z.array(z.strictObject({ kind: text.nullable(), requests: number, succeeded: number })),
  answers: z.array(
    z.strictObject({ status: number, count: number, first_at: text, last_at: text }),
  ),
  incidents: z.array(
    z.strictObject({
      reason: z.enum(["outage", "asked"]),
      count: number,
      from: text,
      to: text,
      duration_ms: number,
      message: text.nullable().describe("Null with --mask-cells"),
    }),
  ),
  latency: z
    .strictObject({
      ...{ answers: number, min_ms: number, mean_ms: number, p50_ms: number, p95_ms: number },
      ...{ p99_ms: number, max_ms: number },
    })
    .nullable(),
  checks: z.array(
    z.strictObject({
      name: text,
      holds: z.boolean().nullable().describe("Null if it is not known"),
    }),
  ),
  missing: z.array(text).describe("Files of the account that are missing"),
  damage: text.nullable().describe("What is damaged, or is not in the report"),
  next: text.nullable().describe("The command to run next, in the folder of the results"),
});

export type ReportFigures = z.infer<typeof figuresSchema>;

/** The JSON Schema of what `eventload report --json` prints. */
export function reportJsonSchema(): object {
  const printed = figuresSchema.extend({
    output: text.describe("Path of the report"),
    bytes: number.describe("Its length"),
  });
  const title = "The figures of a report of eventload";
  return { title, ...z.toJSONSchema(printed) };
}

const maxGroups = 50;
const maxRows = 5;

export function reportFigures(reported: Reported): ReportFigures {
  const { run, failed, next, missing, damage, isMasked } = reported;
  const { counts, figures } = run;
  const lines = settledOf(counts);
  const groups = problemsOf(reported);
  const { succeeded = 0, skipped = 0, not_sent = 0 } = counts;
  const { kind, headline } = verdictOf(reported);
  const { answers, min_ms, mean_ms, p50_ms, p95_ms, p99_ms, max_ms } = figures?.latency ?? {};
  const unlessMasked = (message: string) => (isMasked ? null : message);
  return {
    ...{ version: 1, eventload: run.eventload, input: run.input.name, base_url: run.base_url },
    ...{ verdict: kind, headline, exit_reason: run.exit_reason },
    ...{ started_at: run.started_at, finished_at: run.finished_at, elapsed_ms: run.elapsed_ms },
    sending_ms: figures?.series.duration_ms ?? null,
    is_part_lost: hasLostPart(run),
    ...{ rows: run.rows, events: run.events, lines, delivered: succeeded, open: openOf(counts) },
    ...{ skipped, not_settled: not_sent, counts },
    ...{ attempts: run.attempts, unanswered: run.unanswered, perhaps_twice: run.perhaps_twice },
    retries: figures === undefined ? null : sum(figures.series.retries),
    parts: run.parts.map((part) => ({
      ...{ part: part.part, command: part.command, started_at: part.started_at },
      ...{ finished_at: part.finished_at, rows: part.rows },
      ...{ delivered: part.counts.succeeded ?? 0, open: openOf(part.counts) },
      ...{ attempts: part.attempts, unanswered: part.unanswered, exit_reason: part.exit_reason },
    })),
    problems: groups.slice(0, maxGroups).map(({ status, code, message, count, rows }) => ({
      ...{ status, code, message: unlessMasked(message), count },
      ...{ share: lines === 0 ? 0 : count / lines, rows: rows.slice(0, maxRows) },
    })),
    problems_left_out:
      sum(groups.slice(maxGroups).map(({ count }) => count)) + (failed?.ungrouped ?? 0),
    kinds: (figures?.kinds ?? []).map((one) => ({ ...one, kind: unlessMasked(one.kind) })),
    answers: [...(figures?.answers ?? [])],
    incidents: incidentsOf(figures).map(({ reason, count, from, to, durationMs, message }) => ({
      ...{ reason, count, from, to, duration_ms: durationMs, message: unlessMasked(message) },
    })),
    latency:
      answers === undefined || answers === 0
        ? null
        : ({ answers, min_ms, mean_ms, p50_ms, p95_ms, p99_ms, max_ms } as NonNullable<
            ReportFigures["latency"]
          >),
    checks: checksOf(reported).map(({ name, holds }) => ({ name, holds: holds ?? null })),
    missing: [...missing],
    damage: damage ?? null,
    next: next?.command ?? null,
  };
}

/** What did not succeed: by the failed rows, or while there are none by the manifest. */
function problemsOf({ run, failed }: Reported) {
  if (failed === undefined) return run.problems ?? [];
  return failed.groups.map((group) => ({ ...group, rows: group.rows.map(({ row }) => row) }));
}
