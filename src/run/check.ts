import type { Source } from "../input/source.ts";
import { createFindings, type Findings } from "../lint/create-findings.ts";
import { createFooterWatch } from "../lint/footer.ts";
import { isBlank } from "../mapping/columns.ts";
import type { Mapper } from "../mapping/compile-mapping.ts";
import { acceptsLine } from "../mapping/load-mapping.ts";
import { systemClock } from "../model/clock.ts";
import { parseBaseUrl } from "../model/endpoint.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../model/errors.ts";
import { checkReading } from "../model/reading.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { baseOfRun } from "../model/run-files.ts";
import type { DeliveryMode } from "../model/sending-settings.ts";
import type { StopSignal } from "../model/stop.ts";
import { readManifest } from "../results/manifest.ts";
import { countChanges } from "./changes-since.ts";
import type { CheckOptions, CheckProgress, CheckReport, FullCheckReport } from "./check-report.ts";
import { findOriginals } from "./compare-with-originals.ts";
import { createEventCounts } from "./count-events.ts";
import { createFirstRows } from "./first-rows.ts";
import { createProblemGroups } from "./group-problems.ts";
import { type GivenInput, toInput } from "./input.ts";
import { type FindSentBefore, otherRetries, type PlannedRow, planRow } from "./plan-row.ts";
import { isPartial, type PreparedInput, prepareInput } from "./prepare-input.ts";
import { countRetriedBefore } from "./retried-before.ts";
import { isShard, whyNoShard } from "./shard.ts";

export interface CheckCallbacks {
  /** Each problem as it is found, in input order. */
  readonly onProblem?: (row: Row, problem: RowProblem) => void;
  /** Each row with what is to be done with it. */
  readonly onPlanned?: (row: Row, planned: PlannedRow) => void;
  /** After each part of the input. */
  readonly onProgress?: (progress: CheckProgress) => void;
  /** What other retries of the same file sent. */
  readonly findSentBefore?: FindSentBefore | undefined;
  /** What is sent again although another retry sent it, a sentence for each reason. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Maps every row of a source by the same code that sends it.
 *
 * @throws CannotStartError if the input cannot be parsed to its end
 */
export async function checkRows(
  source: Source,
  mapRow: Mapper,
  retryUnknown: boolean,
  { onProblem, onPlanned, onProgress, findSentBefore, onWarning }: CheckCallbacks,
  stop?: StopSignal,
): Promise<CheckReport> {
  let rows = 0;
  let events = 0;
  let invalidRows = 0;
  let skippedRows = 0;
  let problems = 0;
  const changes = countChanges();
  const retriedBefore = countRetriedBefore();
  const others = otherRetries(findSentBefore);
  const { bytesRead, totalBytes } = source;
  try {
    for await (const batch of source.batches) {
      if (stop?.aborted === true) break;
      for (const row of batch) {
        rows++;
        const planned = planRow(row, mapRow, retryUnknown, others);
        changes.see(row, planned);
        retriedBefore.see(planned);
        onPlanned?.(row, planned);
        if (planned.kind === "send") {
          events += planned.events.length - (planned.settledBefore?.length ?? 0);
          continue;
        }
        if (planned.problems.length > 0) invalidRows++;
        else skippedRows++;
        problems += planned.problems.length;
        for (const problem of planned.problems) onProblem?.(row, problem);
      }
      onProgress?.({ phase: "check", rows, invalidRows, bytesRead: bytesRead(), totalBytes });
    }
    const isOver = stop?.aborted !== true;
    if (isOver) for (const message of retriedBefore.sentAgain()) onWarning?.(message);
    onProgress?.({ phase: "check", rows, invalidRows, bytesRead: bytesRead(), totalBytes, isOver });
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", error.file ?? source.name, error.message);
  } finally {
    await source.close();
  }
  const blankLines = source.blankLines();
  const { dialect, readAs } = source;
  const counts = { rows, events, invalidRows, skippedRows, blankLines, problems };
  const differences = { changes: changes.counted(), retriedBefore: retriedBefore.counted() };
  const found = { ...counts, ...differences, dialect };
  return { ...found, ...(readAs === undefined ? {} : { readAs }) };
}

/** Shows findings the rows that a check has planned. */
export function lookAt(findings: Findings): NonNullable<CheckCallbacks["onPlanned"]> {
  return (row, planned) => {
    // Of a row with too many or too few cells it is not known which cell belongs to which column.
    if (row.problem !== undefined) return;
    const isInvalid = planned.kind === "settled" && planned.problems.length > 0;
    const fate = isInvalid ? "invalid" : planned.kind === "send" ? "sent" : "left_out";
    findings.see(row, fate, planned.orderingKey);
  };
}

/**
 * The whole import without sending: parses and maps every row, reports every problem, and looks for
 * what is odd in the cells that would be sent.
 *
 * @throws CannotStartError if input or mapping cannot be used at all
 */
export async function runCheck(options: CheckOptions): Promise<FullCheckReport> {
  const { kind = "import", mapping, reading } = options;
  const { skip = 0, limit = Number.POSITIVE_INFINITY } = options;
  checkReading(reading);
  const warn = options.onWarning ?? (() => {});
  const selection = { skip, limit };
  const { shard } = options;
  if (shard !== undefined && !isShard(shard))
    throw cannotStart("option_invalid", "shard", whyNoShard);
  const { input, inputName } = await toInput<GivenInput>({ input: options.input });
  const prepared = await prepareInput({
    ...{ input, inputName, kind, mapping, reading, selection, shard, warn },
    startedAt: systemClock.date().toISOString(),
    // The ids of a retry tell what was changed; nobody asks for the others.
    hash: kind === "import" ? "while_reading" : "before",
  });
  for (const sentence of prepared.twoDigitYears) warn(sentence);
  // A mapping that is a function has no place for a suggested line.
  const accepts = prepared.memberNames === undefined ? () => false : acceptsLine;
  const findings = createFindings(prepared.columnUses, accepts);
  const lookAtRow = lookAt(findings);
  const footer = createFooterWatch();
  const kinds = createEventCounts(prepared.memberNames);
  const firstRows = createFirstRows(prepared.explain);
  const groups = createProblemGroups();
  const before =
    kind === "retry" && typeof input === "string"
      ? await findBefore(input, prepared, options).catch(async (error: unknown) => {
          await prepared.close();
          throw error;
        })
      : undefined;
  const callbacks: CheckCallbacks = {
    ...options,
    findSentBefore: before?.findSentBefore,
    onPlanned(row, planned) {
      lookAtRow(row, planned);
      if (kind === "import") footer.see(row);
      firstRows.see(row, planned);
      if (planned.kind === "send") kinds.see(planned.events);
    },
    onProblem(row, problem) {
      groups.add(row, problem);
      options.onProblem?.(row, problem);
    },
  };
  try {
    const source = await prepared.open();
    const originals =
      kind === "retry" && typeof input === "string"
        ? await findOriginals(input, prepared, { warn })
        : undefined;
    const watched = originals?.watch(source.batches) ?? source.batches;
    const retryUnknown = before?.delivery !== "at-most-once";
    const report = await checkRows(
      { ...source, batches: watched },
      prepared.mapRow,
      retryUnknown,
      callbacks,
    );
    const atTheEnd = isPartial(selection) ? undefined : footer.found();
    if (atTheEnd !== undefined) warn(`${prepared.name}: ${atTheEnd}`);
    // Of several, whether two hold the same.
    if (prepared.hasSources) await prepared.identify();
    for (const altered of originals?.refusal()?.details ?? []) {
      warn(`${altered}: a program seems to have altered them, and retry refuses to send them.`);
    }
    return {
      ...report,
      changes: { ...report.changes, columns: originals?.changed() },
      findings: findings.found(),
      problemGroups: groups.grouped(),
      ungroupedProblems: groups.ungrouped,
      eventKinds: kinds.counted(),
      firstRows: firstRows.rows,
      unusedColumns: unusedColumns(prepared),
    };
  } catch (error) {
    options.onBrokenOff?.(groups.grouped());
    throw error;
  }
}

function unusedColumns({ columns, columnsRead }: PreparedInput): string[] {
  const read = new Set(columnsRead);
  return columns.filter((name) => !read.has(name) && !isBlank(name));
}

/**
 * What a retry of the file would keep of its run and leave out. What would keep the retry from starting is
 * a warning here.
 */
async function findBefore(
  input: string,
  { identify }: Pick<PreparedInput, "identify">,
  { baseUrl, onWarning: warn = () => {} }: CheckOptions,
): Promise<{ delivery: DeliveryMode; findSentBefore?: FindSentBefore | undefined }> {
  const read = await readManifest(`${baseOfRun(input)}.run.json`);
  const manifest = read.kind === "manifest" ? read.manifest : undefined;
  const sentTo = baseUrl === undefined ? manifest?.base_url : parseBaseUrl(baseUrl, true).baseUrl;
  const delivery = manifest?.options.delivery ?? "at-least-once";
  if (sentTo === undefined) return { delivery };
  const { findEarlierRetries, readEarlierRetries } = await import("./earlier-retries.ts");
  try {
    const retries = await findEarlierRetries(input, { baseUrl: sentTo, warn });
    const own = { path: input, inputId: (await identify()).id };
    return { delivery, findSentBefore: await readEarlierRetries(own, retries, delivery) };
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    warn(error.message);
    return { delivery };
  }
}
