import { resolve } from "node:path";
import { count } from "../../model/quantities.ts";
import type { CountedInput } from "../check/check-input.ts";
import type { RunContext } from "../options/run-context.ts";
import { type Differences, noFigures } from "../options/run-events.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import { describeDifferences, isOver, refuseTooManyGone } from "../state/compare.ts";
import type { HeldState } from "../state/hold-state.ts";
import { type Night, wholeNightBefore } from "../state/night.ts";
import { closeAccount } from "./close-account.ts";

/**
 * Says how the input of a night differs from what the service has, and begins the night in its state: the account of
 * one that was broken off is closed.
 *
 * @throws CannotStartError if too many keys are gone, or the state cannot be written
 */
export async function beginNight(
  { settings, files, ports }: RunContext,
  { input, startedAt }: PreparedRun,
  night: Night,
  { path }: HeldState,
): Promise<Differences> {
  const { onNotice: notify, clock, stateFolder, maxGone } = settings;
  const warn = (message: string) => notify({ kind: "warning", message });
  const differences = night.compared();
  const { lastNight } = night;
  notify({ kind: "night", differences, sentences: describeDifferences(differences) });
  if (differences.unreadableRows > 0) {
    warn(
      `${count(differences.unreadableRows, "row")} of ${input.name} may be of any key, so no key counts as gone tonight.`,
    );
  }
  refuseTooManyGone(differences, maxGone, input.name, path);
  const isNothing = isOver(differences);
  if (lastNight?.results !== undefined) {
    const at = clock.date().toISOString();
    const by = isNothing
      ? `the night of ${at}, which found nothing to send`
      : resolve(files.results);
    const isBroken = lastNight.end === undefined;
    const said = isBroken ? warn : () => {};
    await closeAccount(lastNight.results, { disk: ports.disk, stateFolder, warn: said, by, at });
  }
  const results = isNothing ? {} : { results: resolve(files.results) };
  // With an export of an earlier night, the ids must not be those that the service has seen then.
  await input.identify(wholeNightBefore(lastNight));
  await night.begin({ run: startedAt, ...results, input: input.name });
  return differences;
}

/** The summary of a night that sends nothing. */
export function nothingDiffers({ rows = 0 }: CountedInput, differences: Differences) {
  return {
    exitReason: "complete" as const,
    ...noFigures(),
    ...{ unchangedRows: rows, differences },
  };
}
