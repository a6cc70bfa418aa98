import { nodeDisk } from "../../model/disk/node-disk.ts";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { Differences } from "../../model/run-events.ts";
import { checkImport } from "../check/check.ts";
import type { CheckOptions, FullCheckReport } from "../check/check-report.ts";
import { type Input, isStream } from "../options/input.ts";
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
import { openStateOf, refuseWithState } from "./hold-state.ts";
import { eventsLeft } from "./known-keys.ts";
import { openChangedMembers } from "./member-hashes.ts";
import type { StateFile } from "./state-file.ts";

/** A check of a night. @throws CannotStartError if input, mapping or state cannot be used at all */
export async function checkWithState(
  given: Omit<CheckOptions, "input"> & { readonly input: Input; readonly state: string },
): Promise<FullCheckReport> {
  const { state: path, baseUrl, shard, onWarning: warn = () => {} } = given;
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
