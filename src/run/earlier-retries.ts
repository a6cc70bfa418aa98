import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Source } from "../input/source.ts";
import { type Fingerprint, fingerprintFile } from "../journal/fingerprint.ts";
import type { RunIdentity } from "../journal/run-identity.ts";
import { digestOf } from "../model/digest.ts";
import { exists } from "../model/disk/exists.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../model/errors.ts";
import { createHashTable } from "../model/hash-table.ts";
import { hasEnded } from "../model/next-step.ts";
import { isDone, statusOrder } from "../model/outcome.ts";
import { count } from "../model/quantities.ts";
import { baseOfRun, retryOf, runFiles } from "../model/run-files.ts";
import type { DeliveryMode } from "../model/sending-settings.ts";
import type { StopSignal } from "../model/stop.ts";
import { type Manifest, readManifest } from "../results/manifest.ts";
import { refuseUnfinished } from "./find-unfinished.ts";
import { findMergedFrom } from "./merged-from.ts";
import { type FindSentBefore, isEventId } from "./plan-row.ts";

/** The results of an earlier retry of the same file. */
export interface EarlierRetry extends Fingerprint {
  readonly path: string;
  readonly name: string;
  /** In ISO 8601; blank if its manifest is missing. */
  readonly startedAt: string;
  /** Lines that its run wrote; undefined if its hash is compared with that of before. */
  readonly lines: number | undefined;
}

/** The retry for which others are found. */
export interface RetryUse {
  /** Where its results go; a check has none. */
  readonly results?: string;
  readonly baseUrl: string;
  readonly warn: (message: string) => void;
}

/**
 * Finds the retries of the same file that have ended, sent to the same service, and delivered something or
 * may have: what they delivered is not sent again. The oldest is first. The file itself and its own retry
 * are not among them.
 *
 * @throws CannotStartError if one of them is unfinished, or may be, or its results cannot be read
 */
export async function findEarlierRetries(
  input: string,
  { results: own, baseUrl, warn }: RetryUse,
): Promise<readonly EarlierRetry[]> {
  const { first, number: ownNumber } = retryOf(input);
  const firstRun = await readManifest(runFiles(`${first}.results.csv`).manifest);
  const run = firstRun.kind === "manifest" ? firstRun.manifest : undefined;
  const startedAt = run?.started_at ?? "";
  const retries: EarlierRetry[] = [];
  const candidates = await retriesOf(first);
  if (run !== undefined) candidates.push(...(await retriesOfShards(first, run, warn)));
  if (run !== undefined && run.options.shard !== null) {
    for (const merged of await findMergedFrom(first, run)) {
      candidates.push(...(await retriesOf(merged)));
    }
  }
  for (const candidate of candidates) {
    const files = runFiles(candidate);
    const path = resolve(files.results);
    const isInput = ownNumber !== undefined && baseOfRun(path) === resolve(baseOfRun(input));
    if (isInput || (own !== undefined && path === resolve(own))) continue;
    await refuseUnfinished(files.results);
    const name = basename(path);
    const isThere = await exists(path);
    const read = await readManifest(files.manifest);
    if (read.kind !== "manifest") {
      if (!isThere) continue;
      const [manifest, journal] = [basename(files.manifest), basename(files.journal)];
      const why =
        read.kind === "absent"
          ? `there is neither its manifest ${manifest} nor a journal ${journal} beside it`
          : `its manifest ${manifest} cannot be used (${read.message})`;
      throw cannotStart("retry_damaged", name, why);
    }
    const { kind, base_url: sentTo, finished_at: finishedAt } = read.manifest;
    const { counts, exit_reason: exitReason, reconciliation } = read.manifest;
    const { started_at: startedAtThen, unanswered } = read.manifest;
    const { succeeded = 0, unknown = 0 } = counts;
    // The files of another import of that name may have been left behind.
    const isOfAnother = kind !== "retry" || sentTo !== baseUrl || finishedAt < startedAt;
    if (isOfAnother || succeeded + unknown + unanswered === 0) continue;
    if (!isThere) {
      warn(
        succeeded > 0
          ? `${name} is missing: what that retry delivered is sent again.`
          : `${name} is missing: what may have arrived from that retry is not known.`,
      );
    } else if (!hasEnded(exitReason)) {
      const why = `its run stopped early (${exitReason}), and its journal ${basename(files.journal)} is missing`;
      throw cannotStart("retry_damaged", name, why);
    } else {
      const { lines } = reconciliation;
      const fingerprint = await fingerprintFile(path);
      retries.push({ path, name, startedAt: startedAtThen, lines, ...fingerprint });
    }
  }
  return retries.toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}

/** Those that the first part of a run left out events for, as far as they are still there. */
export async function findRetriesOfRun({
  retries = [],
}: RunIdentity): Promise<readonly EarlierRetry[]> {
  const found: EarlierRetry[] = [];
  for (const { path } of retries) {
    if (!(await exists(path))) continue;
    const fingerprint = await fingerprintFile(path);
    const startedAt = await startedAtOf(path);
    found.push({ path, name: basename(path), startedAt, lines: undefined, ...fingerprint });
  }
  return found;
}

/**
 * The same of the shards that were merged: their failed rows may have been retried, too. They may have been moved
 * together with the merged results.
 */
async function retriesOfShards(
  first: string,
  { results: merged, shards = [] }: Manifest,
  warn: (message: string) => void,
): Promise<string[]> {
  const found: string[] = [];
  for (const { results, counts } of shards) {
    const moved = join(dirname(first), relative(dirname(merged), results));
    const bases = [...new Set([resolve(results), resolve(moved)])];
    const isThere = await Promise.all(bases.map(exists));
    const own = await Promise.all(bases.map((path) => retriesOf(baseOfRun(path))));
    found.push(...own.flat());
    const hasFailedRows = statusOrder.some(
      (status) => !isDone(status) && (counts[status] ?? 0) > 0,
    );
    if (!hasFailedRows || isThere.includes(true) || own.flat().length > 0) continue;
    warn(
      `${basename(results)} is not where it was merged from: if its failed rows were retried, what that delivered is sent again.`,
    );
  }
  return found;
}

/** The results of the retries of a run, in their order. */
async function retriesOf(first: string): Promise<string[]> {
  const numbers = await numbersOfRetries(first);
  return numbers.map((number) => `${first}.retry-${number}.results.csv`);
}

async function numbersOfRetries(first: string): Promise<number[]> {
  const names = await readdir(dirname(first)).catch(() => []);
  const numbers = names.flatMap((name) => {
    const { first: base, number } = retryOf(join(dirname(first), name.replace(/\.journal$/, "")));
    return number !== undefined && basename(base) === basename(first) ? number : [];
  });
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

/** What the table holds of an event of a row: a word of these bits, and a word of its id. */
const bits = {
  status: { shift: 0, max: 3 },
  unanswered: { shift: 2, max: 0xff },
  code: { shift: 10, max: 0x3f },
  retry: { shift: 16, max: 0xffff },
} as const;

const statuses = ["perhaps", "delivered", "unknown"] as const;

/**
 * Reads what earlier retries sent last, or may have sent, for each event of each row: some 20 bytes an event.
 *
 * @param own the file that is retried, and its `import_input` where a line has none
 * @throws CannotStartError if a file is not what its run wrote: what was delivered is not certain then
 */
export async function readEarlierRetries(
  own: { readonly path: string; readonly inputId: string },
  retries: readonly EarlierRetry[],
  delivery: DeliveryMode,
  stop?: StopSignal,
): Promise<FindSentBefore | undefined> {
  if (retries.length === 0) return undefined;
  const isSinceOwn = await laterThan(own.path);
  const table = createHashTable(2);
  const codes: string[] = [];
  const codeOf = (code: string) => {
    const at = codes.indexOf(code);
    return at >= 0 ? at : codes.length > bits.code.max ? 0 : codes.push(code) - 1;
  };

  for (const [at, retry] of retries.entries()) {
    // A line of the input says what became of its event in the runs before; somebody may have cleared it.
    const keepsUnknown = delivery === "at-most-once" && isSinceOwn(retry);
    for await (const { row, earlier } of linesOf(retry, stop)) {
      const { status, unanswered, errorCode, event } = earlier;
      const place = digestOf(placeText(earlier.input ?? own.inputId, row, event));
      const before = table.get(place.high, place.low)?.[0];
      const unansweredBefore = before === undefined ? 0 : partOf(before, "unanswered");
      // `import_unanswered` counts the attempts of the runs before, too.
      const mayHaveArrived = status === "unknown" || unanswered > unansweredBefore;
      if (status !== "succeeded" && !mayHaveArrived) continue;
      const entry = table.entry(place.high, place.low);
      const id = digestOf(earlier.eventId.toLowerCase()).low;
      const isSame = before !== undefined && entry[1] === id;
      const wasDelivered = isSame && partOf(before, "status") === statuses.indexOf("delivered");
      const now = status === "succeeded" || wasDelivered ? "delivered" : "perhaps";
      const sent = now === "perhaps" && status === "unknown" && keepsUnknown ? "unknown" : now;
      entry[0] = wordOf({
        status: statuses.indexOf(sent),
        unanswered: Math.min(Math.max(unanswered, unansweredBefore), bits.unanswered.max),
        code: sent === "unknown" ? codeOf(errorCode) : 0,
        retry: Math.min(at, bits.retry.max),
      });
      entry[1] = id;
    }
  }

  return ({ row, earlier }, { id, index }) => {
    const { high, low } = digestOf(placeText(earlier?.input ?? own.inputId, row, index));
    const [word, idBefore] = table.get(high, low) ?? [];
    if (word === undefined) return undefined;
    const at = partOf(word, "retry");
    const retry = retries[at];
    const isLater = retry !== undefined && isSinceOwn(retry);
    // The run that left this line may have sent other data after that.
    const isReplaced = !isLater && (earlier?.unanswered ?? 0) > 0 && earlier?.eventId !== id;
    return {
      results: retry?.name ?? "",
      retry: isLater ? at + 1 : 0,
      status: statuses[partOf(word, "status")] ?? "perhaps",
      isSameEvent: idBefore === digestOf(id).low && !isReplaced,
      unanswered: partOf(word, "unanswered"),
      errorCode: codes[partOf(word, "code")] ?? "",
    };
  };
}

function placeText(input: string, row: number, event: number | undefined): string {
  return `${input} ${row} ${event ?? ""}`;
}

/** Whether a retry began after the run whose file is retried. */
async function laterThan(path: string): Promise<(retry: EarlierRetry) => boolean> {
  const { number: ownNumber } = retryOf(path);
  if (ownNumber === undefined) return () => true;
  const ownStartedAt = await startedAtOf(`${baseOfRun(path)}.results.csv`);
  return ({ path: other, startedAt }) =>
    startedAt === "" || ownStartedAt === ""
      ? (retryOf(other).number ?? 0) > ownNumber
      : startedAt > ownStartedAt;
}

/** Blank if there is no manifest that says so. */
async function startedAtOf(results: string): Promise<string> {
  const read = await readManifest(runFiles(results).manifest);
  return read.kind === "manifest" ? read.manifest.started_at : "";
}

function partOf(word: number, part: keyof typeof bits): number {
  const { shift, max } = bits[part];
  return (word >>> shift) & max;
}

function wordOf(parts: Readonly<Record<keyof typeof bits, number>>): number {
  const { status, unanswered, code, retry } = parts;
  const low = (status << bits.status.shift) | (unanswered << bits.unanswered.shift);
  return (low | (code << bits.code.shift) | (retry << bits.retry.shift)) >>> 0;
}

/** The lines of a retry's results, to the last that its run wrote. */
async function* linesOf(
  { path, name, lines: written }: EarlierRetry,
  stop: StopSignal | undefined,
) {
  const damaged = (why: string) => cannotStart("retry_damaged", name, why);
  const spec = { kind: "file", path, name } as const;
  const { maxRecordBytes = 0 } = asWritten;
  let source: Source | undefined;
  let lines = 0;
  try {
    const opened = await openResultsFile(spec, { maxRecordBytes });
    source = opened;
    if (opened.missingColumns.length > 0) {
      throw damaged(`it has lost the columns ${opened.missingColumns.join(", ")}`);
    }
    for await (const rows of source.batches) {
      if (stop?.aborted === true) return;
      for (const { row, line, earlier } of rows) {
        lines++;
        if (earlier === undefined) throw damaged(`its line ${line} cannot be read`);
        if (isEventId(earlier.eventId)) yield { row, earlier };
      }
    }
  } catch (error) {
    if (error instanceof CannotStartError && error.code !== "retry_damaged") {
      throw damaged(error.message.replace(/\.$/, ""));
    }
    if (!(error instanceof InputDamagedError)) throw error;
    throw damaged(error.message.replace(/\.$/, ""));
  } finally {
    await source?.close();
  }
  if (written === undefined || lines === written) return;
  throw damaged(`it has ${count(lines, "line")}, and its run wrote ${written}`);
}
