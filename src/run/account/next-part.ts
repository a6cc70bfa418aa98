import { basename } from "node:path";
import { claimJournal, unclaimJournal } from "../../journal/journal.ts";
import { journalNumbers } from "../../journal/read-journal.ts";
import { cannotStart } from "../../model/errors.ts";
import type { RunSummary } from "../../model/run-events.ts";
import { runFiles } from "../../model/run-files.ts";
import { settingsOf } from "../../model/run-settings.ts";
import type { StopController } from "../../model/stop.ts";
import type { ImportOptions } from "../options/import-options.ts";
import { defined, type ImportSettings, withDefaults } from "../options/import-settings.ts";
import { type InputKind, isStream, toInput } from "../options/input.ts";
import { isResultsFile } from "../prepare/open-inputs.ts";
import { type ImportPorts, thisMachine } from "../send/run-context.ts";
import { refuseWithState } from "../state/hold-state.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import { refuseExisting, refuseInUse } from "./claim-files.ts";
import { type HeldAccount, holdAccount, removeUnbegun } from "./hold-account.ts";
import { interruptible } from "./interruptible.ts";
import { keepInput } from "./keep-input.ts";
import { endRecordedPart, nothingRead, runPart, summaryOfSameRun } from "./part.ts";
import { type Account, isNight, readAccount, unfinishedError } from "./read-account.ts";

/** An import, or the retry of an account: the next part of it. */
export type PartOptions = ImportOptions & {
  readonly allowAltered?: boolean;
  readonly restoreAltered?: boolean;
  /** Of a retry: the file that selects rows. */
  readonly given?: string;
};

/**
 * Imports an input: checks every row, sends the events that the mapping makes from them, and writes
 * a results file in which every row has its outcome.
 *
 * @returns the summary of the run, even if it stopped early: see `exitReason`
 * @throws CannotStartError if nothing was sent and nothing written
 */
export function runImport(options: ImportOptions): Promise<RunSummary> {
  return runNextPart(options, "import");
}

/** Runs the next part of an account, new or resumed. @throws CannotStartError if nothing was sent and nothing written */
export function runNextPart(
  options: PartOptions,
  kind: InputKind,
  ports: ImportPorts = thisMachine,
): Promise<RunSummary> {
  return interruptible(options, async (guarded, stop) => {
    const typed = await toTyped(guarded);
    const { results, state, resume, clock, onNotice, ...others } = withDefaults(typed);
    const warn = (message: string) => onNotice({ kind: "warning", message });
    if (state !== undefined) await refuseWithState(state, { ...others, resume, kind });
    const runIt = (held: HeldAccount) => runHeld(held, typed, kind, stop, ports);
    return holdAccount(results, resume !== "never", clock, warn, runIt, ports);
  });
}

/** The options with an input that can be read. The rate is for the whole import, and shards run at the same time. */
export function toTyped(options: PartOptions) {
  const { shard, ratePerSecond } = options;
  const ofShard = shard && ratePerSecond && { ratePerSecond: ratePerSecond / shard.count };
  return toInput({ ...options, ...ofShard });
}

export async function runHeld(
  { account, claimed }: HeldAccount,
  typed: Awaited<ReturnType<typeof toTyped>>,
  kind: InputKind,
  stop: StopController,
  ports: ImportPorts,
): Promise<RunSummary> {
  const { input, inputName = "stdin" } = typed;
  const unfinished = account.kind === "unfinished" ? account.part : undefined;
  const before = unfinished?.run.parts.at(-1)?.sending;
  // What is not given is as before.
  const asked = withDefaults({
    ...(before === undefined ? {} : settingsOf(before)),
    ...defined(typed),
  });
  const { results, state, resume } = asked;
  const files = state === undefined ? account.files : runFiles(results, state);
  if (account.kind === "complete" && resume === "must") {
    return summaryOfAccount(files, account.manifest);
  }
  const given = await selectingFile(account, asked, kind, typed.given);
  await refuseInUse(files);
  const settings = isStream(input) ? { ...asked, input: files.input, inputName } : asked;
  // Without it, the copy of an input that a killed process leaves would be somebody's file.
  const isCopiedFirst = isStream(input) && account.kind === "none";
  const claim = () => claimJournal(ports.disk, account.files, 0, asked.clock, true);
  const first = isCopiedFirst ? await claim() : undefined;
  const context = {
    ...{ settings, kind, files, stop, ports, given, unfinished },
    before: unfinished?.before ?? (account.kind === "complete" ? account.manifest : undefined),
    // That of a night lies beside its state, which is not held yet.
    claimed: (unfinished && claimed) ?? (state === undefined ? first : undefined),
  };
  try {
    const { rowsAtEnd, rows } = unfinished?.record ?? {};
    if (rows !== undefined && rows.count === rowsAtEnd && files.state === undefined) {
      return await endRecordedPart(context);
    }
    const isCopied =
      !isStream(input) ||
      (await keepInput(ports.disk, files, input, inputName, unfinished?.run, stop.signal));
    if (!isCopied) return nothingRead(context);
    return account.kind === "complete" && kind === "import"
      ? await summaryOfSameRun(context, account.manifest)
      : await runPart(context);
  } finally {
    if (first !== undefined) await unclaimJournal(ports.disk, first);
    // Where that fails it does no harm: the next part writes over it.
    await journalNumbers(ports.disk, files.journal)
      .then((numbers) => (numbers.length === 0 ? removeUnbegun(ports.disk, files) : undefined))
      .catch(() => {});
  }
}

/**
 * The file that selects the rows of the next part; undefined for an input. Nobody else can begin one now.
 *
 * @throws CannotStartError if the account is not in the right state for it
 */
async function selectingFile(
  account: Account,
  { resume, input, results, state }: ImportSettings,
  kind: InputKind,
  given: string | undefined,
): Promise<string | undefined> {
  const paths = isStream(input) ? [] : [input].flat();
  const hasState = state !== undefined;
  const refuseFiles = () => refuseExisting(account.files, hasState);
  switch (account.kind) {
    case "damaged":
      if (kind === "import" && resume === "never" && account.error.code !== "part_damaged") {
        await refuseFiles();
      }
      throw account.error;
    case "unfinished": {
      const { given: selected, kind: before } = account.part.run;
      if (hasState) throw cannotStart("results_exist", results, true);
      if (isNight(account.part) || resume === "never" || before !== kind) {
        throw unfinishedError(account);
      }
      return selected;
    }
    case "none":
      if (resume === "must") throw cannotStart("account_missing", results);
      if (kind === "retry") throw cannotStart("account_elsewhere", given ?? results);
      await refuseFiles();
      return failedRowsIn(paths, state);
    case "complete":
      if (kind === "retry") {
        // Of a shard that was merged, the merged account is retried.
        const { merged_into: into } = account.manifest;
        if (into !== undefined) throw cannotStart("shard_merged", results, into);
        return given;
      }
      if (resume === "never") await refuseFiles();
      return undefined;
    default:
      return account satisfies never;
  }
}

/**
 * The input, if that is failed rows whose account is gone.
 *
 * @throws CannotStartError if the account is there, which knows more about them
 */
async function failedRowsIn(
  paths: readonly string[],
  state: string | undefined,
): Promise<string | undefined> {
  for (const path of paths) {
    if (!(await isResultsFile(path))) continue;
    if (state !== undefined) await refuseWithState(state, { kind: "retry" });
    const name = basename(path);
    const account = await readAccount(path);
    if (account.kind === "damaged") throw account.error;
    if (account.kind === "none" && paths.length === 1) return path;
    throw cannotStart("results_file_as_input", name, path);
  }
  return undefined;
}
