import { z } from "zod";
import { nightSchema } from "../model/manifest.ts";
import { each, number, orNull, string } from "../model/members.ts";
import { eventStatuses } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import { latencyNames, pauseReasons } from "../model/sending-state.ts";
import { typedCommand } from "../model/typed-command.ts";
import { checksOf } from "./checks.ts";
import { incidentsOf } from "./incidents.ts";
import { notDoneOf, type Reported, settledOf } from "./reported-run.ts";
import { verdictOf } from "./verdict.ts";

const maybeText = orNull(string);

const reportSchema = z.object({
  version: z.literal(1).describe("Of this form"),
  eventload: string,
  input: string,
  base_url: string,
  verdict: z.enum(["delivered", "open", "stopped", "not_reconciled"]),
  headline: string.describe("The verdict as a sentence"),
  exit_reason: string,
  started_at: string,
  finished_at: string,
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
      started_at: string,
      finished_at: maybeText.describe("Null if it was killed"),
      exit_reason: maybeText,
      ...each(["rows", "delivered", "open", "attempts", "unanswered"], number),
    }),
  ),
  problems: z
    .array(
      z.object({
        status: z.enum(eventStatuses),
        code: string,
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
    z.object({ ...each(["status", "count"], number), first_at: string, last_at: string }),
  ),
  incidents: z.array(
    z.object({
      reason: z.enum(pauseReasons),
      from: string,
      to: string,
      message: maybeText,
      ...each(["count", "duration_ms"], number),
    }),
  ),
  latency: orNull(z.object(each(latencyNames, number))),
  checks: z.array(z.object({ name: string, holds: z.boolean() })),
  missing: z.array(string).describe("Files of the account that are missing"),
  night: orNull(nightSchema).describe(
    "Keys, as the input of a night differed from what the service had",
  ),
  next: maybeText.describe("The command to run next, in the folder of the results"),
});

export type ReportFigures = z.infer<typeof reportSchema>;

/** What `eventload report --json` prints. */
export const printedFigures = reportSchema.extend({
  output: string.describe("Path of the report"),
  bytes: number.describe("Its length"),
});

const maxGroupsReported = 50;
const maxRowsOfGroup = 5;

export function reportFigures(reported: Reported): ReportFigures {
  const { run, failed, next, missing, isMasked } = reported;
  const { input, counts, figures } = run;
  const lines = settledOf(counts);
  const typed = typedCommand(next?.command);
  const groups = failed?.groups ?? [];
  const { kind: verdict, headline } = verdictOf(reported);
  const delivered = (of: typeof counts) => ({ delivered: of.succeeded ?? 0, open: notDoneOf(of) });
  const unlessMasked = (message: string) => (isMasked ? null : message);
  return reportSchema.parse({
    ...{ ...run, version: 1, input: input.name, verdict, headline, missing, lines },
    ...{ ...delivered(counts), skipped: counts.skipped ?? 0, not_settled: counts.not_sent ?? 0 },
    sending_ms: figures?.series.duration_ms,
    retries: figures && sum(figures.series.retries),
    parts: run.parts.map((part) => ({ ...part, ...delivered(part.counts) })),
    problems: groups.slice(0, maxGroupsReported).map((group) => ({
      ...group,
      message: unlessMasked(group.message),
      share: lines === 0 ? 0 : group.count / lines,
      rows: group.rows.slice(0, maxRowsOfGroup).map(({ row }) => row),
    })),
    problems_left_out:
      sum(groups.slice(maxGroupsReported).map(({ count }) => count)) + (failed?.ungrouped ?? 0),
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
