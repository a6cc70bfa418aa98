import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { isLocked } from "../../journal/lock.ts";
import { cannotStart } from "../../model/errors.ts";
import { lastPart, type Manifest } from "../../model/manifest.ts";
import { nextCommandsOf } from "../../model/next-step.ts";
import { resultsBeside } from "../../model/run-files.ts";
import type { CommandWords } from "../../model/typed-command.ts";
import { notDoneOf } from "../../report/reported-run.ts";
import type { PartOnRecord } from "../send/part-record.ts";
import { manifestSoFar, summaryOfAccount } from "./account-manifest.ts";
import { type Account, readAccount, resumeWords } from "./read-account.ts";

/** How far an import has come, by its account, as `status --json` prints it but for the words of `next`. What is not known is null. */
export type FoundAccount = Awaited<ReturnType<typeof describeAccount>>;

/**
 * Finds the accounts in a folder, by name, or the one of a file. It locks nothing.
 *
 * @throws CannotStartError if there is none of that file
 */
export async function findAccounts(path: string): Promise<readonly FoundAccount[]> {
  const names = await readdir(path).catch(() => undefined);
  const results = names && resultsBeside(names).map((name) => join(path, name));
  const found: FoundAccount[] = [];
  for (const one of results ?? [path]) {
    const account = await readAccount(one);
    if (account.kind !== "none") found.push(await describeAccount(account));
  }
  if (names === undefined && found.length === 0) throw cannotStart("account_missing", path);
  return found;
}

async function describeAccount(account: Exclude<Account, { kind: "none" }>) {
  const { kind, files } = account;
  if (kind === "damaged") {
    const unknown = { part: null, rows_settled: null, rows_total: null, succeeded: null };
    const reason = account.error.message;
    const next = undefined as CommandWords | undefined;
    return { results: files.results, state: kind, reason, ...unknown, open: null, next };
  }
  const part = kind === "unfinished" ? account.part : undefined;
  const manifest =
    account.kind === "unfinished" ? manifestSoFar(files, account.part) : account.manifest;
  const isRunning = part !== undefined && (await isLocked(files.manifest));
  const { retry } = nextCommandsOf(await summaryOfAccount(files, manifest), []);
  // Killed in its last step, it has its last manifest.
  const why = reasonOfPart(manifest) ?? (part === undefined ? null : "interrupted");
  // What a night has left, the next one sends.
  const ofComplete = manifest.state === undefined ? retry : undefined;
  const next = kind === "unfinished" ? resumeWords(account) : ofComplete;
  // The last manifest of an import says the same, also of one that was merged.
  const isSaid = part?.record.end !== undefined && part.run.kind === "import";
  const { rows, tally } = (isSaid ? undefined : part?.record) ?? {};
  const counts = tally?.counts ?? manifest.counts;
  const total = rows === undefined || part === undefined ? manifest.rows : rowsOf(part);
  return {
    results: files.results,
    state: isRunning ? "running" : kind,
    reason: isRunning ? null : why,
    part: lastPart(manifest.parts),
    rows_settled: rows?.count ?? manifest.reconciliation.rows_settled,
    rows_total: total,
    succeeded: counts.succeeded ?? 0,
    open: notDoneOf(counts),
    next: isRunning ? undefined : next,
  };
}

function rowsOf({ run, record }: PartOnRecord): number | null {
  return record.rowsAtEnd ?? record.selectedRows ?? run.rowsTotal;
}

/** Why the last part ended before its input did, where the account went on, or what no retry sends. */
function reasonOfPart(manifest: Manifest): string | null {
  const { exit_reason, merged_into, superseded = 0, closed = 0, never_begun = 0 } = manifest;
  if (merged_into !== undefined) return `merged into ${basename(merged_into)}`;
  const reasons = [
    ...(exit_reason === "complete" ? [] : [exit_reason]),
    ...(never_begun === 0 ? [] : [`${never_begun ?? "nobody knows how many"} never begun`]),
    ...(closed > 0 ? [`${closed} without their cells: skip them`] : []),
    ...(superseded > 0 ? [`${superseded} superseded: skip or import them`] : []),
  ];
  return reasons.join("; ") || null;
}
