import type { Clock } from "../../model/clock.ts";
import { count, sum } from "../../model/quantities.ts";
import { describeDialect } from "../../model/reading.ts";
import { cutTo, quote } from "../../model/row.ts";
import type { ImportNotice, Selection } from "../../model/run-events.ts";
import { createProblemGroups } from "../../run/check/group-problems.ts";
import type { Host, OutputStream } from "../host.ts";
import { describeProgress } from "./describe-progress.ts";
import { percentText, writeLine } from "./lines.ts";
import type { ProgressDisplay } from "./progress-bar.ts";
import { renderProblemGroups } from "./render-problems.ts";

/** A bar on a terminal; a line every ten seconds elsewhere; undefined if it is to be quiet. */
export async function createProgress(
  { stderr, env }: Pick<Host, "stderr" | "env">,
  quiet: boolean,
  clock: Pick<Clock, "now">,
): Promise<ProgressDisplay> {
  if (quiet) return { update() {}, say: (line) => writeLine(stderr, line), end() {} };
  // A dumb terminal cannot go back to the beginning of a line.
  const canRedraw = stderr.isTTY === true && env.TERM !== "dumb";
  if (!canRedraw) return inLines(stderr, clock);
  const { createProgressBar } = await import("./progress-bar.ts");
  return createProgressBar(stderr, clock);
}

const lineEveryMs = 10_000;

function inLines(stream: OutputStream, clock: Pick<Clock, "now">): ProgressDisplay {
  const describe = describeProgress(clock);
  let lastMs = clock.now();
  return {
    update(progress) {
      const { phase, share, parts, reasons } = describe(progress);
      if (clock.now() - lastMs < lineEveryMs) return;
      lastMs = clock.now();
      const percent = share === undefined ? [] : [percentText(share)];
      writeLine(stream, `${phase}: ${[...percent, ...parts, ...reasons].join(", ")}`);
    },
    say: (line) => writeLine(stream, line),
    end() {},
  };
}

const maxGroupsPrinted = 8;
const noRowsMessage =
  "There are no rows: the input has none, or --skip or --shard leaves out all of them.";

/** Prints the notices of a run that deserve a line of their own. */
export function createReporter(
  progress: Pick<ProgressDisplay, "say">,
  quiet: boolean,
): (notice: ImportNotice) => void {
  const problems = createProblemGroups();
  return (notice) => {
    if (notice.kind === "invalid") problems.add(notice.row, notice.problem);
    const hasNoRows = notice.kind === "checked" && notice.report.rows === 0;
    if (quiet && notice.kind !== "warning" && !hasNoRows) return;
    for (const line of wording(notice, problems)) progress.say(line);
    if (hasNoRows) progress.say(noRowsMessage);
  };
}

function wording(notice: ImportNotice, problems: ReturnType<typeof createProblemGroups>): string[] {
  switch (notice.kind) {
    case "opened": {
      const how = describeDialect(notice.dialect);
      return how === undefined ? [] : [`${notice.name} is read as: ${how}`];
    }
    case "checked":
      return describeProblems(problems);
    case "selected":
      return describeSelection(notice.selection);
    case "night":
      return notice.sentences.map((sentence) => `${sentence}.`);
    case "warning":
      return [`warning: ${notice.message}`];
    case "resumed":
      return [describeResume(notice)];
    case "invalid":
    case "not_succeeded":
    case "pause_over":
    case "pause":
    case "retry":
    case "stop":
    case "wait_ignored":
    case "token_renewed":
      return []; // shown by the bar, the log and the summary
    default:
      return notice satisfies never;
  }
}

/** The largest groups of what the check has found, as `check` prints them. */
function describeProblems(problems: ReturnType<typeof createProblemGroups>): string[] {
  const groups = problems.grouped();
  const rest = groups.slice(maxGroupsPrinted).map((group) => group.count);
  return renderProblemGroups(groups.slice(0, maxGroupsPrinted), sum(rest) + problems.ungrouped);
}

function describeResume({ rows, perhapsSent }: Extract<ImportNotice, { kind: "resumed" }>): string {
  const which =
    perhapsSent === 0
      ? "no requests were in flight"
      : `${count(perhapsSent, "event")} may have been in flight`;
  return `Resumed after ${count(rows, "row")}; ${which} when it was interrupted.`;
}

/** Lines of the given file that are not sent, and what to do where something is. */
const notSent = {
  done: "done already",
  skipped: "set to skipped in the file",
  unknown:
    "unknown, and not sent again, under --delivery at-most-once or without their cells: look in the service, and set what has arrived to skipped. --delivery at-least-once sends those that have their cells",
  notFixed:
    "not fixed, and still invalid: fix the cells, or clear import_error_code to send them as they are",
  superseded:
    "superseded, because a later event of the same row or ordering key has arrived, or may have: set them to skipped, or import what is still needed in a file of its own",
  blocked:
    "still blocked, because an earlier event of the same row or ordering key is not sent: retry that too, or set it to skipped",
} satisfies { [kind in keyof Selection]?: string };

const maxColumnsShown = 20;
const maxCharsShown = 40;

/** What a retry has selected: a sentence for each kind of line that is not sent, and one for the changed cells. */
function describeSelection(selection: Selection): string[] {
  const said = Object.entries(notSent).flatMap(([kind, why]) => {
    const number = selection[kind as keyof typeof notSent];
    return number === 0 ? [] : [`${count(number, "line")} not sent: ${why}.`];
  });
  const { changed, restored } = selection;
  return [
    ...said,
    ...listColumns("Put back, as a program had rewritten them:", restored),
    ...listColumns("Changed cells:", changed.map(describeChanged)),
  ];
}

function describeChanged({ column, rows, first }: Selection["changed"][number]): string {
  const short = (cell: string) => quote(cutTo(maxCharsShown, cell));
  const example = `${short(first.before)} -> ${short(first.after)} in row ${first.place.row}`;
  return `column ${short(column)}: ${count(rows, "row")}, such as ${example}`;
}

function listColumns(what: string, columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  const shown = columns.slice(0, maxColumnsShown);
  const left = columns.length - shown.length;
  if (left > 0) shown.push(`and ${count(left, "more column")}`);
  return [what, ...shown.map((line) => `  ${line}`)];
}
