import { basename } from "node:path";
import { openResultsFile } from "../input/open-results-file.ts";
import { fingerprintFile } from "../journal/fingerprint.ts";
import { CannotStartError, cannotStart } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { sourceColumn } from "../model/results-columns.ts";
import { baseOfRun, nextRetryResults } from "../model/run-files.ts";
import type { StatusLists } from "../model/status-rules.ts";
import type { Manifest } from "../results/manifest.ts";
import { refuseResumable, refuseUnfinished } from "./find-unfinished.ts";
import { run } from "./import.ts";
import type { ImportOptions, RetryOptions, RunSummary } from "./import-options.ts";
import { optionsOfSending, sendingOfManifest } from "./import-settings.ts";
import { isReadOnce } from "./input.ts";
import { findLostJournal, type LostJournal, lostJournalError } from "./lost-journal.ts";
import { refuseNoResults } from "./refuse-no-results.ts";
import {
  type EarlierManifest,
  flagsOf,
  flagsOfSending,
  readEarlierManifest,
  refuseUnsealed,
} from "./unsealed.ts";

/**
 * Sends again what did not succeed. Original row numbers and event ids are carried over, so an event
 * that nobody changed has the id that it had before. Delivery mode, idempotency header, certificates
 * and meanings of statuses are those of the earlier run unless given, where the seal of its manifest is good.
 *
 * @returns the summary of the run, even if it stopped early: see `exitReason`
 * @throws CannotStartError if nothing was sent and nothing written
 */
export async function runRetry(options: RetryOptions): Promise<RunSummary> {
  const { input } = options;
  const isOnlyPart = await refuseResumable(input);
  await refuseNoResults(input);
  const isComplete = options.mapping !== undefined && options.baseUrl !== undefined;
  const lost = await findLostJournal(input);
  if (lost !== undefined && !isComplete) throw refuseLostJournal(lost);
  if (isOnlyPart || lost !== undefined) {
    const why = isOnlyPart
      ? "read standard input and cannot be resumed"
      : `may be unfinished, and its journal ${basename(lost?.journal ?? "")} is missing`;
    const message = `The run of ${basename(input)} ${why}: this retries only what the file holds.`;
    options.onNotice?.({ kind: "warning", message });
  }
  const earlier = await findManifest(options, isComplete);
  const manifest = earlier?.manifest;
  /** What counts for more than its figures. */
  const sealed = earlier?.kind === "sealed" ? earlier.manifest : undefined;
  if (manifest !== undefined && options.mapping === undefined) {
    await warnWhenChanged(manifest, options.onNotice);
  }
  if (manifest?.inputs !== undefined) await warnWhenSourcesLost(options);
  const next = await nextRetryResults(
    (await isReadOnce(input)) ? "stdin" : input,
    refuseUnfinished,
  );
  return run(
    {
      ...(sealed === undefined ? {} : optionsOf(sealed, options.baseUrl === undefined)),
      ...(manifest === undefined ? {} : { inputName: manifest.input.called }),
      ...(manifest === undefined ? {} : optionsOfSending(sendingOfManifest(manifest))),
      ...options,
      reading: { ...recordSizeOf(manifest), ...options.reading },
      statuses: { ...(sealed === undefined ? {} : statusesOf(sealed)), ...options.statuses },
      mapping: options.mapping ?? sealed?.mapping.path ?? "",
      baseUrl: options.baseUrl ?? sealed?.base_url ?? "",
      results: options.results ?? next,
    },
    "retry",
  );
}

/** What the file holds can be retried all the same, by who knows where it went. */
function refuseLostJournal(lost: LostJournal): CannotStartError {
  const { code, message } = lostJournalError(lost);
  const how = "To retry only what the file holds, give --mapping and --base-url.";
  const flags = lost.manifest === undefined ? [] : [flagsOf(lost.manifest).join(" ")];
  return new CannotStartError(code, `${message} ${how}`, flags);
}

async function findManifest(
  options: RetryOptions,
  canDoWithout: boolean,
): Promise<Extract<EarlierManifest, { readonly manifest: Manifest }> | undefined> {
  const { input, stateFolder, onNotice } = options;
  const path = `${baseOfRun(input)}.run.json`;
  const read = await readEarlierManifest(path, stateFolder);
  switch (read.kind) {
    case "sealed":
      return read;
    case "unsealed": {
      if (!canDoWithout) throw refuseUnsealed(path, read.why, flagsOf(read.manifest));
      const flags = flagsOfSending(read.manifest, options);
      if (flags.length > 0) {
        const message = `${basename(path)} is not trusted (${read.why}), so this is not sent with ${flags.join(" ")}, as it says: add what is right of it.`;
        onNotice?.({ kind: "warning", message });
      }
      return read;
    }
    case "absent":
      if (canDoWithout) return undefined;
      throw cannotStart("manifest_missing", basename(input), basename(path));
    case "unreadable":
      if (canDoWithout) return undefined;
      throw cannotStart("manifest_unreadable", path, read.message);
  }
}

function optionsOf({ options }: Manifest, isSameService: boolean): Partial<ImportOptions> {
  const { delivery, idempotency_header: idempotencyHeader, allow_http: allowHttp } = options;
  return {
    delivery,
    ...(idempotencyHeader === null ? {} : { idempotencyHeader }),
    // That plain http is fine was said of that address only.
    ...(isSameService ? { allowHttp, caFile: options.ca_files } : {}),
  };
}

/** The results hold what the input held; all else of how they are read is theirs. */
function recordSizeOf(manifest: Manifest | undefined): Reading {
  const maxRecordBytes = manifest?.options.reading?.max_record_bytes ?? undefined;
  return maxRecordBytes === undefined ? {} : { maxRecordBytes };
}

function statusesOf({ options }: Manifest): StatusLists {
  const { success_statuses: success, retry_statuses: retry, reject_statuses: reject } = options;
  return {
    ...(success === null ? {} : { success }),
    ...(retry === null ? {} : { retry }),
    ...(reject === null ? {} : { reject }),
  };
}

/** Results of several files tell which of them a row is from, unless a person has taken that out. */
async function warnWhenSourcesLost({ input, reading, onNotice }: RetryOptions): Promise<void> {
  if (await isReadOnce(input)) return;
  const spec = { kind: "file", path: input, name: basename(input) } as const;
  // Where it cannot be opened, the run says why.
  const source = await openResultsFile(spec, reading).catch(() => undefined);
  await source?.close();
  if (source === undefined || source.hasSources) return;
  const message = `${spec.name} has lost the column ${sourceColumn}: which file a row is from is not known any more.`;
  onNotice?.({ kind: "warning", message });
}

async function warnWhenChanged(
  { mapping }: Manifest,
  notify: ImportOptions["onNotice"],
): Promise<void> {
  for (const { path, sha256 } of [mapping, ...mapping.lookups]) {
    const now = await fingerprintFile(path).catch(() => undefined);
    if (now === undefined || now.sha256 === sha256) continue;
    const message = `${basename(path)} has changed since that run; an event whose data differ from then gets a new id.`;
    notify?.({ kind: "warning", message });
  }
}
