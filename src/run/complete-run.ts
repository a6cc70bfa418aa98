import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type ComparedIdentity, differences } from "../journal/run-identity.ts";
import { exists } from "../model/disk/exists.ts";
import { CannotStartError, cannotStart } from "../model/errors.ts";
import type { RunFiles } from "../model/run-files.ts";
import { type Manifest, readManifest } from "../results/manifest.ts";
import { isReadOnceRun } from "./find-unfinished.ts";
import type { RunSummary } from "./import-options.ts";
import { manifestOptions } from "./import-settings.ts";
import { identifyRun, prepareRun } from "./prepare-run.ts";
import { refuseChangedResults } from "./read-shard.ts";
import type { RunContext } from "./run-context.ts";
import { summaryOfManifest } from "./summary-of-manifest.ts";

/** The manifest of the import that some results are of, if that is complete and its input can be read again. */
export async function completeRunOf(files: RunFiles): Promise<Manifest | undefined> {
  if (!(await exists(files.results)) || (await exists(files.journal))) return undefined;
  const read = await readManifest(files.manifest);
  if (read.kind !== "manifest") return undefined;
  const { kind, exit_reason: reason } = read.manifest;
  if (kind !== "import" || reason !== "complete" || isReadOnceRun(read.manifest)) return undefined;
  return read.manifest;
}

/**
 * Summarizes a complete run again, if an import may resume it and is the same. Engines start a task again if they
 * did not learn that it ended, so this is no mistake. Nothing is sent.
 *
 * @returns undefined if the import was stopped meanwhile
 * @throws CannotStartError if that run had another input, mapping, service or other settings, or if its results
 *   are not as it wrote them
 */
export async function summaryOfSameRun(
  context: RunContext,
  manifest: Manifest,
): Promise<RunSummary | undefined> {
  const { settings, files } = context;
  const { code, message } = cannotStart("results_exist", files.results);
  const refuse = (differences: readonly string[]) =>
    new CannotStartError(code, message, [
      `They are not of the same run: ${differences.join("; ")}.`,
    ]);
  const before = comparedIdentity(manifest);
  const prepared = await prepareRun(context);
  if (prepared === undefined) return undefined;
  const { input } = prepared;
  await input.close();
  const now = {
    ...(await identifyRun(context, prepared)),
    options: comparedOptions(manifestOptions(settings, input.reading)),
  };
  const found = differences(before, now);
  if (found.length > 0) throw refuse(found);
  await refuseChangedFiles(files, manifest);
  const { shard } = settings;
  return {
    ...(await summaryOfFiles(files, manifest)),
    ...(shard === undefined ? {} : { shard }),
  };
}

/**
 * Summarizes a merge again, for an engine that did not learn that it ended.
 *
 * @param shards those to be merged, as a manifest of the merge would name them
 * @returns undefined if the results are not there, or are not merged from these shards
 * @throws CannotStartError if the results are not as the merge wrote them
 */
export async function summaryOfSameMerge(
  files: RunFiles,
  shards: NonNullable<Manifest["shards"]>,
): Promise<RunSummary | undefined> {
  if (!(await exists(files.results))) return undefined;
  const read = await readManifest(files.manifest);
  const manifest = read.kind === "manifest" ? read.manifest : undefined;
  if (manifest?.shards === undefined) return undefined;
  // They may have been moved since.
  const withoutPaths = (all: typeof shards) => all.map(({ results: _, ...shard }) => shard);
  if (!isDeepStrictEqual(withoutPaths(manifest.shards), withoutPaths(shards))) return undefined;
  await refuseChangedFiles(files, manifest);
  return { ...(await summaryOfFiles(files, manifest)), shards: shards.length };
}

/** Refuses results that are not as the run wrote them. */
async function refuseChangedFiles(files: RunFiles, manifest: Manifest): Promise<void> {
  const { code, message } = cannotStart("results_exist", files.results);
  const changedError = (why: string) =>
    new CannotStartError(code, message, [`It is not as its run wrote it: ${why}.`]);
  const name = basename(files.results);
  await refuseChangedResults({ path: files.results, name, manifest }, changedError);
}

async function summaryOfFiles(files: RunFiles, manifest: Manifest): Promise<RunSummary> {
  // Somebody may have moved it, to work on it.
  const hasFailedRows = manifest.failed_rows !== null && (await exists(files.failed));
  return {
    ...summaryOfManifest(manifest),
    wasComplete: true,
    problems: [],
    ungroupedProblems: 0,
    results: files.results,
    ...(hasFailedRows ? { failedRows: files.failed } : {}),
    manifest: files.manifest,
  };
}

function comparedIdentity(manifest: Manifest): ComparedIdentity {
  const { kind, input, inputs, results, mapping, base_url: baseUrl } = manifest;
  return {
    ...{ kind, input, mapping, baseUrl },
    ...(inputs === undefined ? {} : { inputs }),
    results: basename(results),
    options: comparedOptions(manifest.options),
  };
}

function comparedOptions(options: Manifest["options"]): ComparedIdentity["options"] {
  const { delivery, skip, limit, shard, reading } = options;
  const { encoding, delimiter, quote, header, sheet, skip_lines: skipLines } = reading ?? {};
  return {
    ...{ delivery, skip, limit },
    idempotencyHeader: options.idempotency_header,
    allowHttp: options.allow_http,
    ...(shard === null ? {} : { shard }),
    reading: {
      ...(encoding ? { encoding } : {}),
      ...(delimiter ? { delimiter } : {}),
      ...(typeof quote === "string" ? { quote } : {}),
      ...(header === undefined ? {} : { header }),
      ...(skipLines === undefined ? {} : { skipLines }),
      ...(sheet ? { sheet } : {}),
    },
  };
}
