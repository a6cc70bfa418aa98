import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { InputSpec } from "../../input/read-bytes.ts";
import { type InputSample, sampleRows } from "../../input/sample-rows.ts";
import { areNamesAgain } from "../../lint/odd-rows.ts";
import { type InferAnswers, inferMapping } from "../../mapping/infer/infer-mapping.ts";
import { writeMapping } from "../../mapping/infer/write-mapping.ts";
import { systemClock } from "../../model/clock.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { Resource } from "../../model/event.ts";
import { grouped } from "../../model/quantities.ts";
import {
  type Dialect,
  describeDialect,
  type GivenReading,
  type Reading,
  resolveReading,
} from "../../model/reading.ts";
import { quote } from "../../model/row.ts";
import { type GivenInput, type Input, isStream, toInput } from "../options/input.ts";
import { refuseResults } from "../prepare/open-inputs.ts";
import { type CellCounts, createCellCounts } from "./count-cells.ts";

export interface Look {
  /** Columns whose dates could be read in either order. */
  readonly ambiguousDates: readonly string[];
  /** Columns with cells that do not fit the proposed type, so that their rows are invalid. */
  readonly misfits: readonly { readonly column: string; readonly count: number }[];
  readonly resource: Resource;
  readonly event: string;
  readonly isAnswered: boolean;
  readonly columns: number;
  /** What the columns hold, in the rows that were read. */
  readonly cells: CellCounts;
  readonly isWhole: boolean;
  /** What was read, a sentence each. */
  readonly about: readonly string[];
  /** What is odd and no reason to stop. */
  readonly warnings: readonly string[];
  propose(options: { readonly schema: string; readonly maskSamples: boolean }): string;
}

/**
 * Looks at rows of an input.
 *
 * @param answers what is known of the events
 * @param ofMapping how a mapping that is there already says that it is read
 * @throws CannotStartError if it cannot be read, has no rows, or is a results file
 */
export async function lookAt(
  given: GivenInput,
  givenReading: GivenReading,
  answers: InferAnswers = {},
  ofMapping: Reading = {},
): Promise<Look> {
  const { fallback: _, ...kept } = givenReading;
  const reading = resolveReading(givenReading, ofMapping);
  const { input, inputName } = await toInput(given);
  const spec = specOf(input, inputName);
  const sample = await sampleRows(spec, reading);
  const { name } = spec;
  refuseResults(name, sample.columns);
  const problem = firstProblem(sample);
  if (sample.rows.length === 0) throw cannotStart("no_rows_to_look_at", name, problem);
  const table = {
    columns: sample.columns,
    rows: [...sample.rows, ...sample.further].map(({ cells }) => cells),
    rowNumbers: sample.rows.map(({ row }) => row),
    isWhole: sample.isWhole,
    thisYear: systemClock.date().getUTCFullYear(),
  };
  const first = inferMapping(table, answers);
  const isAnswered = answers.resource !== undefined && answers.event !== undefined;
  const about = describeSample(name, sample);
  const cells = createCellCounts(sample.columns);
  for (const row of [...sample.rows, ...sample.further]) cells.see(row);
  return {
    cells,
    isWhole: sample.isWhole,
    ambiguousDates: first.members
      .filter(({ otherOrder }) => otherOrder !== undefined)
      .map(({ column }) => column),
    misfits: first.members.flatMap(({ column, misfits = [], isSecret }) =>
      misfits.length === 0 || isSecret ? [] : [{ column, count: misfits.length }],
    ),
    resource: first.resource,
    event: first.event,
    isAnswered,
    columns: first.members.filter(({ isSecret }) => !isSecret).length,
    about,
    warnings: [
      ...sample.warnings,
      ...(problem === undefined ? [] : [unread(name, sample, problem)]),
      ...(areNamesAgain(table.columns, table.rows) ? [`${name}: ${namesAgain}`] : []),
    ],
    propose: (options) =>
      writeMapping(first, {
        ...options,
        isAnswered,
        about,
        reading: { ...foundReading(sample.dialect), ...kept },
      }),
  };
}

/** What was found, and is worth a line: commas are usual, and a byte order mark says its encoding again. */
function foundReading({ delimiter }: Dialect): Pick<Reading, "delimiter"> {
  return delimiter === undefined || delimiter === "," ? {} : { delimiter };
}

/** Where the first row is that cannot be read, and why. */
function firstProblem({ firstUnsound }: InputSample): string | undefined {
  if (firstUnsound?.problem === undefined) return undefined;
  const { line, problem } = firstUnsound;
  const column = problem.column === undefined ? "" : `, column ${quote(problem.column)}`;
  return `line ${line}${column}: ${problem.message}`;
}

/** Says no cells, as those of people are not shown where samples are masked. */
function unread(name: string, { rows, unsound }: InputSample, problem: string): string {
  const all = rows.length + unsound;
  const [why] = problem.split(";");
  return `${name}: ${unsound} of ${all} rows cannot be read, and are not used for the proposal. The first is on ${why}.`;
}

const namesAgain =
  "the first row seems to name the columns once more: if it does, delete it, or give --skip 1 to check and import.";

/** Of several files the first is looked at. */
function specOf(input: Input, inputName = "stdin"): InputSpec {
  if (isStream(input)) return { kind: "stream", stream: input, name: inputName };
  const [path = ""] = [input].flat();
  return { kind: "file", path, name: basename(path) };
}

function describeSample(name: string, sample: InputSample): string[] {
  const { rows, further, unsound, isWhole, dialect } = sample;
  const count = grouped(rows.length);
  const written = describeDialect(dialect);
  const only = unsound === 0 ? "the only row" : "the only row that can be read";
  const all = rows.length === 1 ? only : `all ${count} rows`;
  const read = isWhole
    ? `${proposedBy} from ${all} of ${name}`
    : `${proposedBy} from the first ${count} rows of ${name}${further.length === 0 ? "; it was not read further" : ` and ${grouped(further.length)} of its middle and end`}`;
  return [
    `${read}${written === undefined ? "" : ` (${written})`}.`,
    ...(unsound === 0 ? [] : [`${unsound} more could not be read: eventload check says why.`]),
    `"integer: 12 of 12" means that 12 of the 12 cells${isWhole ? "" : " of these rows"} that are not blank look like integers. eventload check shows what becomes of each row.`,
  ];
}

const proposedBy = "Proposed by eventload init";

/** Writes a proposal. @throws CannotStartError if there is a file of that name, or it cannot be written */
export async function writeProposal(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? cannotStart("output_exists", path, "--output")
      : cannotStart("output_not_writable", path, reasonOf(error));
  });
}
