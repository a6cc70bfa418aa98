import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { lockState } from "../../journal/lock.ts";
import { countsOnRecord, rowsSettled, type UnfinishedRun } from "../../journal/unfinished-run.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { nextCommandsOf } from "../../model/next-step.ts";
import { eventStatuses, isDone } from "../../model/outcome.ts";
import { sum } from "../../model/quantities.ts";
import type { Shard } from "../../model/shard.ts";
import { lastPart, type Manifest } from "../../results/manifest.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import { type Account, readAccount, resumeCommand } from "./read-account.ts";

/**
 * `running`: a part is being written or, as far as is known, was within the last minute. `unfinished`: none is, and
 * `resume` continues it. `complete`: every row has its outcome. `closed`: an unfinished night, and a later one
 * has sent what was left. `damaged`: what became of some rows is not known any more.
 */
export type AccountState = "running" | "unfinished" | "complete" | "closed" | "damaged";

/** How far an import has come, by its account. */
export interface FoundAccount {
  /** The path of its results. */
  readonly results: string;
  /** Undefined if nothing says so. */
  readonly input: string | undefined;
  readonly shard: Shard | undefined;
  /** Of how many shards it was merged, and into which results it was merged itself. */
  readonly mergedFrom: number | undefined;
  readonly mergedInto: string | undefined;
  readonly state: AccountState;
  /** Why a part stopped, or what is damaged. */
  readonly reason: string | undefined;
  /** How many parts it has: the import and its retries. */
  readonly parts: number;
  /** When the last of them began; resumes count too. */
  readonly since: string | undefined;
  /** Rows with their outcomes, and how many there are: of the part, while one is unfinished. */
  readonly rowsSettled: number;
  readonly rowsTotal: number | undefined;
  /** Events. */
  readonly succeeded: number;
  /** Rejected, failed, unknown, invalid or blocked. */
  readonly open: number;
  /** Those of them that a retry does not send, as a later event of their key has arrived. */
  readonly superseded: number;
  readonly wroteAt: Date;
  /** The command to type next; undefined if nothing is left to do. */
  readonly next: string | undefined;
}

const runningForMs = 60_000;

/**
 * Finds the accounts in a folder, by name, or the one of a file. It locks nothing.
 *
 * @throws CannotStartError if there is no such folder or file, or it cannot be read
 */
export async function findAccounts(path: string, now: Date): Promise<readonly FoundAccount[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    // While an import is unfinished, there are no results of that name.
    const account = await describe(await readAccount(path), now);
    if (account !== undefined) return [account];
    if (found !== undefined) throw cannotStart("nothing_to_resume", path);
  }
  const names = await readdir(path).catch((error: unknown) => {
    throw cannotStart("input_unreadable", path, reasonOf(error));
  });
  const bases = new Set(
    names.flatMap(
      (name) => /^(.+)\.(?:run\.json|results\.csv(?:\.journal|\.part)?)$/s.exec(name)?.[1] ?? [],
    ),
  );
  const accounts: FoundAccount[] = [];
  for (const name of [...bases].toSorted(byNumber)) {
    const account = await describe(await readAccount(join(path, `${name}.results.csv`)), now);
    if (account !== undefined) accounts.push(account);
  }
  return accounts;
}

/** `10-of-12` after `9-of-12` */
function byNumber(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** @returns undefined if its files went meanwhile */
async function describe(account: Account, now: Date): Promise<FoundAccount | undefined> {
  if (account.kind === "none") return undefined;
  const { files } = account;
  const { manifest: path, journal, results, part: lines } = files;
  const times = await Promise.all([path, journal, results, lines].map(writtenAt));
  const nothing = {
    ...{ results, input: undefined, shard: undefined, mergedFrom: undefined },
    ...{ mergedInto: undefined, reason: undefined, parts: 0, since: undefined },
    ...{ rowsSettled: 0, rowsTotal: undefined, succeeded: 0, open: 0, superseded: 0 },
    ...{ wroteAt: new Date(Math.max(...times)), next: undefined },
  };
  switch (account.kind) {
    case "damaged":
      return { ...nothing, state: "damaged", reason: account.error.message };
    case "complete": {
      const { manifest } = account;
      const known = ofManifest(manifest);
      const { retry } = nextCommandsOf(await summaryOfAccount(files, manifest), [], true);
      const reason = manifest.exit_reason === "complete" ? undefined : manifest.exit_reason;
      const next = known.open > known.superseded ? retry : undefined;
      return { ...nothing, ...known, state: "complete", reason, next };
    }
    case "closed": {
      const reason = `by ${basename(account.closed.by)}`;
      return { ...nothing, ...ofManifest(account.manifest), state: "closed", reason };
    }
    case "unfinished": {
      const { part, manifest } = account;
      const own = manifest?.parts.filter((one) => one.part === part.run.part).at(-1);
      // A part that stops writes its manifest last, and one that is resumed its journal.
      const [manifestAt = 0, journalAt = 0] = times;
      const hasStopped = own !== undefined && manifestAt >= journalAt;
      const lock = await lockState(path);
      const isRecent = !hasStopped && now.getTime() - journalAt < runningForMs;
      const isRunning = lock === "held" || (lock === "left" && isRecent);
      // Where only names are left to be changed, all rows have their outcomes.
      const ends = part.end?.manifest as Manifest | undefined;
      return {
        ...nothing,
        ...(ends === undefined ? ofPart(part) : ofManifest(ends)),
        state: isRunning ? "running" : "unfinished",
        reason: hasStopped ? (own.exit_reason ?? undefined) : undefined,
        next: lock === "held" ? undefined : resumeCommand(account),
      };
    }
    default:
      return account satisfies never;
  }
}

/** In epoch milliseconds; 0 if there is no such file. */
function writtenAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function ofManifest(manifest: Manifest) {
  const { counts, options, parts, shards, input, superseded = {} } = manifest;
  const { rows_settled: rowsSettled, rows_read: rowsTotal } = manifest.reconciliation;
  return {
    ...{ input: basename(input.name), shard: options.shard ?? undefined },
    ...{ mergedFrom: shards?.length, mergedInto: manifest.merged_into },
    ...{ parts: lastPart(parts), since: parts.at(-1)?.started_at, rowsSettled, rowsTotal },
    ...outcomesOf(counts),
    superseded: sum(Object.values(superseded)),
  };
}

function ofPart(unfinished: UnfinishedRun) {
  const { input, settings, part, parts, rowsTotal } = unfinished.run;
  return {
    ...{ input: basename(input.name), shard: settings.shard ?? undefined },
    ...{ parts: part, since: parts.at(-1)?.startedAt },
    ...{ rowsSettled: rowsSettled(unfinished), rowsTotal: rowsTotal ?? undefined },
    ...outcomesOf(countsOnRecord(unfinished)),
  };
}

function outcomesOf(counts: Readonly<Record<string, number>>) {
  const open = eventStatuses.filter((status) => !isDone(status));
  return { succeeded: counts.succeeded ?? 0, open: sum(open.map((status) => counts[status] ?? 0)) };
}
