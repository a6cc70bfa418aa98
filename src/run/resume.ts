import type { RunIdentity } from "../journal/run-identity.ts";
import { findUnfinishedRun } from "../journal/unfinished-run.ts";
import { exists } from "../model/disk/exists.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { type CannotStartError, cannotStart } from "../model/errors.ts";
import { runFiles } from "../model/run-files.ts";
import { readManifest } from "../results/manifest.ts";
import { run } from "./import.ts";
import type { ResumeOptions, RunSummary } from "./import-options.ts";
import { optionsOfSending, usualSending } from "./import-settings.ts";
import { findLostJournal, lostJournalError } from "./lost-journal.ts";
import { cannotResume } from "./prepare-run.ts";
import { whyNotSealed } from "./seal.ts";
import { flagsOfRun, refuseUnsealed } from "./unsealed.ts";

/**
 * Continues a run that stopped early or was killed. Events that were perhaps sent are sent again
 * with the same id (`at-least-once`), or end as `unknown` (`at-most-once`).
 *
 * @returns the summary of the whole run, even if it stopped again: see `exitReason`
 * @throws CannotStartError if there is nothing to continue, or input, mapping or base URL are
 *   not what they were
 */
export async function runResume(options: ResumeOptions): Promise<RunSummary> {
  const { results } = options;
  const { journal } = runFiles(results);
  const unfinished = await findUnfinishedRun(nodeDisk, journal);
  if (unfinished === undefined) throw await nothingToResume(results);
  const { kind, input, inputs } = unfinished.run;
  const { delivery, idempotencyHeader, skip, limit, shard, reading = {} } = unfinished.run.options;
  const sending = unfinished.run.parts.at(-1)?.sending ?? usualSending;
  const why = await whyNotSealed(journal, unfinished.run, options.stateFolder);
  const known = why === undefined ? unfinished.run : undefined;
  const mapping = options.mapping ?? known?.mapping.path;
  const baseUrl = options.baseUrl ?? known?.baseUrl;
  if (mapping === undefined || baseUrl === undefined) {
    throw refuseUnsealed(journal, why ?? "", flagsOfRun(unfinished.run));
  }
  const given =
    inputs === undefined
      ? { input: input.path, inputName: input.called }
      : { input: inputs.map(({ path }) => path) };
  if (given.input === null) throw cannotStart("resume_needs_a_file", results);
  const missing = await missingFilesOf(unfinished.run, mapping);
  if (missing.length > 0) {
    const { startedAt } = unfinished.run;
    throw await cannotResume({ files: runFiles(results), kind, startedAt }, missing);
  }
  return run(
    {
      ...optionsOfSending(sending),
      ...options,
      ...(options.ratePerSecond === undefined
        ? {}
        : { ratePerSecond: options.ratePerSecond / (shard?.count ?? 1) }),
      caFile: options.caFile ?? known?.options.caFiles ?? [],
      statuses: { ...known?.options.statuses, ...options.statuses },
      ...given,
      input: given.input,
      mapping,
      baseUrl,
      delivery,
      allowHttp: options.allowHttp ?? known?.options.allowHttp ?? false,
      skip,
      ...(shard === undefined ? {} : { shard }),
      reading,
      resume: "must",
      ...(idempotencyHeader === null ? {} : { idempotencyHeader }),
      ...(known?.target === undefined ? {} : { target: known.target }),
      ...(limit === null ? {} : { limit }),
    },
    kind,
  );
}

/** The files of a run that are not there any more, a part of a sentence each. */
async function missingFilesOf(
  { input, inputs = [], mapping: known }: RunIdentity,
  mapping: string,
): Promise<string[]> {
  const needed: readonly (readonly [what: string, path: string])[] = [
    ...(input.path === null ? [] : [["input", input.path] as const]),
    ...inputs.map(({ path }) => ["input", path] as const),
    // One that is typed may be anywhere.
    ...(mapping === known.path ? [["mapping", mapping] as const] : []),
    ...(known.lookups ?? []).map(({ path }) => ["file that the mapping uses", path] as const),
  ];
  const missing: string[] = [];
  for (const [what, path] of needed) {
    if (!(await exists(path))) missing.push(`the ${what}, ${path}, is missing`);
  }
  return missing;
}

/** Why a run without a journal cannot be resumed. */
async function nothingToResume(results: string): Promise<CannotStartError> {
  const lost = await findLostJournal(results, runFiles(results));
  if (lost !== undefined) return lostJournalError(lost);
  const { failed, manifest } = runFiles(results);
  const toRetry = (await exists(failed)) ? failed : undefined;
  const read = await readManifest(manifest);
  if (read.kind !== "manifest") return cannotStart("nothing_to_resume", results, toRetry);
  switch (read.manifest.exit_reason) {
    case "complete":
      return cannotStart("nothing_to_resume", results, toRetry);
    case "input_changed":
      return cannotStart("run_over", results, "was changed while it was read", toRetry);
    case "input_damaged":
      return cannotStart("run_over", results, "could not be read to its end", toRetry);
    default:
      return cannotStart("resume_needs_a_file", results);
  }
}
