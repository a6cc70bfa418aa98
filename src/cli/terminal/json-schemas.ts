import { z } from "zod";
import { methods, resources } from "../../model/event.ts";
import { each } from "../../model/members.ts";
import { eventStatuses, outcomeStatuses } from "../../model/outcome.ts";
import { latencyNames, pauseReasons, sendingLimits } from "../../model/sending-state.ts";
import { printedFigures } from "../../report/report-figures.ts";

const number = z.number();
const text = z.string();
const maybe = <Value extends z.ZodType>(value: Value) => value.nullable();

const place = {
  row: number.describe("Number of the row, from 1"),
  line: maybe(number).describe("Physical line in its file"),
  source: text.optional().describe("The file, if there are several inputs"),
  results_file: text.optional().describe("The results file that the line is from"),
};

const counts = each(outcomeStatuses, number);

const differences = z.strictObject({
  ...each(["new", "changed", "open", "unchanged", "invalid", "left_out", "gone"], number),
  events: number.describe("Of the keys that are sent, without gone events"),
  before: number.describe("Keys that the service had"),
  unreadable_rows: number.describe("Rows whose key cannot be read"),
  blank_lines_between: number.describe("Lines without a filled cell that stand between rows"),
  changed_by: z
    .array(z.strictObject({ member: text, keys: number }))
    .describe("Members by which keys changed, of the first 10,000 that did"),
});

const refusal = {
  exit_reason: text,
  message: text,
  details: z.array(text).optional(),
};

/** Of a command that sends nothing and was refused or interrupted. */
const refused = z.strictObject(refusal);

const summary = z.strictObject({
  rows: number,
  events: number,
  ...counts,
  ...each(["attempts", "retries", "unanswered", "perhaps_twice"], number),
  ...each(["elapsed_ms", "sending_ms"], number),
  paused_ms: z.strictObject(each(pauseReasons, number)),
  limited_by: maybe(z.strictObject({ limit: z.enum(sendingLimits), share: number })),
  latency: maybe(z.strictObject(each(latencyNames, number))),
  ...each(["results", "failed_rows", "manifest"], maybe(text)),
  report: maybe(text).optional().describe("Only if one was asked for"),
  unchanged_rows: maybe(number).describe("Null without --state"),
  never_begun: number.describe("Rows that the account lacks, as it was closed before"),
  differences: maybe(differences).describe("Null without --state"),
  part: maybe(z.strictObject({ number, rows: number, ...counts })),
  was_complete: z.boolean(),
  ...refusal,
  message: maybe(text).describe("Null if it is complete"),
  problem_groups: z.array(
    z.strictObject({
      status: z.enum(eventStatuses),
      code: text,
      message: text,
      count: number,
      first: z.array(z.strictObject({ ...place, message: text })),
      todo: text.describe("The fix"),
    }),
  ),
  problems_ungrouped: number.describe("Lines in none of these groups"),
  next: z
    .strictObject(each(["resume", "retry", "merge", "report", "export"], maybe(text)))
    .describe("Commands to type"),
});

const problem = {
  ...place,
  column: maybe(text),
  value: maybe(text),
  code: text,
  message: text,
};

const member = z.strictObject({
  name: text,
  steps: z
    .array(z.strictObject({ by: text, of: text.optional(), gives: z.json().optional() }))
    .describe("The keys of the mapping file that make it, in order"),
  value: z.json().optional(),
  code: text.optional().describe("Why it cannot be made"),
  message: text.optional(),
});

const explained = maybe(
  z.array(
    z.strictObject({
      index: number.describe("Which of the mapping's events, from 1"),
      resource: z.enum(resources),
      left_out: maybe(text),
      members: z.array(member),
      ordering_key: z.array(member).optional(),
    }),
  ),
).describe("Null if a function makes the events");

const dialect = z.strictObject(
  each(["encoding", "delimiter", "quote", "escape", "sheet", "compression"], text.optional()),
);

const check = z.strictObject({
  ...each(["rows", "events", "invalid_rows", "skipped_rows", "blank_lines"], number),
  read_as: z.union([dialect, z.array(z.strictObject({ name: text, dialect }))]),
  problems_found: number,
  problems: z.array(z.strictObject(problem)).describe("The first 10,000"),
  problem_groups: z.array(
    z.strictObject({
      code: text,
      column: maybe(text),
      count: number,
      message: maybe(text).describe("Null if they do not say the same"),
      first: z.array(z.strictObject({ ...place, value: maybe(text), message: text })),
      cases: z.array(
        z.strictObject({
          value: maybe(text),
          message: text,
          count: number,
          first: z.strictObject(place),
        }),
      ),
    }),
  ),
  problems_ungrouped: number,
  event_kinds: z.array(
    z.strictObject({
      resource: z.enum(resources),
      method: z.enum(methods),
      event: maybe(text).describe("Null for further kinds together"),
      index: maybe(number).describe("0 for the event of a gone key"),
      count: number,
      members: z.array(z.strictObject({ name: text, count: number })),
    }),
  ),
  unused_columns: z.array(text),
  differences: differences.optional().describe("Only with --state"),
  preview: z.array(z.strictObject({ ...place, explained })).describe("The first rows"),
  findings: z.array(
    z.strictObject({
      kind: text,
      column: maybe(text),
      count: number,
      first: z.array(z.strictObject({ ...place, value: text.optional() })),
      message: text,
      suggestion: maybe(text).describe("A line for the mapping file"),
    }),
  ),
  warnings: z.array(text),
});

const row = z.union([
  z.strictObject({ ...place, problems: z.array(z.strictObject(problem)), explained }),
  z.strictObject({ ...place, skipped: text.describe("Why nothing is sent") }),
  z.strictObject({
    ...place,
    requests: z.array(
      z.strictObject({
        method: z.enum(methods),
        url: text,
        headers: z.record(text, text),
        body: z.json(),
      }),
    ),
    explained,
  }),
]);

const status = z.strictObject({
  accounts: z.array(
    z.strictObject({
      results: text,
      state: z.enum(["running", "unfinished", "complete", "damaged"]),
      reason: maybe(text),
      ...each(["part", "rows_settled", "rows_total", "succeeded", "open"], maybe(number)),
      next: maybe(text).describe("The command to type"),
    }),
  ),
});

const printed = {
  summary: z.union([summary, refused]).describe("What import, resume, retry and merge print"),
  check: z.union([check, row, refused]).describe("What check prints, or check --row"),
  status: z.union([status, refused]).describe("What status prints"),
  report: z.union([printedFigures, refused]).describe("What report prints"),
};

export type Printed = keyof typeof printed;

export function printedJsonSchema(name: Printed): object {
  return { title: `${name} of eventload as JSON`, ...z.toJSONSchema(printed[name]) };
}
