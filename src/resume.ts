import { cannotStart } from "./domain/errors.ts";
import { run } from "./import.ts";
import type { ImportOptions, RunSummary } from "./import-options.ts";
import { nodeDisk } from "./journal/node-disk.ts";
import { findUnfinishedRun } from "./journal/unfinished-run.ts";
import { runFiles } from "./results/run-files.ts";

/** What may differ from one part of a run to the next; the rest stands in its journal. */
export type ResumeOptions = Pick<
  ImportOptions,
  | "adaptive"
  | "caFile"
  | "clock"
  | "concurrency"
  | "cutOffSignal"
  | "durability"
  | "maxAttempts"
  | "maxErrors"
  | "maxOutageMs"
  | "onNotice"
  | "onProgress"
  | "proxy"
  | "ratePerSecond"
  | "signal"
  | "statuses"
  | "timeoutMs"
  | "token"
> & {
  /** Path of the results of the run. */
  readonly results: string;
};

/**
 * Goes on with a run that stopped early or was killed. Events that were perhaps sent are sent again
 * with the same id (`at-least-once`), or end as `unknown` (`at-most-once`).
 *
 * @returns the account of the whole run, also of one that stopped again: see `exitReason`
 * @throws CannotStartError where there is nothing to go on with, or input, mapping or base URL are
 *   not what they were
 */
export async function runResume(options: ResumeOptions): Promise<RunSummary> {
  const { results } = options;
  const unfinished = await findUnfinishedRun(nodeDisk, runFiles(results).journal);
  if (unfinished === undefined) throw cannotStart("nothing_to_resume", results);
  const { kind, input, inputs, baseline = [], mapping, baseUrl, target } = unfinished.run;
  const { delivery, idempotencyHeader, allowHttp, skip, limit } = unfinished.run.options;
  const { caFiles = [], statuses = {}, reading = {} } = unfinished.run.options;
  const given =
    inputs === undefined
      ? { input: input.path, inputName: input.called }
      : { input: inputs.map(({ path }) => path) };
  if (given.input === null) throw cannotStart("resume_needs_a_file", results);
  return run(
    {
      ...options,
      caFile: options.caFile ?? caFiles,
      statuses: { ...statuses, ...options.statuses },
      ...given,
      input: given.input,
      baseline: baseline.map(({ path }) => path),
      mapping: mapping.path,
      baseUrl,
      delivery,
      allowHttp,
      skip,
      reading,
      resume: "must",
      ...(idempotencyHeader === null ? {} : { idempotencyHeader }),
      ...(target === undefined ? {} : { target }),
      ...(limit === null ? {} : { limit }),
    },
    kind,
  );
}
