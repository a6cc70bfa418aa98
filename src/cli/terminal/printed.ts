import { z } from "zod";
import { inSnakeCase } from "../../model/escape-text.ts";
import {
  type EventExplanation,
  type MemberExplanation,
  methods,
  resources,
} from "../../model/event.ts";
import { each, number, orNull, string } from "../../model/members.ts";
import type { NextCommands } from "../../model/next-step.ts";
import {
  eventStatuses,
  type OutcomeStatus,
  outcomeStatuses,
  statusMeanings,
  todoOf,
} from "../../model/outcome.ts";
import { describeProblem } from "../../model/place.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { RunSummary } from "../../model/run-events.ts";
import { latencyNames, pauseReasons, sendingLimits } from "../../model/sending-state.ts";
import { typedCommand } from "../../model/typed-command.ts";
import { printedFigures } from "../../report/report-figures.ts";
import type { FoundAccount } from "../../run/account/find-accounts.ts";
import type { FullCheckReport } from "../../run/check/check-report.ts";
import type { Preview } from "../../run/check/preview.ts";

/* What is printed as JSON, and what a log repeats of it. A schema says which members of a value are printed, and in which form. */

/** An object as it is printed: of one with names in camelCase, the members that are named here. */
function object<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(namesInSnakeCase, z.object(shape));
}

function namesInSnakeCase(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [inSnakeCase(name), member]),
  );
}

const rounded = number.overwrite(Math.round);

const placeMembers = {
  row: number.describe("Number of the row, from 1"),
  line: orNull(number).describe("Physical line in its file"),
  source: string.optional().describe("The file, if there are several inputs"),
  results_file: string.optional().describe("The results file that the line is from"),
};

const counts = Object.fromEntries(
  outcomeStatuses.map((status) => [status, number.describe(statusMeanings[status].meaning)]),
) as Record<OutcomeStatus, typeof number>;

/** How the input of a night differs from what the service has: keys, but for events and unreadable rows. */
const printedDifferences = object({
  ...each(["new", "changed", "open", "unchanged", "invalid", "left_out", "gone"], number),
  events: number.describe("Of the keys that are sent, without gone events"),
  before: number.describe("Keys that the service had"),
  unreadable_rows: number.describe("Rows whose key cannot be read"),
  blank_lines_between: number.describe("Lines without a filled cell that stand between rows"),
  changed_by: z
    .array(object({ member: string, keys: number }))
    .prefault([])
    .describe("Members by which keys changed, of the first 10,000 that did"),
});

const refusalMembers = {
  exit_reason: string.describe("`complete`, or why it stopped or did not start"),
  message: string,
  details: z.array(string).optional().describe("Only if there are several reasons"),
};

const refused = object(refusalMembers);

const outcomeGroup = {
  status: z.enum(eventStatuses),
  code: string,
  column: orNull(string).describe("Whose cells are why, where that is known"),
  message: string,
  count: number,
  first: z.array(object({ ...placeMembers, message: string })),
  todo: string.describe("The fix"),
};

const summaryMembers = {
  rows: number.describe("Rows of the account or, if the run stopped, of the part"),
  events: number.describe("Events of these rows that have an outcome"),
  ...counts,
  attempts: number.describe("Requests in all parts"),
  retries: number.describe("Those of them that were not the first of their event"),
  unanswered: number.describe("Those of them without an answer"),
  perhaps_twice: number.describe("Events of which more than one request may have arrived"),
  elapsed_ms: rounded.describe("Time that the command took"),
  sending_ms: rounded.describe("Time of sending in all parts"),
  paused_ms: object(each(pauseReasons, rounded.prefault(0)))
    .prefault({})
    .describe("Time of that in pauses, by reason"),
  limited_by: orNull(
    object({
      limit: z.enum(sendingLimits),
      share: number.overwrite((share) => Math.round(share * 100) / 100),
    }),
  ).describe(
    "What limited the speed most of the time, and its share of it; null if nothing did for a quarter of it",
  ),
  latency: orNull(object(each(latencyNames, number))).describe(
    "How long answers took; null without answers",
  ),
  results: orNull(string).describe("Path of the results, or null if there are none"),
  failed_rows: orNull(string).describe("The same of the failed rows"),
  manifest: orNull(string).describe("The same of the manifest"),
  report: string
    .nullable()
    .optional()
    .describe("The same of the report, and only if one was asked for"),
  unchanged_rows: orNull(number).describe(
    "With --state: rows of keys that do not differ, which are not in the results; else null",
  ),
  never_begun: number
    .nullable()
    .prefault(0)
    .describe(
      "Rows that the account lacks, as it was closed before: by resume --close, or as a night that broke; null if nobody knows how many, as without a check",
    ),
  differences: orNull(printedDifferences).describe(
    "With --state: how the keys of the input differ from what the service had; else null",
  ),
  part: orNull(object({ number, rows: number, ...counts })).describe(
    "What this part did: its number (1 for the import), its rows, and its lines by status; null if none began",
  ),
  was_complete: z
    .boolean()
    .prefault(false)
    .describe("Whether the account was complete already, so that nothing was sent or merged"),
  ...refusalMembers,
  message: orNull(string).describe("Why, and what to do; null if it is complete"),
  problem_groups: z
    .array(object(outcomeGroup))
    .describe(
      "What did not succeed, by column and reason, with its first rows and the fix: a line with several problems is in each; empty if it was complete",
    ),
  problems_ungrouped: number.describe("Problems in none of these 200 groups"),
  next: object(each(["resume", "retry", "merge", "report", "export"], orNull(string))).describe(
    "Commands to type, or null: resume, retry, merge (after a shard), report, export",
  ),
};
const summary = object(summaryMembers);
/** Without the messages of groups, which may repeat cells. */
const { message: _, ...loggedGroup } = { ...outcomeGroup, first: z.array(object(placeMembers)) };
const loggedSummary = object({ ...summaryMembers, problem_groups: z.array(object(loggedGroup)) });

export type PrintedSummary = z.output<typeof summary>;

const problem = {
  ...placeMembers,
  column: orNull(string),
  value: orNull(string),
  code: string,
  message: string,
};

const memberExplained = object({
  name: string,
  steps: z
    .array(object({ by: string, of: string.optional(), gives: z.json().optional() }))
    .describe("The keys of the mapping file that make it, in order"),
  value: z.json().optional(),
  code: string.optional().describe("Why it cannot be made"),
  message: string.optional(),
});

const explained = orNull(
  z.array(
    object({
      index: number.describe("Which of the mapping's events, from 1"),
      resource: z.enum(resources),
      left_out: orNull(string),
      members: z.array(memberExplained),
    }),
  ),
).describe("Null if a function makes the events");

const printedDialect = object(
  each(["encoding", "delimiter", "quote", "escape", "sheet", "compression"], string.optional()),
);

const check = object({
  ...each(["rows", "events", "invalid_rows", "skipped_rows", "blank_lines"], number),
  read_as: z.union([z.array(object({ name: string, dialect: printedDialect })), printedDialect]),
  problems_found: number,
  problems: z.array(object(problem)).describe("The first 10,000"),
  problem_groups: z.array(
    object({
      code: string,
      column: orNull(string),
      count: number,
      message: orNull(string).describe("Null if they do not say the same"),
      first: z.array(object({ ...placeMembers, value: orNull(string), message: string })),
      cases: z.array(
        object({
          value: orNull(string),
          message: string,
          count: number,
          first: object(placeMembers),
        }),
      ),
    }),
  ),
  problems_ungrouped: number,
  event_kinds: z.array(
    object({
      resource: z.enum(resources),
      method: z.enum(methods),
      event: orNull(string).describe("Null for further kinds together"),
      index: orNull(number).describe("0 for the event of a gone key"),
      count: number,
      members: z.array(object({ name: string, count: number })),
    }),
  ),
  unused_columns: z.array(string),
  differences: printedDifferences.optional().describe("Only with --state"),
  preview: z.array(object({ ...placeMembers, explained })).describe("The first rows"),
  findings: z.array(
    object({
      kind: string,
      column: orNull(string),
      count: number,
      first: z.array(object({ ...placeMembers, value: string.optional() })),
      message: string,
      suggestion: orNull(string).describe("A line for the mapping file"),
    }),
  ),
  warnings: z.array(string),
});

/** What `check --row` prints, by what becomes of the row. */
const row = {
  invalid: object({ ...placeMembers, problems: z.array(object(problem)), explained }),
  skipped: object({ ...placeMembers, skipped: string.describe("Why nothing is sent") }),
  requests: object({
    ...placeMembers,
    requests: z.array(
      object({
        method: z.enum(methods),
        url: string,
        headers: z.record(string, string),
        body: z.json(),
      }),
    ),
    explained,
  }),
};

const accountStatuses = object({
  accounts: z.array(
    object({
      results: string.describe("Path of the results"),
      state: z
        .enum(["running", "unfinished", "complete", "damaged"])
        .describe("[What it means](retry-and-resume.md#status-and-what-is-damaged)"),
      reason: orNull(string).describe(
        "Why it stopped (`interrupted`, too, if it was killed), what is damaged, what it was merged into, how many rows were never begun, or how many lines are superseded",
      ),
      part: orNull(number).describe("Its last part: 1 for the import, and one more for each retry"),
      rows_settled: orNull(number).describe(
        "Rows with an outcome: of the part, if it is unfinished",
      ),
      rows_total: orNull(number).describe("All rows, of the same"),
      succeeded: orNull(number).describe("Events that succeeded"),
      open: orNull(number).describe(
        "Lines that were rejected, failed, unknown, invalid or blocked",
      ),
      next: orNull(string).describe("The command to type"),
    }),
  ),
});

const printedObjects = {
  summary: z.union([summary, refused]).describe("What import, resume, retry and merge print"),
  check: z
    .union([check, ...Object.values(row), refused])
    .describe("What check prints, or check --row"),
  status: z.union([accountStatuses, refused]).describe("What status prints"),
  report: z.union([printedFigures, refused]).describe("What report prints"),
};

export type Printed = keyof typeof printedObjects;

export function printedJsonSchema(name: Printed): object {
  return { title: `${name} of eventload as JSON`, ...z.toJSONSchema(printedObjects[name]) };
}

/** The summary of a run, with what did not succeed and the next commands. */
export function printedSummary(of: RunSummary, next: NextCommands = {}): PrintedSummary {
  return summary.parse(summaryValues(of, next));
}

export function summaryForLog(of: RunSummary, next: NextCommands) {
  return loggedSummary.parse(summaryValues(of, next));
}

function summaryValues(of: RunSummary, next: NextCommands) {
  const { sending, part, problems, delivery } = of;
  const hasAnswers = sending !== undefined && sending.latency.answers > 0;
  const commands = Object.entries(next).map(([name, words]) => [name, typedCommand(words)]);
  return {
    ...of,
    ...of.counts,
    retries: sending?.retries ?? 0,
    sendingMs: sending?.durationMs ?? 0,
    pausedMs: sending?.pausedMs,
    latency: hasAnswers ? sending.latency : null,
    part: part && { ...part, ...part.counts },
    problemGroups: problems.map((group) => ({
      ...group,
      todo: todoOf(group.status, delivery, group.code),
    })),
    problemsUngrouped: of.ungroupedProblems,
    next: Object.fromEntries(commands),
  };
}

export function printedCheck(
  report: FullCheckReport,
  problems: readonly object[],
  warnings: readonly string[],
): object {
  return check.parse({
    ...report,
    readAs: report.readAs ?? report.dialect,
    problemsFound: report.problems,
    problems,
    problemsUngrouped: report.ungroupedProblems,
    differences: report.night?.differences,
    preview: report.firstRows.map((one) => ({ ...one, explained: explainedValues(one.events) })),
    warnings,
  });
}

export function printedPreview(preview: Exclude<Preview, { kind: "no_such_row" }>): object {
  switch (preview.kind) {
    case "invalid": {
      const problems = preview.problems.map((one) => printedProblem(preview.row, one));
      const explained = explainedValues(preview.explained);
      return row.invalid.parse({ ...preview.row, problems, explained });
    }
    case "skipped":
      return row.skipped.parse({ ...preview.row, skipped: preview.why });
    case "requests": {
      const requests = preview.requests.map((one) => ({ ...one, body: JSON.parse(one.body) }));
      const explained = explainedValues(preview.explained);
      return row.requests.parse({ ...preview.row, requests, explained });
    }
    default:
      return preview satisfies never;
  }
}

export function printedStatus(accounts: readonly FoundAccount[]): object {
  const listed = accounts.map((one) => ({ ...one, next: typedCommand(one.next) }));
  return accountStatuses.parse({ accounts: listed });
}

export function printedProblem(at: Row, found: RowProblem): object {
  const { row, line, source, resultsFile } = at;
  return { ...found, row, line, source, resultsFile, message: describeProblem(at, found) };
}

function explainedValues(events: readonly EventExplanation[] | undefined) {
  return events?.map((event) => ({
    ...event,
    members: event.members.map(memberValues),
  }));
}

function memberValues({ problem, ...member }: MemberExplanation) {
  return { ...member, code: problem?.code, message: problem?.message };
}
