import { createDamageFindings } from "../../lint/create-findings.ts";
import { cannotStart } from "../../model/errors.ts";
import { describeFinding } from "../../model/finding.ts";
import { isMoreThan, parseMaxErrors } from "../../model/max-errors.ts";
import { isStream } from "../options/input.ts";
import type { RunContext } from "../options/run-context.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import { type Compared, checkRows, lookAt } from "./check.ts";

/** What there is to do, as far as a check has counted it. */
export interface CountedInput {
  readonly rows: number | undefined;
  /** Events that are to be sent. */
  readonly events: number | undefined;
}

const uncounted: CountedInput = { rows: undefined, events: undefined };

/**
 * Maps every row without sending anything, if the input is a file and no earlier part of the run did so.
 *
 * @returns how many rows there are, and events to be sent, if that is known
 * @throws CannotStartError if the input cannot be parsed to its end, or has more invalid rows than
 *   allowed
 */
export async function checkInput(
  { settings, given, unfinished, stop }: RunContext,
  input: PreparedInput,
  comparison?: Pick<Compared, "see" | "seeOther">,
): Promise<CountedInput> {
  const { onNotice: notify, onProgress } = settings;
  if (unfinished !== undefined) {
    return { ...uncounted, rows: unfinished.run.rowsTotal ?? undefined };
  }
  if ((given === undefined && isStream(settings.input)) || !settings.check) return uncounted;
  const findings = createDamageFindings(input.columnUses);
  const lookAtRow = lookAt(findings);
  const report = await checkRows(
    await input.open(undefined, comparison?.seeOther),
    input,
    {
      onProblem: (row, problem) => notify({ kind: "invalid", row, problem }),
      onPlanned(row, planned) {
        lookAtRow(row, planned);
        comparison?.see(row, planned);
      },
      onProgress,
    },
    stop.signal,
  );
  if (stop.signal.aborted) return uncounted;
  for (const finding of findings.found()) {
    notify({ kind: "warning", message: describeFinding(finding), finding });
  }
  notify({ kind: "checked", report });
  if (settings.strict && report.invalidRows > 0) {
    throw cannotStart("rows_invalid", input.name, report.invalidRows);
  }
  const { rows, events, invalidRows } = report;
  const { maxErrors } = settings;
  const bound = parseMaxErrors(maxErrors);
  if (bound !== undefined && isMoreThan(bound, invalidRows, rows)) {
    throw cannotStart("too_many_invalid", input.name, invalidRows, rows, String(maxErrors));
  }
  return { rows, events };
}
