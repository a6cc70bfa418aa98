import { checkReading } from "./check-options.ts";
import { cannotStart, InputDamagedError } from "./domain/errors.ts";
import { planRow } from "./domain/plan-row.ts";
import type { Row, RowProblem } from "./domain/row.ts";
import type { StopSwitch } from "./domain/stop.ts";
import type { Mapper } from "./mapping/compile-mapping.ts";
import { type Input, type InputKind, prepareInput } from "./prepare-input.ts";
import type { Dialect } from "./source/dialect.ts";
import type { Reading } from "./source/reading.ts";
import type { Source } from "./source/source.ts";
import { type GivenInput, toInput } from "./to-input.ts";

/** What a pass over all rows found, without sending anything. */
export interface CheckReport {
  readonly rows: number;
  /** Events that an import would send. */
  readonly events: number;
  readonly invalidRows: number;
  /** Rows from which nothing would be sent, because of a condition or an earlier success. */
  readonly skippedRows: number;
  /** Lines with nothing on them, which are no rows. */
  readonly blankLines: number;
  readonly problems: number;
  /** How the input was read: what was said of it, and what was found out. */
  readonly dialect: Dialect;
}

export interface CheckCallbacks {
  /** Each problem as it is found, in input order. */
  readonly onProblem?: (row: Row, problem: RowProblem) => void;
  /** After each part of the input. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

export interface CheckProgress {
  readonly phase: "check";
  readonly rows: number;
  readonly invalidRows: number;
  readonly bytesRead: number;
  /** Where the size is known beforehand. */
  readonly totalBytes: number | undefined;
}

/**
 * Maps every row of a source by the same code that sends it.
 *
 * @throws CannotStartError where the input cannot be parsed to its end
 */
export async function checkRows(
  source: Source,
  mapRow: Mapper,
  retryUnknown: boolean,
  { onProblem, onProgress }: CheckCallbacks,
  stop?: Pick<StopSwitch, "reason">,
): Promise<CheckReport> {
  let rows = 0;
  let events = 0;
  let invalidRows = 0;
  let skippedRows = 0;
  let problems = 0;
  const { bytesRead, totalBytes } = source;
  try {
    for await (const batch of source.batches) {
      if (stop?.reason !== undefined) break;
      for (const row of batch) {
        rows++;
        const planned = planRow(row, mapRow, retryUnknown);
        if (planned.kind === "send") {
          events += planned.events.length;
          continue;
        }
        if (planned.problems.length > 0) invalidRows++;
        else skippedRows++;
        problems += planned.problems.length;
        for (const problem of planned.problems) onProblem?.(row, problem);
      }
      onProgress?.({ phase: "check", rows, invalidRows, bytesRead: bytesRead(), totalBytes });
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", source.name, error.message);
  } finally {
    await source.close();
  }
  const blankLines = source.blankLines();
  const { dialect } = source;
  return { rows, events, invalidRows, skippedRows, blankLines, problems, dialect };
}

export interface CheckOptions extends CheckCallbacks {
  /** Path of a CSV file, or bytes that can be read once. */
  readonly input: Input;
  /** `retry` for a results file of an earlier run; default `import`. */
  readonly kind?: InputKind;
  /** Path of the mapping file. */
  readonly mapping: string;
  /** How the input is to be read; default by its content. */
  readonly reading?: Reading;
  /** Rows to leave out at the beginning; default 0. */
  readonly skip?: number;
  /** Rows at most; default all. */
  readonly limit?: number;
  /** Told of what is odd and no reason to stop. */
  readonly onWarning?: (message: string) => void;
}

/**
 * The whole import without sending: parses and maps every row and reports every problem.
 *
 * @throws CannotStartError where input or mapping cannot be used at all
 */
export async function runCheck(options: CheckOptions): Promise<CheckReport> {
  const { kind = "import", mapping, reading } = options;
  const { skip = 0, limit = Number.POSITIVE_INFINITY } = options;
  checkReading(reading);
  const warn = options.onWarning ?? (() => {});
  const selection = { skip, limit };
  const { input, inputName } = await toInput<GivenInput>({ input: options.input });
  const prepared = await prepareInput({
    ...{ input, inputName, kind, mapping, reading, selection, warn },
  });
  return checkRows(await prepared.open(), prepared.mapRow, true, options);
}
