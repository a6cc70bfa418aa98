import { checkImport } from "../check/check.ts";
import type { CheckOptions, FullCheckReport } from "../check/check-report.ts";
import { toInput } from "../options/input.ts";

/**
 * Does what an import does, without sending. With a state, it says what would be sent, and changes nothing of it.
 *
 * @throws CannotStartError if input, mapping or state cannot be used at all
 */
export async function runCheck(options: CheckOptions): Promise<FullCheckReport> {
  const given = await toInput(options);
  const { state } = given;
  if (state === undefined) return checkImport(given);
  // Most checks are of no night, and need neither states nor journals.
  const { checkWithState } = await import("./check-with-state.ts");
  return checkWithState({ ...given, state });
}
