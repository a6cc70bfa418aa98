import { createHash } from "node:crypto";
import { access, constants } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { randomInputId } from "../../journal/fingerprint.ts";
import { unclaimJournal } from "../../journal/journal.ts";
import { inRealFolder } from "../../model/disk/exists.ts";
import { CannotStartError, ChangedFileError, cannotStart, reasonOf } from "../../model/errors.ts";
import type { Imported } from "../../model/manifest.ts";
import { packageVersion } from "../../model/package-files.ts";
import { runFiles } from "../../model/run-files.ts";
import { settingsKeptAs } from "../../model/run-settings.ts";
import { identifyRun, type PreparedRun } from "../prepare/prepare-run.ts";
import type { PartOnRecord } from "../send/part-record.ts";
import type { RunContext } from "../send/run-context.ts";
import {
  describeDifferences,
  hasNoDifference,
  refuseTooManyDiffering,
  whyNoneIsGone,
} from "../state/compare.ts";
import type { Night } from "../state/night.ts";
import { nightsAfter, type StateFile } from "../state/state-file.ts";
import type { NightLine, RunLine } from "../state/state-text.ts";
import { notWritable } from "./claim-files.ts";
import { closePart } from "./close-part.ts";
import { NotReconciledError } from "./complete-part.ts";
import { claimUnfinished } from "./hold-account.ts";
import { completeEnded, removeJournal } from "./place-files.ts";
import { filesOf, readAccount } from "./read-account.ts";

/**
 * Says how the input of a night differs from what the service has. Which keys are missing is in the state when it
 * returns, so that each counts once.
 *
 * @returns what is to be added to the state before anything is sent; undefined if nothing is
 * @throws CannotStartError if too many keys differ, or the state cannot be written
 */
export async function beginNight(
  context: RunContext,
  prepared: PreparedRun,
  night: Night,
  state: StateFile,
): Promise<RunLine | undefined> {
  const { settings, files } = context;
  const { input, startedAt } = prepared;
  const { onNotice: notify } = settings;
  const differences = night.compared();
  notify({ kind: "night", differences, sentences: describeDifferences(differences) });
  const whyNone = whyNoneIsGone(differences, input.name);
  if (whyNone !== undefined) notify({ kind: "warning", message: whyNone });
  refuseTooManyDiffering(differences, input.name, state.path, settings);
  const countsGone = differences.makesGoneEvents && whyNone === undefined;
  const gone = countsGone ? { gone: true as const } : {};
  const { night: last, broken } = state.nights;
  const nothingDiffers = hasNoDifference(differences);
  // Before the state says what is missing: the input may have been changed while it was compared.
  const of = madeOf((await identifyRun(context, prepared)).imported);
  const { hasMoved } = night.comparison;
  if (hasMoved) night.noteAway();
  if (hasMoved || (state.isFirst && !nothingDiffers)) {
    const { gone: _, ...before } = last ?? {};
    await state.rewrite({
      ...(last === undefined ? {} : { night: { ...(before as NightLine), ...gone } }),
      ...(broken === undefined ? {} : { broken }),
    });
  }
  if (nothingDiffers) return undefined;
  // An export that comes again is news, but for the night that repeats the last one after it broke.
  const ids = broken && last?.of === of ? last.ids : randomInputId();
  await input.identify(ids);
  return { run: startedAt, results: resolve(files.results), input: input.name, of, ids, ...gone };
}

/** A hash of all that the events of a night are made of. */
function madeOf({ input, mapping, options }: Imported): string {
  const files = [input, mapping, ...mapping.lookups].map(({ sha256 }) => sha256);
  const text = JSON.stringify([packageVersion(), ...files, settingsKeptAs(options, "rows")]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Whether nobody can complete an account any more, as its files are not what they were. */
function isDamaged(error: unknown): boolean {
  const isChanged = error instanceof ChangedFileError || error instanceof NotReconciledError;
  return isChanged || (error instanceof CannotStartError && /damaged|missing/.test(error.code));
}

/**
 * Completes what a broken night has left, or a retry of one: its account is closed where that can be done, and the
 * state is rendered with what its journal says.
 *
 * @throws CannotStartError if the disk fails: then the next night does that
 */
export async function completeNight(context: RunContext, state: StateFile): Promise<void> {
  const { settings, ports } = context;
  const { disk } = ports;
  const { line, part, path, isJournalLost } = state;
  const { clock } = settings;
  const warn = (message: string) => settings.onNotice({ kind: "warning", message });
  // Once the new state has its place, it has no line of the run any more: then it was that of its last night.
  const ofEnd = part?.record.end && state.nights.night?.results;
  const results = line?.results ?? ofEnd;
  const files = runFiles(results ?? "", path);
  const isSent = (part?.record.tallyWithUnsettled().attempts ?? 0) > 0;
  const isBroken = isSent || isJournalLost;
  const after = isBroken ? nightsAfter(state, true) : state.nights;
  if (results !== undefined && part !== undefined) {
    try {
      if (await completeIn(part)) return;
    } catch (error) {
      // What the disk refuses now may be possible the next time.
      const folder = dirname(resolve(results));
      const canWrite = access(folder, constants.W_OK).then(() => true);
      if (!isDamaged(error) && (await canWrite.catch(() => false)))
        throw notWritable(results, error);
      warn(`The last night did not finish, and ${results} stays as it is. ${reasonOf(error)}`);
    }
  }
  if (isBroken) await state.rewrite(after);
  else if (line !== undefined) await state.cut();
  await removeJournal(disk, files).catch((error: unknown) => {
    throw notWritable(files.journal, error);
  });

  /** @returns whether there was an account to complete */
  async function completeIn(ended: PartOnRecord): Promise<boolean> {
    const found = await filesOf(files.results, disk);
    const { files: own, read } = found;
    if (read.kind === "unreadable" && read.isOfDisk) {
      throw cannotStart("manifest_unreadable", own.manifest, read.message);
    }
    // Whoever wrote the state may have named the results of somebody else.
    const isOfState = (await inRealFolder(own.state ?? "")) === (await inRealFolder(path));
    if (!isOfState && (isBroken || read.kind !== "absent")) {
      const why = `its manifest ${read.kind === "absent" ? "is missing" : "names another state"}`;
      throw cannotStart("account_damaged", files.results, why);
    }
    if (isOfState && ended.record.end !== undefined) {
      // Windows replaces no file that is open.
      await state.close();
      await completeEnded(disk, files, ended, warn);
      return true;
    }
    const claimed = isOfState ? await claimUnfinished(found, disk, clock, true) : undefined;
    if (claimed === undefined) return false;
    try {
      const account = await readAccount(files.results, disk);
      if (account.kind === "damaged") throw account.error;
      if (account.kind !== "unfinished") return false;
      const { part: unfinished } = account;
      const stop = new AbortController();
      const closing = { ...context, files, before: unfinished.before, unfinished, claimed, stop };
      await closePart(closing, () => state.renderTo(after));
      return true;
    } finally {
      await unclaimJournal(disk, claimed);
    }
  }
}
