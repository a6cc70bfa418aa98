import type { Source } from "../../input/source.ts";
import { createFindings, type Findings } from "../../lint/create-findings.ts";
import { createFooterWatch } from "../../lint/footer.ts";
import { isBlank } from "../../mapping/columns.ts";
import type { ExplainRow } from "../../mapping/explain-row.ts";
import { acceptsLine } from "../../mapping/load-mapping.ts";
import { cannotStart, InputDamagedError } from "../../model/errors.ts";
import type { EventExplanation, Json, LoadEvent, MemberExplanation } from "../../model/event.ts";
import { placeOf } from "../../model/place.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { StopSignal } from "../../model/stop.ts";
import { checkSettings } from "../options/import-settings.ts";
import { type GivenMapping, type Input, toInput } from "../options/input.ts";
import type { CheckProgress, CheckReport } from "../options/run-events.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import { type PreparedInput, prepareInput } from "../prepare/prepare-input.ts";
import type { CheckOptions, FirstRow, FullCheckReport } from "./check-report.ts";
import { createEventCounts } from "./count-events.ts";
import { createProblemGroups } from "./group-problems.ts";

export interface CheckCallbacks {
  /** Each problem as it is found, in input order. */
  readonly onProblem?: (row: Row, problem: RowProblem) => void;
  /** Each row with what is to be done with it. */
  readonly onPlanned?: (row: Row, planned: PlannedRow) => void;
  /** After each part of the input. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

/**
 * Maps every row of a source by the same code that sends it.
 *
 * @throws CannotStartError if the input cannot be parsed to its end
 */
export async function checkRows(
  source: Source,
  { mapRow, onKeyFailure }: Pick<PreparedInput, "mapRow" | "onKeyFailure">,
  { onProblem, onPlanned, onProgress }: CheckCallbacks,
  stop?: StopSignal,
): Promise<CheckReport> {
  let rows = 0;
  let events = 0;
  let invalidRows = 0;
  let skippedRows = 0;
  let problems = 0;
  const { bytesRead, totalBytes } = source;
  try {
    for await (const batch of source.batches) {
      if (stop?.aborted === true) break;
      for (const row of batch) {
        rows++;
        const planned = planRow(row, mapRow, onKeyFailure);
        onPlanned?.(row, planned);
        events += planned.events.length;
        if (planned.problems.length > 0) invalidRows++;
        else if (planned.events.length === 0) skippedRows++;
        problems += planned.problems.length;
        for (const problem of planned.problems) onProblem?.(row, problem);
      }
      onProgress?.({ phase: "check", rows, invalidRows, bytesRead: bytesRead(), totalBytes });
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", error.file ?? source.name, error.message);
  } finally {
    await source.close();
  }
  const { dialect, readAs } = source;
  const counts = {
    rows,
    events,
    invalidRows,
    skippedRows,
    blankLines: source.blankLines(),
    problems,
  };
  return { ...counts, dialect, ...(readAs === undefined ? {} : { readAs }) };
}

/** Shows findings the rows that a check has planned. */
export function lookAt(findings: Findings): NonNullable<CheckCallbacks["onPlanned"]> {
  return (row, planned) => {
    // Of a row with too many or too few cells it is not known which cell belongs to which column.
    if (row.problem !== undefined) return;
    const isInvalid = planned.problems.length > 0;
    const fate = isInvalid ? "invalid" : planned.events.length > 0 ? "sent" : "left_out";
    findings.see(row, fate, planned.orderingKey);
  };
}

/** A check that can be stopped, also of a mapping that is not saved yet. */
export interface CheckRequest extends Omit<CheckOptions, "mapping"> {
  readonly mapping: GivenMapping;
  /** Each row, as it is read. */
  readonly onRow?: (row: Row) => void;
  /** Ends the check before all rows are read. What it returns then is of no use. */
  readonly stop?: StopSignal;
}

/** Compares the rows of a check with what the service has. */
export interface Compared {
  readonly input: PreparedInput;
  readonly see: NonNullable<CheckCallbacks["onPlanned"]>;
  /** A row of another shard. */
  readonly seeOther: (row: Row) => void;
  /** Once all rows were seen. */
  end(): NonNullable<FullCheckReport["night"]>;
}

/**
 * The whole import without sending: parses and maps every row, reports every problem, and looks for
 * what is odd in the cells that would be sent.
 *
 * @param compare opens what the rows are compared with, if anything
 * @throws CannotStartError if input or mapping cannot be used at all
 */
export async function checkImport(
  options: CheckRequest,
  compare: (prepared: PreparedInput, input: Input) => Promise<Compared | undefined>,
): Promise<FullCheckReport> {
  const { skip = 0, limit, onWarning: warn = () => {} } = options;
  checkSettings(options);
  const given = await toInput(options);
  const prepared = await prepareInput({
    ...given,
    warn,
    hash: "while_reading",
  });
  // A mapping that is a function has no place for a suggested line.
  const accepts = prepared.memberNames === undefined ? () => false : acceptsLine;
  const findings = createFindings(prepared.columnUses, accepts);
  const lookAtRow = lookAt(findings);
  const footer = createFooterWatch();
  const kinds = createEventCounts(prepared.memberNames);
  const firstRows = createFirstRows(prepared.explain);
  const groups = createProblemGroups();
  const compared = await compare(prepared, given.input).catch(async (error: unknown) => {
    await prepared.close();
    throw error;
  });
  const callbacks: CheckCallbacks = {
    ...options,
    onPlanned(row, planned) {
      options.onRow?.(row);
      lookAtRow(row, planned);
      footer.see(row);
      firstRows.see(row, planned);
      kinds.see(planned.events);
      compared?.see(row, planned);
    },
    onProblem(row, problem) {
      groups.add(row, problem);
      options.onProblem?.(row, problem);
    },
  };
  const source = await prepared.open(undefined, compared?.seeOther);
  const report = await checkRows(source, compared?.input ?? prepared, callbacks, options.stop);
  const isWhole = skip === 0 && limit === undefined;
  const atTheEnd = isWhole ? footer.found() : undefined;
  if (atTheEnd !== undefined) warn(`${prepared.name}: ${atTheEnd}`);
  // Of several, whether two hold the same.
  if (prepared.hasSources) await prepared.identify();
  return {
    ...report,
    findings: findings.found(),
    problemGroups: groups.grouped(),
    ungroupedProblems: groups.ungrouped,
    eventKinds: kinds.counted(),
    firstRows: firstRows.rows,
    unusedColumns: unusedColumns(prepared),
    ...(compared === undefined ? {} : { night: compared.end() }),
  };
}

function unusedColumns({ columns, columnsRead }: PreparedInput): string[] {
  const read = new Set(columnsRead);
  return columns.filter((name) => !read.has(name) && !isBlank(name));
}

const maxFirstRows = 3;
const maxMembers = 1000;

/**
 * Keeps what the mapping makes of the first rows, without those that are left out or cannot be read.
 *
 * @param explain undefined if a function makes the members
 */
function createFirstRows(explain: ExplainRow | undefined) {
  const rows: FirstRow[] = [];
  return {
    rows,
    see(row: Row, planned: PlannedRow) {
      if (rows.length === maxFirstRows || row.problem !== undefined) return;
      const { events: made, problems } = planned;
      if (made.length === 0 && problems.length === 0) return;
      const events = explain?.(row, made, anyTime).map(withoutSendingValues) ?? made.map(inBody);
      if (events.length > 0) rows.push({ ...placeOf(row), events });
    },
  };
}

const anyTime = "1970-01-01T00:00:00.000Z";

/** Before the input has been read to its end its events have no ids, and before they are sent no time. */
const knownWhenSent: ReadonlySet<string | undefined> = new Set(["event_id", "imported_at"]);

function withoutSendingValues(event: EventExplanation): EventExplanation {
  const members = event.members.map((member): MemberExplanation => {
    const isMeta = member.steps.some(({ by, of }) => by === "meta" && knownWhenSent.has(of));
    if (!isMeta) return member;
    return { name: member.name, steps: member.steps.map(({ gives: _, ...step }) => step) };
  });
  return { ...event, members };
}

/** Of an event that a function made only the values are known. */
function inBody(event: LoadEvent): EventExplanation {
  const { event: _, ...body } = JSON.parse(event.body(anyTime)) as Record<string, Json>;
  const members = Object.entries(body).slice(0, maxMembers);
  return {
    index: event.index,
    resource: event.resource,
    members: members.map(([name, value]) => ({ name, steps: [], value })),
  };
}
