import { nodeDisk } from "../../model/disk/node-disk.ts";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { checkImport } from "../check/check.ts";
import type { CheckOptions, FullCheckReport } from "../check/check-report.ts";
import { toInput } from "../options/input.ts";
import { compareInput, describeDifferences, refuseTooManyDiffering } from "./compare.ts";
import { openStateOf, refuseWithState } from "./hold-state.ts";

/**
 * Does what an import does, without sending. With a state, it says what would be sent, and changes nothing of it.
 *
 * @throws CannotStartError if input, mapping or state cannot be used at all
 */
export async function runCheck(options: CheckOptions): Promise<FullCheckReport> {
  const given = await toInput(options);
  const { state: path, baseUrl, shard, onWarning: warn = () => {} } = given;
  if (path === undefined) return checkImport(given);
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
      night() {
        const differences = comparison.differences();
        const sentences = describeDifferences(differences);
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
