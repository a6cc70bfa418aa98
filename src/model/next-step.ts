import { basename, dirname, join } from "node:path";
import type { DeliveryMode } from "./run-settings.ts";
import type { StopReason } from "./stop.ts";
import { type CommandWords, fileWord } from "./typed-command.ts";

/** The files that a run leaves; none if it stopped before there was anything to keep. */
export interface FilesLeft {
  readonly results?: string;
  readonly failedRows?: string;
  /** Whether somebody has moved them away, to work on them: a retry of the results gets them again. */
  readonly lacksFailedRows?: boolean;
  readonly manifest?: string;
}

export interface RunThatEnded extends FilesLeft {
  readonly exitReason: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly delivery?: DeliveryMode;
  /** How many lines a retry does not send, as they are superseded. */
  readonly superseded?: number;
  /** How many no retry sends, as the account was closed and their cells are gone. */
  readonly closed?: number;
  /** Whether nothing is left to be resumed; default by the reason. */
  readonly isOver?: boolean;
  /** Given only of a night, which is never resumed: its command is given again. */
  readonly unchangedRows?: number;
  /** Given if the run took a part of the rows only. */
  readonly shard?: { readonly index: number; readonly count: number };
}

export interface NextCommands {
  readonly resume?: CommandWords;
  readonly retry?: CommandWords;
  /** Of a shard that is complete, in place of a retry: the failed rows of all shards are retried together. */
  readonly merge?: CommandWords;
  readonly report?: CommandWords;
  /** Of failed rows that are to be fixed: a spreadsheet program would rewrite cells of CSV. */
  readonly export?: CommandWords;
}

export type NextStep = NonNullable<ReturnType<typeof nextStep>>;

/** After these all that was read has its outcome, and there is no input to continue with. */
const endings: ReadonlySet<string> = new Set<StopReason["code"] | "complete">([
  "complete",
  "input_changed",
  "input_damaged",
]);

/** Whether a run has ended in a way that leaves nothing to resume. */
export function hasEnded(exitReason: string): boolean {
  return endings.has(exitReason);
}

/**
 * What to type next.
 *
 * @param options for the commands that send
 * @param reportOptions the same for the report
 */
export function nextCommandsOf(
  run: RunThatEnded,
  options: readonly string[],
  reportOptions: readonly string[] = [],
): NextCommands {
  const { exitReason, results, manifest } = run;
  if (results === undefined) return {};
  const toRetry = run.lacksFailedRows === true ? results : run.failedRows;
  const command = (name: string, file: string, given: readonly string[]) => [
    "eventload",
    name,
    fileWord(file),
    ...given,
  ];
  const isOver = run.isOver ?? hasEnded(exitReason);
  const isNight = run.unchangedRows !== undefined;
  const isResumable = !isOver && !isNight && exitReason !== "not_reconciled";
  const merge = exitReason === "complete" ? mergeCommandOf(run) : undefined;
  const isRetried = isOver && merge === undefined;
  // A retry that sends at most once leaves these as they are.
  const isKept = isOnlyUnknown(run) && run.delivery === "at-most-once";
  const again = isKept ? ["--delivery", "at-least-once"] : [];
  return {
    ...(isResumable ? { resume: command("resume", results, options) } : {}),
    ...(merge === undefined ? {} : { merge }),
    ...(isRetried && toRetry !== undefined
      ? { retry: command("retry", toRetry, [...again, ...options]) }
      : {}),
    ...(isRetried && run.failedRows !== undefined && isToFix(run)
      ? { export: command("export", run.failedRows, []) }
      : {}),
    ...(manifest === undefined ? {} : { report: command("report", results, reportOptions) }),
  };
}

/** @returns undefined where no name of the other shards' results follows from that of one */
function mergeCommandOf({ results = "", shard }: RunThatEnded): CommandWords | undefined {
  if (shard === undefined) return undefined;
  const { index, count } = shard;
  const [folder, own, name] = [dirname(results), `${index}-of-${count}`, basename(results)];
  const merged = name.replace(`.${own}`, "");
  if (merged === name) return undefined;
  const all = join(folder, name.replace(own, `*-of-${count}`));
  return ["eventload", "merge", fileWord(all), "--results", fileWord(join(folder, merged))];
}

/** The command that continues, with what a person has to do first, as the beginning of a sentence. */
export function nextStep(run: RunThatEnded, next: NextCommands) {
  const { resume, retry, merge } = next;
  if (resume !== undefined) {
    // The errors so far count, so the same limit would stop it at once.
    const isTooMany = run.exitReason === "too_many_errors";
    return {
      before: `resume it${isTooMany ? " with a higher --max-errors" : ""}: `,
      command: resume,
    };
  }
  if (merge !== undefined) {
    const before = `when all ${run.shard?.count} shards are complete, run: `;
    return { before, command: merge };
  }
  return retry === undefined ? undefined : { before: `${beforeRetry(run)}: `, command: retry };
}

/** Blocked events do not count: they wait behind the unknown ones. */
function isOnlyUnknown({ counts }: RunThatEnded): boolean {
  const { rejected = 0, invalid = 0, failed = 0, unknown = 0 } = counts;
  return unknown > 0 && rejected + invalid + failed === 0;
}

function isToFix({ counts: { rejected = 0, invalid = 0 } }: RunThatEnded): boolean {
  return rejected + invalid > 0;
}

function beforeRetry(run: RunThatEnded): string {
  const { counts, failedRows = "the failed rows", superseded = 0, closed = 0 } = run;
  const { rejected = 0, invalid = 0, failed = 0, unknown = 0, blocked = 0 } = counts;
  const all = rejected + invalid + failed + unknown + blocked;
  if (closed > 0 && superseded + closed === all) {
    return `look up in the service what has no cells any more, and set it to skipped in ${failedRows}; then run`;
  }
  if (isOnlyUnknown(run)) {
    return run.delivery === "at-most-once"
      ? `look up in the service what is unknown, and set it to skipped in ${failedRows}; to send it again, if it may arrive twice, run`
      : "to send again what is unknown, which may arrive twice, run";
  }
  if (run.lacksFailedRows === true)
    return "to send what is open and get the failed rows again, run";
  if (superseded > 0 && superseded === all) {
    return `set to skipped in ${failedRows} what is superseded, or import it in a file of its own; then run`;
  }
  if (isToFix(run)) return `fix ${failedRows}, then run`;
  return failed > 0 ? "when the service works again, run" : "run";
}
