import { z } from "zod";
import { nightSchema } from "../model/manifest.ts";
import { each } from "../model/members.ts";
import { eventStatuses } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import { latencyNames, pauseReasons } from "../model/sending-state.ts";
import { typedCommand } from "../model/typed-command.ts";
import { checksOf } from "./checks.ts";
import { incidentsOf } from "./incidents.ts";
import { openOf, type Reported, settledOf } from "./reported-run.ts";
import { verdictOf } from "./verdict.ts";

const number = z.number();
const text = z.string();
const maybeText = text.nullable();

const figuresSchema = z.strictObject({
  version: z.literal(1).describe("Of this form"),
  eventload: text,
  input: text,
  base_url: text,
  verdict: z.enum(["delivered", "open", "stopped", "not_reconciled"]),
  headline: text.describe("The verdict as a sentence"),
  exit_reason: text,
  started_at: text,
  finished_at: text,
  ...each(
    ["elapsed_ms", "rows", "events", "delivered", "skipped", "attempts", "unanswered"],
    number,
  ),
  sending_ms: number.nullable().describe("Null, as retries, if the manifest has no figures"),
  retries: number.nullable(),
  lines: number.describe("Lines of the results that have a status"),
  open: number.describe("Lines that did not succeed and were not skipped"),
  not_settled: number.describe("Rows that had not settled when the run stopped"),
  counts: z.record(z.string(), number).describe("Lines by status"),
  perhaps_twice: number.describe("Events of which more than one attempt may have arrived"),
  parts: z.array(
    z.strictObject({
      part: number,
      command: z.enum(["import", "resume", "retry"]),
      started_at: text,
      finished_at: maybeText.describe("Null if it was killed"),
      exit_reason: maybeText,
      ...each(["rows", "delivered", "open", "attempts", "unanswered"], number),
    }),
  ),
  problems: z
    .array(
      z.strictObject({
        status: z.enum(eventStatuses),
        code: text,
        column: maybeText.describe("Whose cells are why, where that is known"),
        count: number,
        message: maybeText.describe("Null with --mask-cells, as all that may quote a cell"),
        share: number.describe("Of all lines, from 0 to 1"),
        rows: z.array(number).describe("The first row numbers"),
      }),
    )
    .describe(
      "What did not succeed, by column and reason, the largest groups first: a line with several problems is in each",
    ),
  problems_left_out: number.describe("Of further groups"),
  kinds: z.array(z.strictObject({ kind: maybeText, ...each(["requests", "succeeded"], number) })),
  answers: z.array(
    z.strictObject({ ...each(["status", "count"], number), first_at: text, last_at: text }),
  ),
  incidents: z.array(
    z.strictObject({
      reason: z.enum(pauseReasons),
      from: text,
      to: text,
      message: maybeText,
      ...each(["count", "duration_ms"], number),
    }),
  ),
  latency: z.strictObject(each(latencyNames, number)).nullable(),
  checks: z.array(z.strictObject({ name: text, holds: z.boolean() })),
  missing: z.array(text).describe("Files of the account that are missing"),
  night: nightSchema
    .nullable()
    .describe("Keys, as the input of a night differed from what the service had"),
  damage: maybeText.describe("What is damaged, or is not in the report"),
  next: maybeText.describe("The command to run next, in the folder of the results"),
});

export type ReportFigures = z.infer<typeof figuresSchema>;

/** What `eventload report --json` prints. */
export const printedFigures = figuresSchema.extend({
  output: text.describe("Path of the report"),
  bytes: number.describe("Its length"),
});

const maxGroups = 50;
const maxRows = 5;

export function reportFigures(reported: Reported): ReportFigures {
  const { run, failed, next, missing, damage, isMasked } = reported;
  const { eventload, input, base_url, exit_reason, started_at, finished_at, elapsed_ms } = run;
  const { rows, events, counts, attempts, unanswered, perhaps_twice, figures } = run;
  const lines = settledOf(counts);
  const groups = reported.failed?.groups ?? [];
  const { succeeded = 0, skipped = 0, not_sent = 0 } = counts;
  const { kind, headline } = verdictOf(reported);
  const unlessMasked = (message: string) => (isMasked ? null : message);
  return {
    version: 1,
    ...{ eventload, input: input.name, base_url, verdict: kind, headline, exit_reason },
    ...{ started_at, finished_at, elapsed_ms, rows, events, counts, attempts, unanswered },
    sending_ms: figures?.series.duration_ms ?? null,
    ...{ perhaps_twice, lines, delivered: succeeded, open: openOf(counts), skipped },
    not_settled: not_sent,
    retries: figures === undefined ? null : sum(figures.series.retries),
    parts: run.parts.map(({ part, command, started_at, finished_at, exit_reason, ...did }) => ({
      ...{ part, command, started_at, finished_at, exit_reason, rows: did.rows },
      ...{ delivered: did.counts.succeeded ?? 0, open: openOf(did.counts) },
      ...{ attempts: did.attempts, unanswered: did.unanswered },
    })),
    problems: groups.slice(0, maxGroups).map(({ status, code, column, message, count, rows }) => ({
      status,
      code,
      column: column ?? null,
      message: unlessMasked(message),
      count,
      share: lines === 0 ? 0 : count / lines,
      rows: rows.slice(0, maxRows).map(({ row }) => row),
    })),
    problems_left_out:
      sum(groups.slice(maxGroups).map(({ count }) => count)) + (failed?.ungrouped ?? 0),
    kinds: (figures?.kinds ?? []).map((one) => ({ ...one, kind: unlessMasked(one.kind) })),
    answers: [...(figures?.answers ?? [])],
    incidents: incidentsOf(figures).map(({ reason, count, from, to, durationMs, message }) => ({
      reason,
      count,
      from,
      to,
      duration_ms: durationMs,
      message: unlessMasked(message),
    })),
    latency: latencyOf(reported),
    checks: checksOf(reported).map(({ name, holds }) => ({ name, holds })),
    missing: [...missing],
    night: run.night ?? null,
    damage: damage ?? null,
    next: typedCommand(next?.command),
  };
}

function latencyOf({ run: { figures } }: Reported): ReportFigures["latency"] {
  if (figures === undefined || figures.latency.answers === 0) return null;
  const { histogram: _, ...latency } = figures.latency;
  return latency;
}
