import { basename, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openResultsFile } from "../../input/open-results-file.ts";
import { fingerprintFile } from "../../journal/fingerprint.ts";
import { type CannotStartError, cannotStart } from "../../model/errors.ts";
import { sendingOf, settingsKeptAs, usualSettings } from "../../model/run-settings.ts";
import type { Manifest } from "../../results/manifest.ts";
import type { ImportOptions, RetryOptions } from "../options/import-options.ts";
import { optionsOfKept } from "../options/import-settings.ts";
import type { RunSummary } from "../options/run-events.ts";
import { readEarlierManifest, refuseUnsealed } from "../options/unsealed.ts";
import { run } from "./import.ts";
import { isSameFile } from "./prepare-selected.ts";
import {
  type Account,
  readAccount,
  refuseMerged,
  refuseOtherThanResults,
  unfinishedError,
} from "./read-account.ts";

/**
 * Sends again what is open of an account: its next part. Delivery mode, idempotency header, certificates and meanings
 * of statuses are those of the account unless given, if the seal of its manifest is good.
 *
 * @returns the summary of the account, or of the part if it stopped early: see `exitReason`
 * @throws CannotStartError if nothing was sent and nothing written
 */
export async function runRetry(options: RetryOptions): Promise<RunSummary> {
  const { input, stateFolder, onNotice } = options;
  const { files, manifest } = await accountToRetry(input, options.results);
  const isComplete = options.mapping !== undefined && options.baseUrl !== undefined;
  const read = await readEarlierManifest(files.manifest, stateFolder);
  if (read.kind === "unsealed") {
    const { base_url: address, target, mapping } = manifest;
    const where = { baseUrl: address, target, mapping };
    if (!isComplete) throw refuseUnsealed(files.manifest, read.why, where);
    const [its, usual] = [manifest.options, usualSettings].map((one) =>
      settingsKeptAs(one, "service"),
    );
    if (!isDeepStrictEqual(its, usual)) {
      const message = `${basename(files.manifest)} is not trusted (${read.why}), so delivery mode, idempotency header, certificates and statuses are not taken from it, but as they are given now.`;
      onNotice?.({ kind: "warning", message });
    }
  }
  if (options.mapping === undefined) await warnWhenChanged(manifest, onNotice);
  const name = basename(input);
  const isResults = await isSameFile(input, files.results);
  const { options: settings } = manifest;
  const { allow_http, ca_files, ...ofService } = settingsKeptAs(settings, "service");
  const before = optionsOfKept({
    ...sendingOf(settings),
    ...(read.kind === "sealed" ? ofService : {}),
    // That plain http is fine was said of that address only.
    ...(read.kind === "sealed" && options.baseUrl === undefined ? { allow_http, ca_files } : {}),
  });
  return run(
    {
      ...before,
      ...options,
      inputName: manifest.input.called,
      statuses: { ...before.statuses, ...options.statuses },
      mapping: options.mapping ?? manifest.mapping.path,
      baseUrl: options.baseUrl ?? manifest.base_url,
      results: files.results,
      given: { path: resolve(input), name, isResults },
    },
    "retry",
  );
}

/**
 * The account whose rows a file has: beside it, by its name, or as it is named.
 *
 * @throws CannotStartError if there is none, or it cannot be retried now
 */
export async function accountToRetry(
  given: string,
  results: string | undefined,
): Promise<Extract<Account, { kind: "complete" }>> {
  await refuseOtherThanResults(results ?? given);
  const account = await readAccount(results ?? given);
  switch (account.kind) {
    case "unfinished":
      throw unfinishedError(account);
    case "closed":
      throw cannotStart("account_closed", account.files.results, account.closed.by);
    case "damaged":
      if (results === undefined && isOfAnotherName(given, account.error)) {
        await refuseOthers(given);
        throw cannotStart("account_missing", given);
      }
      throw account.error;
    case "none":
      await refuseOthers(given);
      throw cannotStart("account_missing", given);
    case "complete":
      break;
    default:
      account satisfies never;
  }
  refuseMerged(account, given);
  return account;
}

/** A mistyped name, or a file of another kind, is not the same as failed rows that lie elsewhere. */
async function refuseOthers(path: string): Promise<void> {
  const source = await openResultsFile({ kind: "file", path, name: basename(path) });
  await source.close();
}

/** Whether it is no account that is damaged, but a file whose name says nothing of its account. */
function isOfAnotherName(given: string, { code }: CannotStartError): boolean {
  return code === "journal_and_manifest_missing" && !/\.results[^/\\]*$/i.test(given);
}

async function warnWhenChanged(
  { mapping }: Manifest,
  notify: ImportOptions["onNotice"],
): Promise<void> {
  for (const { path, sha256 } of [mapping, ...mapping.lookups]) {
    const now = await fingerprintFile(path).catch(() => undefined);
    if (now === undefined || now.sha256 === sha256) continue;
    const message = `${basename(path)} has changed since the import; an event whose data differ from then gets a new id.`;
    notify?.({ kind: "warning", message });
  }
}
