import { nodeDisk } from "../../model/disk/node-disk.ts";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { Differences } from "../../model/run-events.ts";
import { checkImport } from "../check/check.ts";
import type { CheckOptions, FullCheckReport } from "../check/check-report.ts";
import { isStream, toInput } from "../options/input.ts";
import { planRow } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import {
  type Comparison,
  compareInput,
  describeChangedBy,
  describeDifferences,
  refuseTooManyDiffering,
  whyNoneIsGone,
} from "./compare.ts";
import { eventsLeft } from "./known-keys.ts";
import { openChangedMembers } from "./member-hashes.ts";
import type { StateFile } from "./state-file.ts";

/**
 * Does what an import does, without sending. With a state, it says what would be sent, and changes nothing of it.
 *
 * @throws CannotStartError if input, mapping or state cannot be used at all
 */
export async function checkWithState(options: CheckOptions): Promise<FullCheckReport> {
  const given = await toInput(options);
  const { state: path, baseUrl, shard, onWarning: warn = () => {} } = given;
  if (path === undefined) return checkImport(given);
  // Most checks are of no night, and need neither states nor journals.
  const { openStateOf, refuseWithState } = await import("./hold-state.ts");
  await refuseWithState(path, given);
  if (baseUrl === undefined) {
    throw cannotStart("state_refused", "it is of one service; add its address, --base-url");
  }
  const address = parseBaseUrl(baseUrl, true).baseUrl;
  return checkImport(given, async (prepared) => {
    const state = await openStateOf(prepared, address, shard, { disk: nodeDisk, path, warn });
    await state.close();
    const comparison = compareInput(state.keys, prepared, state.lastNight);
    return {
      ...comparison,
      async night() {
        const found = comparison.differences();
        const changedBy = isStream(given.input)
          ? []
          : await findChangedMembers(state, prepared, comparison, found);
        const differences = { ...found, changedBy };
        const sentences = [...describeDifferences(differences), ...describeChangedBy(differences)];
        const whyNone = whyNoneIsGone(differences, prepared.name);
        if (whyNone !== undefined) warn(whyNone);
        try {
          refuseTooManyDiffering(differences, prepared.name, path, given);
          return { differences, sentences };
        } catch (error) {
          warn(reasonOf(error)); // an import would stop here
          return { differences, sentences, isRefused: true };
        }
      },
    };
  });
}

/** By which members keys changed: which keys did is known only after a pass. */
async function findChangedMembers(
  state: StateFile,
  input: PreparedInput,
  comparison: Comparison,
  { changed: isAny }: Differences,
) {
  if (isAny === 0) return [];
  const changed = await openChangedMembers(state, comparison);
  await state.close();
  const source = await comparison.again();
  for await (const rows of source.batches) {
    for (const row of rows) {
      const { events, orderingKey = "" } = planRow(row, input);
      const entry = state.keys.get(orderingKey);
      const [only] = entry !== undefined && eventsLeft(entry) === 1 ? events : [];
      if (only !== undefined) changed.see(orderingKey, only);
    }
  }
  await source.close();
  return changed.counts();
}
