import { systemClock } from "../../model/clock.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { checkImport } from "../check/check.ts";
import type { CheckOptions, FullCheckReport } from "../check/check-report.ts";
import { toInput } from "../options/input.ts";
import { compareInput, describeDifferences, refuseTooManyGone } from "./compare.ts";
import { openStateOf, refuseWithState } from "./hold-state.ts";

/**
 * Does what an import does, without sending. With a state, it says what would be sent, and changes nothing of it.
 *
 * @throws CannotStartError if input, mapping or state cannot be used at all
 */
export async function runCheck(options: CheckOptions): Promise<FullCheckReport> {
  const given = await toInput(options);
  const { state: path, baseUrl, shard, maxGone, onWarning: warn = () => {} } = given;
  if (path === undefined) return checkImport(given);
  await refuseWithState(path, given);
  if (baseUrl === undefined) {
    throw cannotStart("state_refused", "it is of one service; add its address, --base-url");
  }
  const address = parseBaseUrl(baseUrl, true).baseUrl;
  return checkImport(given, async (prepared) => {
    const settings = { disk: nodeDisk, path, now: systemClock.now, warn };
    const log = await openStateOf(prepared, address, shard, settings);
    await log.close();
    const comparison = compareInput(log.keys, prepared, log.lastNight);
    return {
      ...comparison,
      night() {
        const differences = comparison.differences();
        const sentences = describeDifferences(differences);
        try {
          refuseTooManyGone(differences, prepared.name, path, maxGone);
          return { differences, sentences };
        } catch (error) {
          warn(reasonOf(error)); // an import would stop here
          return { differences, sentences, isRefused: true };
        }
      },
    };
  });
}
