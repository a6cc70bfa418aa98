import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Source } from "../input/source.ts";
import { type Fingerprint, fingerprintFile } from "../journal/fingerprint.ts";
import type { RunIdentity } from "../journal/run-identity.ts";
import { digestOf } from "../model/digest.ts";
import { exists } from "../model/disk/exists.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../model/errors.ts";
import { createHashTable } from "../model/hash-table.ts";
import { count } from "../model/quantities.ts";
import { retryOf, runFiles } from "../model/run-files.ts";
import type { DeliveryMode } from "../model/sending-settings.ts";
import type { StopSignal } from "../model/stop.ts";
import { readManifest } from "../results/manifest.ts";
import { refuseUnfinished } from "./find-unfinished.ts";
import { type FindSettled, isEventId } from "./plan-row.ts";

/** The results of an earlier retry of the same file. */
export interface EarlierRetry extends Fingerprint {
  readonly path: string;
  readonly name: string;
  /** Lines that its run wrote; undefined if its hash is compared with that of before. */
  readonly lines: number | undefined;
}

/** The retry for which others are found. */
export interface RetryUse {
  /** Where its results go; a check has none. */
  readonly results?: string;
  readonly baseUrl: string;
  readonly delivery: DeliveryMode;
  readonly warn: (message: string) => void;
}

/**
 * Finds the complete retries of the same file that sent to the same service and settled something: what
 * they delivered is not sent again. The file itself and its own retry are not among them.
 *
 * @throws CannotStartError if one of them is unfinished, or its results cannot be read
 */
export async function findEarlierRetries(
  input: string,
  { results: own, baseUrl, delivery, warn }: RetryUse,
): Promise<readonly EarlierRetry[]> {
  const { first, number: ownNumber } = retryOf(input);
  const firstRun = await readManifest(runFiles(`${first}.results.csv`).manifest);
  const startedAt = firstRun.kind === "manifest" ? firstRun.manifest.started_at : "";
  const retries: EarlierRetry[] = [];
  for (const number of await numbersOfRetries(first)) {
    const files = runFiles(`${first}.retry-${number}.results.csv`);
    const path = resolve(files.results);
    if (number === ownNumber || (own !== undefined && path === resolve(own))) continue;
    await refuseUnfinished(files.results);
    const name = basename(path);
    const isThere = await exists(path);
    const sentAgain = (why: string) =>
      warn(`${name} ${why}: what that retry delivered is sent again.`);
    const read = await readManifest(files.manifest);
    if (read.kind !== "manifest") {
      const manifest = basename(files.manifest);
      const why =
        read.kind === "absent"
          ? `has no manifest ${manifest} beside it`
          : `has a manifest that cannot be used (${read.message})`;
      if (isThere) sentAgain(why);
      continue;
    }
    const { kind, base_url: sentTo, finished_at: finishedAt } = read.manifest;
    const { counts, exit_reason: status, reconciliation } = read.manifest;
    const { succeeded = 0, unknown = 0 } = counts;
    const hasSettled = succeeded > 0 || (delivery === "at-most-once" && unknown > 0);
    // The files of another import of that name may have been left behind.
    const isOfAnother = kind !== "retry" || sentTo !== baseUrl || finishedAt < startedAt;
    if (isOfAnother || !hasSettled) continue;
    if (!isThere) sentAgain("is missing");
    else if (status !== "complete") sentAgain(`is of a run that stopped early (${status})`);
    else {
      const { lines } = reconciliation;
      retries.push({ path, name, lines, ...(await fingerprintFile(path)) });
    }
  }
  return retries;
}

/** Those that the first part of a run left out events for, as far as they are still there. */
export async function findRetriesOfRun({
  retries = [],
}: RunIdentity): Promise<readonly EarlierRetry[]> {
  const found: EarlierRetry[] = [];
  for (const { path } of retries) {
    if (!(await exists(path))) continue;
    const fingerprint = await fingerprintFile(path);
    found.push({ path, name: basename(path), lines: undefined, ...fingerprint });
  }
  return found;
}

async function numbersOfRetries(first: string): Promise<number[]> {
  const names = await readdir(dirname(first)).catch(() => []);
  const numbers = names.flatMap((name) => {
    const { first: base, number } = retryOf(join(dirname(first), name.replace(/\.journal$/, "")));
    return number !== undefined && basename(base) === basename(first) ? number : [];
  });
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

/** What the table holds of an event, in the bits of one word. */
const bits = {
  status: { shift: 0, max: 3 },
  unanswered: { shift: 2, max: 0xff },
  code: { shift: 10, max: 0x3f },
  retry: { shift: 16, max: 0xffff },
} as const;

const delivered = 1;
const unknown = 2;

/**
 * Reads which events earlier retries delivered, and under at-most-once also which they left unknown: some 15
 * bytes an event.
 *
 * @throws CannotStartError if a file is not what its run wrote: what was delivered is not certain then
 */
export async function readEarlierRetries(
  input: string,
  retries: readonly EarlierRetry[],
  delivery: DeliveryMode,
  stop?: StopSignal,
): Promise<FindSettled | undefined> {
  if (retries.length === 0) return undefined;
  const { number: ownNumber = 0 } = retryOf(input);
  const table = createHashTable(1);
  const codes: string[] = [];
  const codeOf = (code: string) => {
    const at = codes.indexOf(code);
    return at >= 0 ? at : codes.length > bits.code.max ? 0 : codes.push(code) - 1;
  };

  for (const [at, retry] of retries.entries()) {
    // A line of the input says what became of its event in the runs before; somebody may have cleared it.
    const isLater = (retryOf(retry.path).number ?? 0) > ownNumber;
    const keepsUnknown = delivery === "at-most-once" && isLater;
    for await (const { status, eventId, unanswered, errorCode } of linesOf(retry, stop)) {
      const isDelivered = status === "succeeded";
      if (!isDelivered && !(keepsUnknown && status === "unknown")) continue;
      const { high, low } = digestOf(eventId.toLowerCase());
      const entry = table.entry(high, low);
      if ((entry[0] ?? 0) % (bits.status.max + 1) === delivered) continue;
      entry[0] = wordOf({
        status: isDelivered ? delivered : unknown,
        unanswered: Math.min(unanswered, bits.unanswered.max),
        code: isDelivered ? 0 : codeOf(errorCode),
        retry: Math.min(at, bits.retry.max),
      });
    }
  }

  return (eventId) => {
    const { high, low } = digestOf(eventId);
    const word = table.get(high, low)?.[0];
    if (word === undefined) return undefined;
    const part = ({ shift, max }: { shift: number; max: number }) => (word >>> shift) & max;
    return {
      results: retries[part(bits.retry)]?.name ?? "",
      status: part(bits.status) === delivered ? "succeeded" : "unknown",
      unanswered: part(bits.unanswered),
      errorCode: codes[part(bits.code)] ?? "",
    };
  };
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
      for (const { line, earlier } of rows) {
        lines++;
        if (earlier === undefined) throw damaged(`its line ${line} cannot be read`);
        if (isEventId(earlier.eventId)) yield earlier;
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
