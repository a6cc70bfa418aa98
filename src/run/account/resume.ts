import { basename } from "node:path";
import { systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { filesOfAccount } from "../../model/run-files.ts";
import { settingsKeptAs, settingsOf } from "../../model/run-settings.ts";
import type { ResumeOptions } from "../options/import-options.ts";
import { thisMachine } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import { refuseUnsealed, whyNotSealed } from "../options/seal.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import { notWritable, withLocks } from "./claim-files.ts";
import { closePart } from "./close-part.ts";
import { completeLeft, isLeft } from "./complete-account.ts";
import { run } from "./import.ts";
import { isNight, readAccount, requireComplete, unfinishedError } from "./read-account.ts";

/**
 * Continues the part of an account that stopped early or was killed. Events that were perhaps sent are sent again
 * with the same id (`at-least-once`), or end as `unknown` (`at-most-once`). A complete account stays as it is.
 *
 * @returns the summary of the account, or of the part if it stopped again: see `exitReason`
 * @throws CannotStartError if there is nothing to continue, or input, mapping or base URL are
 *   not what they were
 */
export async function runResume(options: ResumeOptions): Promise<RunSummary> {
  const { results, stateFolder, onNotice } = options;
  const warn = (message: string) => onNotice?.({ kind: "warning", message });
  const { disk, acquireLock } = thisMachine;
  const found = await readAccount(results);
  const account = (await isLeft(disk, found))
    ? await withLocks([found.files.results], acquireLock, warn, async () =>
        completeLeft(disk, await readAccount(results), warn),
      )
    : found;
  const { files } = account;
  if (account.kind !== "unfinished") {
    return summaryOfAccount(files, requireComplete(account, results).manifest);
  }
  const { part } = account;
  if (isNight(part)) throw unfinishedError(account);
  const { kind, imported, given: selected } = part.run;
  const { input, inputs, options: settings } = imported;
  const { delivery, idempotency_header } = settings;
  const why = await whyNotSealed(files.journal, part.run, stateFolder);
  refuseUnsealed(files.journal, why, imported, options);
  if (why !== undefined && files.state !== undefined) {
    throw cannotStart("run_unsealed", basename(files.journal), why);
  }
  const paths = inputs?.map(({ path }) => path) ?? input.path ?? files.input;
  // What a retry selected stands in its journal.
  const read = selected === undefined ? paths : files.results;
  // What decides on the rows is a part of what they are; where they go, only who is trusted may say.
  const before = settingsOf({
    ...settingsKeptAs(settings, "rows"),
    ...(why === undefined ? settingsKeptAs(settings, "service") : {}),
    delivery,
    idempotency_header,
  });
  return run(
    {
      ...before,
      ...options,
      input: read,
      ...(inputs === undefined ? { inputName: input.called } : {}),
      results: files.results,
      mapping: options.mapping ?? imported.mapping.path,
      baseUrl: options.baseUrl ?? imported.base_url,
      delivery,
      resume: "must",
      ...(why !== undefined || imported.target === undefined ? {} : { target: imported.target }),
    },
    kind,
  );
}

export interface CloseOptions {
  /** Path of the results of the account. */
  readonly results: string;
  /** Where the key of the seals is; default that of the XDG Base Directory Specification. */
  readonly stateFolder?: string | undefined;
  readonly onWarning?: (message: string) => void;
}

/**
 * Completes an account whose input cannot be had any more, and sends nothing: an event that may have arrived is
 * `unknown`, in a line with blank cells, and rows that were never begun are a count in the manifest.
 *
 * @throws CannotStartError if there is no account, it is of a night, or it cannot be written
 */
export function closeAccount(options: CloseOptions): Promise<RunSummary> {
  const { results: given, stateFolder, onWarning: warn = () => {} } = options;
  const { disk, acquireLock } = thisMachine;
  const files = filesOfAccount(given);
  return withLocks([files.results], acquireLock, warn, async () => {
    const account = await completeLeft(disk, await readAccount(given), warn);
    if (account.kind !== "unfinished") {
      return summaryOfAccount(files, requireComplete(account, given).manifest);
    }
    const { part } = account;
    // Of a retry of a night, the next night does that, as it has the state.
    if (isNight(part) || account.files.state !== undefined) throw unfinishedError(account);
    const settings = { stateFolder };
    const context = { disk, files, settings, clock: systemClock, warn };
    const manifest = await closePart(context, part.before).catch((error: unknown) => {
      throw notWritable(files.results, error);
    });
    return { ...(await summaryOfAccount(files, manifest)), wasComplete: false };
  });
}
