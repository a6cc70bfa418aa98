import { systemClock } from "../../model/clock.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { parseBaseUrl } from "../../model/endpoint.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { type Compared, checkImport } from "../check/check.ts";
import type { CheckOptions, FullCheckReport } from "../check/check-report.ts";
import type { Input } from "../options/input.ts";
import { type PreparedInput, withoutBlankKeys } from "../prepare/prepare-input.ts";
import { compareInput, describeDifferences, refuseTooManyGone } from "./compare.ts";
import { openStateOf, refuseWithState } from "./hold-state.ts";

/**
 * Does what an import does, without sending. With a state, it says what would be sent, and changes nothing of it.
 *
 * @throws CannotStartError if input, mapping or state cannot be used at all
 */
export function runCheck(options: CheckOptions): Promise<FullCheckReport> {
  return checkImport(options, (prepared, input) => compareWith({ ...options, input }, prepared));
}

async function compareWith(
  options: CheckOptions & { readonly input: Input },
  prepared: PreparedInput,
): Promise<Compared | undefined> {
  const { state: path, baseUrl, shard, onWarning: warn = () => {} } = options;
  if (path === undefined) return undefined;
  await refuseWithState(path, options);
  if (baseUrl === undefined) {
    throw cannotStart("state_refused", "it is of one service; add its address, --base-url");
  }
  const address = parseBaseUrl(baseUrl, true).baseUrl;
  const settings = { disk: nodeDisk, path, now: systemClock.now, warn };
  const log = await openStateOf(prepared, address, shard, settings);
  await log.close();
  const input = withoutBlankKeys(prepared);
  const comparison = compareInput(log.keys, input, log.lastNight?.missing ?? 0);
  return {
    input,
    ...comparison,
    end() {
      const differences = comparison.differences();
      const sentences = describeDifferences(differences);
      try {
        refuseTooManyGone(differences, prepared.name, path, options.maxGone);
        return { differences, sentences };
      } catch (error) {
        warn(reasonOf(error)); // an import would stop here
        return { differences, sentences, isRefused: true };
      }
    },
  };
}
