import { basename } from "node:path";
import { type ComparedIdentity, differences } from "../../journal/run-identity.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Manifest } from "../../results/manifest.ts";
import type { RunContext } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import { identifyRun, prepareRun } from "../prepare/prepare-run.ts";
import { fingerprintOn } from "./fingerprint-on.ts";
import { prepareSelected } from "./prepare-selected.ts";
import { summaryOfAccount } from "./summarize-account.ts";

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
  const { files } = context;
  const { code, message } = cannotStart("results_exist", files.results);
  const refuse = (differences: readonly string[]) =>
    new CannotStartError(code, message, [
      `They are not of the same run: ${differences.join("; ")}.`,
    ]);
  const before = comparedIdentity(manifest);
  const prepared = await prepareRun(context, prepareSelected);
  if (prepared === undefined) return undefined;
  const { input } = prepared;
  await input.close();
  const found = differences(before, await identifyRun(context, prepared));
  if (found.length > 0) throw refuse(found);
  await refuseChangedResults(context.ports.disk, files, manifest);
  return summaryOfAccount(files, manifest);
}

/** @throws CannotStartError if the results are not as eventload wrote them */
async function refuseChangedResults(
  disk: Disk,
  { results }: RunFiles,
  { results_file: written }: Manifest,
): Promise<void> {
  const now = await fingerprintOn(disk, results);
  if (now?.sha256 === written?.sha256) return;
  const why = `${basename(results)} ${now === undefined ? "is missing" : "was changed"}`;
  throw cannotStart("account_damaged", results, why);
}

function comparedIdentity(manifest: Manifest): ComparedIdentity {
  const { input, inputs, results, mapping, base_url: baseUrl } = manifest;
  return {
    ...{ kind: "import", input, mapping, baseUrl },
    ...(inputs === undefined ? {} : { inputs }),
    results: basename(results),
    settings: manifest.options,
  };
}
