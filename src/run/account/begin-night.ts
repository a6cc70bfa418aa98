import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { randomInputId } from "../../journal/fingerprint.ts";
import type { Disk } from "../../model/disk/disk.ts";
import type { CannotStartError } from "../../model/errors.ts";
import type { Imported, Manifest } from "../../model/manifest.ts";
import { packageVersion } from "../../model/package-files.ts";
import { count } from "../../model/quantities.ts";
import { settingsKeptAs } from "../../model/run-settings.ts";
import { writeManifest } from "../../results/manifest.ts";
import type { RunContext } from "../options/run-context.ts";
import type { Differences } from "../options/run-events.ts";
import { identifyRun, type PreparedRun } from "../prepare/prepare-run.ts";
import { describeDifferences, isOver, refuseTooManyGone } from "../state/compare.ts";
import type { HeldState } from "../state/hold-state.ts";
import type { Night } from "../state/night.ts";
import { manifestSoFar } from "./account-manifest.ts";
import { notWritable } from "./claim-files.ts";
import { completeLeft } from "./complete-account.ts";
import { readAccount } from "./read-account.ts";

/**
 * Says how the input of a night differs from what the service has, and begins the night in its state: the account of
 * an unfinished one is closed.
 *
 * @throws CannotStartError if too many keys are gone, or the state cannot be written
 */
export async function beginNight(
  context: RunContext,
  prepared: PreparedRun,
  night: Night,
  { log }: HeldState,
): Promise<Differences> {
  const { settings, files, ports } = context;
  const { input, startedAt } = prepared;
  const { onNotice: notify, clock, maxGone } = settings;
  const warn = (message: string) => notify({ kind: "warning", message });
  const differences = night.compared();
  const { lastNight } = log;
  notify({ kind: "night", differences, sentences: describeDifferences(differences) });
  if (differences.unreadableRows > 0) {
    warn(
      `${count(differences.unreadableRows, "row")} of ${input.name} may have any key, so no key counts as gone tonight.`,
    );
  }
  refuseTooManyGone(differences, input.name, log.path, maxGone);
  const isNothing = isOver(differences);
  if (lastNight?.results !== undefined) {
    const at = clock.date().toISOString();
    const by = isNothing
      ? `the night of ${at}, which found nothing to send`
      : resolve(files.results);
    const say = lastNight.end === undefined ? warn : () => {};
    await closeAccount(lastNight.results, { by, at }, ports.disk, say);
  }
  const results = isNothing ? {} : { results: resolve(files.results) };
  const of = madeOf((await identifyRun(context, prepared)).imported);
  // An export that comes again is news, but for the night that repeats the last one after it broke.
  const isRepeated = lastNight?.end === undefined && lastNight?.of === of;
  const ids = isRepeated ? lastNight.ids : randomInputId();
  await input.identify(ids);
  await night.begin({ run: startedAt, ...results, input: input.name, of, ids });
  return differences;
}

/** A hash of all that the events of a night are made of. */
function madeOf({ input, mapping, options }: Imported): string {
  const files = [input, mapping, ...mapping.lookups].map(({ sha256 }) => sha256);
  const text = JSON.stringify([packageVersion(), ...files, settingsKeptAs(options, "rows")]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * Closes the account of an unfinished night, if it is unfinished: the next one sends what is left. Its journal
 * stays as evidence.
 *
 * @param results their path
 * @param closed by the results of which night, and when
 * @throws CannotStartError if its files cannot be written
 */
async function closeAccount(
  results: string,
  closed: NonNullable<Manifest["closed"]>,
  disk: Disk,
  warn: (message: string) => void,
): Promise<void> {
  try {
    const found = await readAccount(results, disk);
    const account = await completeLeft(disk, found, warn).catch((error: CannotStartError) => {
      if (error.code === "output_not_writable") throw error;
      warn(`The last night did not finish. ${error.message}`);
      return found;
    });
    if (account.kind === "damaged") warn(`The last night did not finish. ${account.error.message}`);
    if (account.kind !== "unfinished") return;
    // Nothing goes by it any more, so it needs no seal.
    const { seal: _, ...left } = manifestSoFar(account.files, account.part);
    await writeManifest(account.files.manifest, { ...left, closed }, disk);
    await disk.remove(account.files.input);
  } catch (error) {
    throw notWritable(results, error);
  }
}
