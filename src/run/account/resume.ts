import { basename } from "node:path";
import { systemClock } from "../../model/clock.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import type { ImportNotice, RunSummary } from "../../model/run-events.ts";
import { filesOfAccount } from "../../model/run-files.ts";
import { settingsKeptAs, settingsOf } from "../../model/run-settings.ts";
import type { ResumeOptions } from "../options/import-options.ts";
import { thisMachine } from "../send/run-context.ts";
import { refuseUnsealed, whyNotSealed } from "../send/seal.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import { notWritable } from "./claim-files.ts";
import { closePart } from "./close-part.ts";
import { holdAccount } from "./hold-account.ts";
import { interruptible } from "./interruptible.ts";
import type { MergeOptions } from "./merge.ts";
import { type PartOptions, runHeld, toTyped } from "./next-part.ts";
import {
  isNight,
  requireComplete,
  type UnfinishedAccount,
  unfinishedError,
} from "./read-account.ts";

/**
 * Continues the part of an account that stopped early or was killed. Events that were perhaps sent are sent again
 * with the same id (`at-least-once`), or end as `unknown` (`at-most-once`). A complete account stays as it is.
 *
 * @returns the summary of the account, or of the part if it stopped again: see `exitReason`
 * @throws CannotStartError if there is nothing to continue, or input, mapping or base URL are
 *   not what they were
 */
export function runResume(options: ResumeOptions): Promise<RunSummary> {
  return interruptible(options, (guarded, stop) => {
    const { results: path, clock = systemClock, onNotice } = guarded;
    const { results } = filesOfAccount(path);
    const warn = (message: string) => onNotice?.({ kind: "warning", message });
    return holdAccount(results, true, clock, warn, async (held) => {
      const { account } = held;
      if (account.kind !== "unfinished") {
        return summaryOfAccount(account.files, requireComplete(account, path).manifest);
      }
      const before = await optionsOf(account, guarded);
      return runHeld(held, await toTyped(before), account.part.run.kind, stop, thisMachine);
    });
  });
}

/** What a part is resumed with: what it was begun with, as far as that is trusted, and what is given now. */
async function optionsOf(account: UnfinishedAccount, options: ResumeOptions): Promise<PartOptions> {
  const { files, part } = account;
  if (isNight(part)) throw unfinishedError(account);
  const { imported, given: selected } = part.run;
  const { input, inputs, options: settings } = imported;
  const { delivery, idempotency_header } = settings;
  const why = await whyNotSealed(files.journal, part.run, options.stateFolder);
  refuseUnsealed(files.journal, why, imported, options);
  if (why !== undefined && files.state !== undefined) {
    throw cannotStart("run_unsealed", basename(files.journal), why);
  }
  const paths = inputs?.map(({ path }) => path) ?? input.path ?? files.input;
  // What decides on the rows is a part of what they are; where they go, only who is trusted may say.
  const before = settingsOf({
    ...settingsKeptAs(settings, "rows"),
    ...(why === undefined ? settingsKeptAs(settings, "service") : {}),
    delivery,
    idempotency_header,
  });
  return {
    ...before,
    ...options,
    // What a retry selected stands in its journal.
    input: selected === undefined ? paths : files.results,
    ...(inputs === undefined ? { inputName: input.called } : {}),
    results: files.results,
    mapping: options.mapping ?? imported.mapping.path,
    baseUrl: options.baseUrl ?? imported.base_url,
    delivery,
    resume: "must",
    ...(why !== undefined || imported.target === undefined ? {} : { target: imported.target }),
  };
}

/**
 * Completes an account whose input cannot be had any more, and sends nothing: an event that may have arrived is
 * `unknown`, in a line with blank cells, and rows that were never begun are a count in the manifest.
 *
 * @throws CannotStartError if there is no account, it is of a night, or it cannot be written
 */
export function closeAccount(options: Omit<MergeOptions, "shards">): Promise<RunSummary> {
  const { results: path, stateFolder, onWarning: warn = () => {} } = options;
  const { results } = filesOfAccount(path);
  return holdAccount(results, true, systemClock, warn, async ({ account, claimed }) => {
    if (account.kind !== "unfinished" || claimed === undefined) {
      return summaryOfAccount(account.files, requireComplete(account, path).manifest);
    }
    const { files, part } = account;
    // Of a retry of a night, the next night does that, as it has the state.
    if (isNight(part) || files.state !== undefined) throw unfinishedError(account);
    const onNotice = (one: ImportNotice) => one.kind === "warning" && warn(one.message);
    const settings = { clock: systemClock, concurrency: 0, onNotice, stateFolder };
    return closePart({
      ...{ files, settings, before: part.before, unfinished: part, claimed },
      ...{ stop: new AbortController(), ports: thisMachine },
    }).catch((error: unknown) => {
      const { code, message } = notWritable(results, error);
      throw new CannotStartError(code, message, ["Give the command again to complete it."]);
    });
  });
}
