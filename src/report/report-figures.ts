import { z } from "zod";
import { nightSchema } from "../model/manifest.ts";
import { each, orNull } from "../model/members.ts";
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
const maybeText = orNull(text);

const figuresSchema = z.object({
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
  sending_ms: orNull(number).describe("Null, as retries, if the manifest has no figures"),
  retries: orNull(number),
  lines: number.describe("Lines of the results that have a status"),
  open: number.describe("Lines that did not succeed and were not skipped"),
  not_settled: number.describe("Rows that had not settled when the run stopped"),
  counts: z.record(z.string(), number).describe("Lines by status"),
  perhaps_twice: number.describe("Events of which more than one attempt may have arrived"),
  parts: z.array(
    z.object({
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
      z.object({
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
  kinds: z.array(z.object({ kind: maybeText, ...each(["requests", "succeeded"], number) })),
  answers: z.array(
    z.object({ ...each(["status", "count"], number), first_at: text, last_at: text }),
  ),
  incidents: z.array(
    z.object({
      reason: z.enum(pauseReasons),
      from: text,
      to: text,
      message: maybeText,
      ...each(["count", "duration_ms"], number),
    }),
  ),
  latency: orNull(z.object(each(latencyNames, number))),
  checks: z.array(z.object({ name: text, holds: z.boolean() })),
  missing: z.array(text).describe("Files of the account that are missing"),
  night: orNull(nightSchema).describe(
    "Keys, as the input of a night differed from what the service had",
  ),
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
  const { run, failed, next, missing, isMasked } = reported;
  const { input, counts, figures } = run;
  const lines = settledOf(counts);
  const typed = typedCommand(next?.command);
  const groups = failed?.groups ?? [];
  const { kind: verdict, headline } = verdictOf(reported);
  const delivered = (of: typeof counts) => ({ delivered: of.succeeded ?? 0, open: openOf(of) });
  const unlessMasked = (message: string) => (isMasked ? null : message);
  return figuresSchema.parse({
    ...{ ...run, version: 1, input: input.name, verdict, headline, missing, lines },
    ...{ ...delivered(counts), skipped: counts.skipped ?? 0, not_settled: counts.not_sent ?? 0 },
    sending_ms: figures?.series.duration_ms,
    retries: figures && sum(figures.series.retries),
    parts: run.parts.map((part) => ({ ...part, ...delivered(part.counts) })),
    problems: groups.slice(0, maxGroups).map((group) => ({
      ...group,
      message: unlessMasked(group.message),
      share: lines === 0 ? 0 : group.count / lines,
      rows: group.rows.slice(0, maxRows).map(({ row }) => row),
    })),
    problems_left_out:
      sum(groups.slice(maxGroups).map(({ count }) => count)) + (failed?.ungrouped ?? 0),
    kinds: (figures?.kinds ?? []).map((one) => ({ ...one, kind: unlessMasked(one.kind) })),
    answers: figures?.answers ?? [],
    incidents: incidentsOf(figures).map((one) => ({
      ...one,
      message: unlessMasked(one.message),
      duration_ms: one.durationMs,
    })),
    latency: figures?.latency.answers === 0 ? null : figures?.latency,
    checks: checksOf(reported),
    next: typed && reported.asTyped(typed),
  });
}
