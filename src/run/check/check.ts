import { createDamageFindings, createFindings, type Findings } from "../../lint/create-findings.ts";
import { createOddRows } from "../../lint/odd-rows.ts";
import { isBlank } from "../../mapping/columns.ts";
import type { ExplainRow } from "../../mapping/compile-mapping.ts";
import { acceptsLine } from "../../mapping/load-mapping.ts";
import { systemClock } from "../../model/clock.ts";
import { cannotStart, InputDamagedError } from "../../model/errors.ts";
import type { EventExplanation, MemberExplanation } from "../../model/event.ts";
import { describeFinding, type Finding } from "../../model/finding.ts";
import { isMoreThan, parseMaxErrors } from "../../model/max-errors.ts";
import { placeOf } from "../../model/place.ts";
import { charsOf, type Row } from "../../model/row.ts";
import type { CheckReport } from "../../model/run-events.ts";
import type { StopSignal } from "../../model/stop.ts";
import { checkSettings } from "../options/import-settings.ts";
import type { GivenMapping, Input } from "../options/input.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import { type PreparedInput, prepareInput } from "../prepare/prepare-input.ts";
import type { PartToPrepare } from "../prepare/prepare-run.ts";
import type { CheckOptions, FirstRow, FullCheckReport } from "./check-report.ts";
import { createEventCounts } from "./count-events.ts";
import { createProblemGroups } from "./group-problems.ts";

export interface CheckRequest extends Omit<CheckOptions, "input" | "mapping"> {
  readonly input: Input;
  readonly mapping: GivenMapping;
  /** Ends the check before all rows are read. What it returns then is of no use. */
  readonly stop?: StopSignal;
}

export interface RowWatch {
  see(row: Row, planned: PlannedRow): void;
  seeOther?(row: Row): void;
  /** Once all rows were seen. @param blankLinesBetween lines without a filled cell that stand between rows */
  ended?(blankLinesBetween: number): void;
  /** With a state: what differs, after that. */
  night?(): Promise<NonNullable<FullCheckReport["night"]>>;
}

/**
 * The whole import without sending: parses and maps every row, reports every problem, and looks for
 * what is odd in the cells that would be sent.
 *
 * @param watch opens what else looks at the rows
 * @throws CannotStartError if input or mapping cannot be used at all
 */
export async function checkImport(
  options: CheckRequest,
  watch?: (prepared: PreparedInput) => Promise<RowWatch>,
): Promise<FullCheckReport> {
  const { onWarning: warn = () => {}, onProblem, stop } = options;
  checkSettings(options);
  const prepared = await prepareInput({ ...options, warn });
  // A mapping that is a function has no place for a suggested line.
  const accepts = prepared.memberNames === undefined ? () => false : acceptsLine;
  const thisYear = systemClock.date().getUTCFullYear();
  const findings = createFindings(prepared.columnUses, accepts, thisYear);
  const kinds = createEventCounts(prepared.memberNames);
  const firstRows = createFirstRows(prepared.explain);
  const groups = createProblemGroups();
  const other = await watch?.(prepared).catch(async (error: unknown) => {
    await prepared.close();
    throw error;
  });
  const see = (row: Row, planned: PlannedRow) => {
    lint(findings, row, planned);
    firstRows.see(row, planned);
    kinds.see(planned.events);
    other?.see(row, planned);
    for (const problem of planned.problems) {
      groups.add(row, problem);
      onProblem?.(row, problem);
    }
  };
  const pass = { ...options, stop };
  const { oddRows, ...report } = await checkRows(prepared, { ...other, see }, pass);
  // Of several, whether two hold the same.
  if (prepared.hasSources) await prepared.identify();
  const night = await other?.night?.();
  return {
    ...report,
    findings: [...findings.found(), ...oddRows],
    problemGroups: groups.grouped(),
    ungroupedProblems: groups.ungrouped,
    eventKinds: kinds.counted(),
    firstRows: firstRows.rows,
    unusedColumns: unusedColumns(prepared),
    ...(night === undefined ? {} : { night }),
  };
}

export interface CountedInput {
  readonly rows: number | undefined;
  readonly events: number | undefined;
}

const uncounted: CountedInput = { rows: undefined, events: undefined };

/**
 * The check of a run, before it sends: maps every row, if the input is a file and no earlier part of the run did so.
 *
 * @returns how many rows there are, and events to be sent, if that is known
 * @throws CannotStartError if the input cannot be parsed to its end, or has more invalid rows than
 *   allowed
 */
export async function checkInput(
  { settings, unfinished, stop }: PartToPrepare,
  input: PreparedInput,
  comparison?: RowWatch,
): Promise<CountedInput> {
  const { onNotice: notify, maxErrors } = settings;
  if (unfinished !== undefined) {
    return { ...uncounted, rows: unfinished.run.rowsTotal ?? undefined };
  }
  // What is decided of selected rows is counted in any case.
  if (!settings.check && input.select === undefined) return uncounted;
  // What is said of whole columns is not said of the rows that a retry selects: cells that differ from theirs are named.
  const isWhole = input.select === undefined;
  const findings = createDamageFindings(isWhole ? input.columnUses : []);
  const see = (row: Row, planned: PlannedRow) => {
    lint(findings, row, planned);
    comparison?.see(row, planned);
    for (const problem of planned.problems) notify({ kind: "invalid", row, problem });
  };
  const pass = { ...settings, stop: stop.signal };
  const { oddRows, ...report } = await checkRows(input, { ...comparison, see }, pass);
  if (stop.signal.aborted) return uncounted;
  for (const finding of [...findings.found(), ...oddRows]) {
    notify({ kind: "warning", message: describeFinding(finding), finding });
  }
  notify({ kind: "checked", report });
  const { rows, events, invalidRows } = report;
  if (settings.strict && invalidRows > 0)
    throw cannotStart("rows_invalid", input.name, invalidRows);
  const bound = parseMaxErrors(maxErrors);
  if (bound !== undefined && isMoreThan(bound, invalidRows, rows)) {
    throw cannotStart("too_many_invalid", input.name, invalidRows, rows, String(maxErrors));
  }
  return { rows, events };
}

interface CheckPass extends Pick<CheckOptions, "skip" | "limit"> {
  readonly onProgress?: CheckOptions["onProgress"] | undefined;
  readonly stop: StopSignal | undefined;
}

/** Maps every row by the same code that sends it. @throws CannotStartError if the input cannot be parsed to its end */
async function checkRows(
  input: PreparedInput,
  { see, seeOther, ended }: RowWatch,
  { skip = 0, limit, onProgress, stop }: CheckPass,
): Promise<CheckReport & { readonly oddRows: readonly Finding[] }> {
  const watch = createOddRows(input.columns);
  const source = await input.beginPass(seeOther);
  let rows = 0;
  let events = 0;
  let invalidRows = 0;
  let skippedRows = 0;
  let problems = 0;
  const { bytesRead, totalBytes, dialect, readAs } = source;
  try {
    for await (const batch of source.batches) {
      if (stop?.aborted === true) break;
      for (const row of batch) {
        rows++;
        const planned = planRow(row, input);
        // What the mapping leaves out already is nobody's concern.
        if (planned.events.length + planned.problems.length > 0) watch.see(row, planned.events);
        see(row, planned);
        events += planned.events.length;
        if (planned.problems.length > 0) invalidRows++;
        else if (planned.events.length === 0) skippedRows++;
        problems += planned.problems.length;
      }
      onProgress?.({ phase: "check", rows, invalidRows, bytesRead: bytesRead(), totalBytes });
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", error.file ?? source.name, error.message);
  } finally {
    await source.close();
  }
  const { all: blankLines, between } = source.blankLines();
  ended?.(between);
  const isWhole = skip === 0 && limit === undefined && input.select === undefined;
  const oddRows = isWhole ? watch.found() : [];
  const counts = { rows, events, invalidRows, skippedRows, blankLines, problems };
  return { ...counts, dialect, ...(readAs === undefined ? {} : { readAs }), oddRows };
}

function lint(findings: Findings, row: Row, { events, problems, orderingKey }: PlannedRow): void {
  // Of a row with too many or too few cells it is not known which cell belongs to which column.
  if (row.problem !== undefined) return;
  const fate = problems.length > 0 ? "invalid" : events.length > 0 ? "sent" : "left_out";
  findings.see(row, fate, orderingKey);
}

function unusedColumns({ columns, columnsRead }: PreparedInput): string[] {
  const read = new Set(columnsRead);
  return columns.filter((name) => !read.has(name) && !isBlank(name));
}

const maxRowsShown = 3;
/** A longer row would be in memory several times over, of which a screen shows the beginning. */
const maxShownChars = 256 * 1024;

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
      if (rows.length === maxRowsShown || row.problem !== undefined) return;
      if (charsOf(row) > maxShownChars) return;
      const { events: made, problems } = planned;
      if (explain === undefined || (made.length === 0 && problems.length === 0)) return;
      rows.push({ ...placeOf(row), events: explain(row, made, anyTime).map(withoutSendingValues) });
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
