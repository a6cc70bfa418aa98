import { basename, resolve } from "node:path";
import { openResultsFile } from "../../input/open-results-file.ts";
import { isSameService } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import type { RunSummary } from "../../model/run-events.ts";
import { sendingOf, settingsKeptAs, settingsOf } from "../../model/run-settings.ts";
import type { RetryOptions } from "../options/import-options.ts";
import { refuseUnsealed, whyNotSealed } from "../send/seal.ts";
import { runNextPart } from "./next-part.ts";
import { readAccount, requireComplete } from "./read-account.ts";

/**
 * Sends again what did not succeed: the next part of an account. Delivery mode, idempotency header, certificates and
 * meanings of statuses are those of the account unless given, if the seal of its manifest is good.
 *
 * @returns the summary of the account, or of the part if it stopped early: see `exitReason`
 * @throws CannotStartError if nothing was sent and nothing written
 */
export async function runRetry(options: RetryOptions): Promise<RunSummary> {
  const { input, stateFolder, onNotice } = options;
  const warn = (message: string) => onNotice?.({ kind: "warning", message });
  const account = await accountToRetry(input, options.results, stateFolder);
  const { files, manifest, unsealed } = account;
  const { base_url: address, mapping, options: settings } = manifest;
  refuseUnsealed(files.manifest, unsealed, manifest, options);
  if (unsealed !== undefined && manifest.state !== undefined) {
    const why = `${basename(files.manifest)} cannot be verified, so the state that it names is not believed; the next night sends what is left`;
    throw cannotStart("retry_refused", basename(input), why);
  }
  const ofService = settingsKeptAs(settings, "service");
  const { delivery } = settings;
  if (unsealed !== undefined) {
    warn(
      `${basename(files.manifest)} cannot be verified (${unsealed}), so only its rate, limits and delivery mode are kept: give the other options of the import again.`,
    );
  }
  // That plain http is fine, and with which certificates, was said of that address only.
  const { allow_http: _, ca_files: __, ...ofAnyAddress } = ofService;
  const isThere = isSameService(options.baseUrl ?? address, address);
  const trusted = isThere ? ofService : ofAnyAddress;
  const before = settingsOf({
    ...sendingOf(settings),
    // At-most-once holds events back, so it needs no trust.
    ...(unsealed === undefined ? trusted : { delivery }),
  });
  return runNextPart(
    {
      ...before,
      ...options,
      inputName: manifest.input.called,
      mapping: options.mapping ?? mapping.path,
      baseUrl: options.baseUrl ?? address,
      results: files.results,
      given: resolve(input),
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
  stateFolder: string | undefined,
) {
  const account = await readAccount(results ?? given);
  if (account.kind === "none") {
    // A mistyped name, or a file of another kind, is not the same as failed rows that lie elsewhere.
    const source = await openResultsFile({ kind: "file", path: given, name: basename(given) });
    await source.close();
    if (results === undefined) throw cannotStart("account_elsewhere", given);
  }
  const complete = requireComplete(account, results ?? given);
  const { files, written, manifest } = complete;
  // Of rows that failed before, more may fail than of others: a percentage says nothing about them.
  const { max_errors: most, ...others } = manifest.options;
  const options = (
    String(most).endsWith("%") ? others : manifest.options
  ) as typeof manifest.options;
  return {
    ...complete,
    manifest: { ...manifest, options },
    /** Why the account's manifest is figures and no authority; undefined if its seal is good. */
    unsealed: await whyNotSealed(files.manifest, written, stateFolder),
  };
}
