import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { lockState } from "../../journal/lock.ts";
import { countsOnRecord, rowsSettled, type UnfinishedRun } from "../../journal/unfinished-run.ts";
import { cannotStart } from "../../model/errors.ts";
import { lastPart, type Manifest } from "../../model/manifest.ts";
import { nextCommandsOf } from "../../model/next-step.ts";
import { eventStatuses, isDone } from "../../model/outcome.ts";
import { sum } from "../../model/quantities.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import { type Account, readAccount, resumeCommand } from "./read-account.ts";

/** How far an import has come, by its account, as `status --json` prints it. What is not known is null. */
export interface FoundAccount {
  /** The path of its results. */
  readonly results: string;
  readonly state: "running" | Exclude<Account["kind"], "none">;
  /** Why a part stopped, what is damaged, or where the account went on. */
  readonly reason: string | null;
  /** The number of its last part: 1 for the import, and one more for each retry. */
  readonly part: number | null;
  /** Rows with their outcomes, and all rows: of the part, while one is unfinished. */
  readonly rows_settled: number | null;
  readonly rows_total: number | null;
  /** Events that succeeded, and lines that a retry may still send or that are superseded. */
  readonly succeeded: number | null;
  readonly open: number | null;
  /** The command to type next; null if nothing is left to do. */
  readonly next: string | null;
}

/**
 * Finds the accounts in a folder, by name, or the one of a file. It locks nothing.
 *
 * @throws CannotStartError if there is none of that file
 */
export async function findAccounts(path: string): Promise<readonly FoundAccount[]> {
  const names = await readdir(path).catch(() => undefined);
  const bases = names?.flatMap(
    (name) => /^(.+)\.(?:run\.json|results\.csv(?:\.journal|\.part)?)$/s.exec(name)?.[1] ?? [],
  );
  const sorted = [...new Set(bases)].toSorted((one, other) =>
    one.localeCompare(other, "en", { numeric: true }),
  );
  const paths =
    bases === undefined ? [path] : sorted.map((base) => join(path, `${base}.results.csv`));
  const found: FoundAccount[] = [];
  for (const one of paths) {
    const account = await readAccount(one);
    if (account.kind !== "none") found.push(await describe(account));
  }
  if (bases === undefined && found.length === 0) throw cannotStart("account_missing", path);
  return found;
}

async function describe(account: Exclude<Account, { kind: "none" }>): Promise<FoundAccount> {
  const { kind, files } = account;
  const { results } = files;
  if (kind === "damaged") {
    const unknown = { part: null, rows_settled: null, rows_total: null, succeeded: null };
    const reason = account.error.message;
    return { results, state: kind, reason, ...unknown, open: null, next: null };
  }
  if (kind === "unfinished") {
    const { part, manifest } = account;
    const { startedAt } = part.run.parts.at(-1) ?? {};
    const stopped = manifest?.parts.find(({ started_at: at }) => at === startedAt);
    const isRunning = (await lockState(files.manifest)) === "held";
    return {
      results,
      state: isRunning ? "running" : kind,
      reason: stopped?.exit_reason ?? null,
      ...(part.end === undefined ? figuresSoFar(part) : figuresOf(part.end.manifest as Manifest)),
      next: isRunning ? null : (resumeCommand(account) ?? null),
    };
  }
  const { manifest } = account;
  const { exit_reason: exit, merged_into: into, superseded: late = 0 } = manifest;
  const figures = figuresOf(manifest);
  const reasons = [
    ...(kind === "closed" ? [`by ${basename(account.closed.by)}`] : []),
    ...(kind === "closed" || exit === "complete" ? [] : [exit]),
    ...(into === undefined ? [] : [`merged into ${basename(into)}`]),
    ...(late === 0 ? [] : [`${late} superseded: skip or import them`]),
  ];
  const { retry = null } = nextCommandsOf(await summaryOfAccount(files, manifest), [], true);
  return {
    results,
    state: kind,
    reason: reasons.join(", ") || null,
    ...figures,
    next: kind === "complete" && figures.open > late ? retry : null,
  };
}

function figuresOf({ parts, reconciliation, counts }: Manifest) {
  const { rows_settled, rows_read: rows_total } = reconciliation;
  return { part: lastPart(parts), rows_settled, rows_total, ...outcomesOf(counts) };
}

function figuresSoFar(part: UnfinishedRun) {
  const { part: number, rowsTotal: rows_total } = part.run;
  const rows = { rows_settled: rowsSettled(part), rows_total };
  return { part: number, ...rows, ...outcomesOf(countsOnRecord(part)) };
}

function outcomesOf(counts: Readonly<Record<string, number>>) {
  const open = eventStatuses.filter((status) => !isDone(status));
  return { succeeded: counts.succeeded ?? 0, open: sum(open.map((status) => counts[status] ?? 0)) };
}
