import { createDelivered, type Delivered, type Origin } from "../baseline/delivered.ts";
import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Source } from "../input/source.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../model/errors.ts";
import { goneEvent, type LoadEvent, type MappedRow } from "../model/event.ts";
import { goneSinceColumn } from "../model/results-columns.ts";
import type { EarlierOutcome } from "../model/row.ts";
import type { StopSignal } from "../model/stop.ts";
import { type BaselineFile, type BaselinePart, partsOf } from "./baseline-file.ts";
import type { PreparedInput } from "./prepare-input.ts";

export interface BaselineReading {
  /** Whether an event without an answer is not sent again: at-most-once. */
  readonly keepsUnknown: boolean;
  readonly warn: (message: string) => void;
  readonly stop?: StopSignal | undefined;
  /** A part of a file has been read, or all of it that is to be. */
  readonly onRead: (source: Source, lines: number, isOver?: boolean) => void;
}

/**
 * Reads what was delivered from results files, the oldest first. Their rows are mapped again. What a
 * line says counts only if the event that this gives has the line's event id, and so the data that were
 * sent then.
 *
 * @throws CannotStartError if one is not what its run wrote
 */
export async function readBaseline(
  files: readonly BaselineFile[],
  input: PreparedInput,
  reading: BaselineReading,
): Promise<Delivered> {
  const delivered = createDelivered();
  const parts = partsOf(files);
  for (const part of parts) {
    const { file, path } = part;
    const isGone = path === file.gone?.path;
    delivered.beginFile(isGone ? "gone" : file.manifest.kind, overlapping(part, parts));
    // The body may be sent to another resource, or the key be made of other columns.
    const isSameMapping = file.manifest.mapping.sha256 === input.mapping.sha256;
    if (!isSameMapping && path === (file.gone?.path ?? file.path)) {
      delivered.forget();
      reading.warn(
        `${input.mapping.path} is not the mapping of ${file.name}: what was delivered until then is not compared, and sent again.`,
      );
    }
    const content = isSameMapping ? (isGone ? "gone" : "results") : "other_mapping";
    await readPart(part, content, input, delivered, reading);
  }
  return delivered;
}

/** The number of the first part whose run had not ended when that of this part began. */
function overlapping({ file }: BaselinePart, parts: readonly BaselinePart[]): number | undefined {
  const { started_at: startedAt } = file.manifest;
  const at = parts.findIndex(
    (other) => other.file !== file && other.file.manifest.finished_at > startedAt,
  );
  const own = parts.findIndex((other) => other.file === file);
  return at >= 0 && at < own ? at + 1 : undefined;
}

/** What a part of a baseline says: what was delivered, or only which keys there were. */
type Content = "results" | "gone" | "other_mapping";

async function readPart(
  { file, path, name }: BaselinePart,
  content: Content,
  input: PreparedInput,
  delivered: Delivered,
  { keepsUnknown, warn, stop, onRead }: BaselineReading,
): Promise<void> {
  const { manifest } = file;
  const unusable = (why: string) => cannotStart("baseline_unusable", name, why);
  const spec = { kind: "file", path, name } as const;
  const source = await openResultsFile(spec, asWritten).catch((error: unknown) => {
    if (!(error instanceof CannotStartError) || error.code !== "not_a_results_file") throw error;
    throw unusable("it is not a results file");
  });
  let lines = 0;
  let outOfOrder = 0;
  try {
    if (source.missingColumns.length > 0) {
      throw unusable(`it has lost the columns ${source.missingColumns.join(", ")}`);
    }
    const mapRow = input.mapperFor(source.columns);
    if (mapRow === undefined && content === "other_mapping") {
      warn(
        `${name} lacks columns that the mapping uses now: its keys are forgotten, and none of them counts as gone.`,
      );
      return;
    }
    if (mapRow === undefined) throw unusable("it lacks columns that the mapping uses");
    const goneSince = source.columns.indexOf(goneSinceColumn);
    for await (const rows of source.batches) {
      if (stop?.aborted === true) return;
      for (const row of rows) {
        lines++;
        if (row.earlier === undefined) {
          throw unusable(`line ${row.line} cannot be read: it ${row.problem?.message ?? "is odd"}`);
        }
        const mapped = mapRow(row);
        const { orderingKey } = mapped;
        if (orderingKey !== undefined && !input.takesKey(orderingKey)) continue;
        const { input: inputId, event } = row.earlier;
        const wasGone = (row.cells[goneSince] ?? "") !== "";
        const origin = { input: inputId, row: row.row, event, line: row.line, wasGone };
        if (content === "other_mapping") {
          if (orderingKey !== undefined && wasMade(row.earlier)) {
            delivered.mayHaveArrived(orderingKey, origin);
          }
        } else if (!readLine(row.earlier, mapped, origin, delivered, keepsUnknown)) outOfOrder++;
      }
      onRead(source, lines);
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw unusable(error.message);
  } finally {
    await source.close();
  }
  const written = path === file.gone?.path ? manifest.gone?.lines : manifest.reconciliation.lines;
  if (lines !== written) {
    const its = manifest.failed_rows?.endsWith(name) ? "it holds the failed rows only: it" : "it";
    throw unusable(
      `${its} has ${lines === 1 ? "1 line" : `${lines} lines`}, and its run wrote ${written}; give the results as they were written`,
    );
  }
  if (delivered.hasLostOlder) {
    warn(
      `${name} is of a retry that sent events of another import than that of the file before it, or what had succeeded in that: as these events have no key (ordering_key), only what ${name} itself delivered is compared, and all else is sent again.`,
    );
  }
  if (outOfOrder > 0) {
    warn(
      `${name} says of ${outOfOrder} events that they succeeded in an earlier run, but not what came after them: give the results of that run as a baseline before it, or they are sent again.`,
    );
  }
}

/** Whether an event was made of the line: if not, the service does not know the key from it. */
function wasMade({ status, event }: EarlierOutcome): boolean {
  return status !== "invalid" && !(status === "skipped" && event === undefined);
}

/** @returns false if the line says that an event was delivered, and not when */
function readLine(
  { status, errorCode, event, eventId }: EarlierOutcome,
  mapped: MappedRow,
  origin: Origin,
  delivered: Delivered,
  keepsUnknown: boolean,
): boolean {
  const { orderingKey } = mapped;
  const sent = mapped.kind === "events" ? onlyWithId(mapped.events, eventId) : undefined;
  switch (status) {
    case "invalid":
      delivered.notSent(orderingKey, origin);
      return true;
    case "skipped":
      if (event === undefined || event === goneEvent) return true;
      if (errorCode === "condition" || errorCode === "event_gone") return true;
      if (errorCode !== "unchanged") {
        return sent === undefined || delivered.arrivedBefore(orderingKey, sent);
      }
      break;
    case "succeeded":
      break;
    case "unknown":
      if (keepsUnknown && sent !== undefined) {
        if (event !== goneEvent) delivered.unanswered(orderingKey, sent, origin);
        else if (orderingKey !== undefined) delivered.removalUnanswered(orderingKey, origin);
        return true;
      }
      delivered.mayHaveArrived(orderingKey, origin);
      return true;
    case "blocked":
    case "failed":
    case "rejected":
    case undefined:
      delivered.mayHaveArrived(orderingKey, origin);
      return true;
    default:
      status satisfies never;
  }
  if (event === goneEvent && orderingKey !== undefined) delivered.removed(orderingKey, origin);
  else if (sent === undefined) delivered.mayHaveArrived(orderingKey, origin);
  else delivered.arrived(orderingKey, sent, origin);
  return true;
}

/** The event that was sent, unless other data were sent then. */
function onlyWithId([event, another]: readonly LoadEvent[], id: string): LoadEvent | undefined {
  return another === undefined && event?.id === id.toLowerCase() ? event : undefined;
}
