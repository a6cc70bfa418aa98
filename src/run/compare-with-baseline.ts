import type { Comparison, Delivered } from "../baseline/delivered.ts";
import type { Mapper } from "../mapping/compile-mapping.ts";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import { count } from "../model/quantities.ts";
import type { StopSignal } from "../model/stop.ts";
import { type BaselineFile, ownShardOf, partsOf } from "./baseline-file.ts";
import type { CheckProgress, ComparedRows } from "./check-report.ts";
import { type GoneRows, readGoneRows, writeGoneRows } from "./gone-rows.ts";
import { type ErrorBound, isMoreThan, maxErrorsText } from "./max-errors.ts";
import type { PreparedInput } from "./prepare-input.ts";
import { type BaselineReading, readBaseline } from "./read-baseline.ts";

/** An input of which the rows that have not changed since the baseline are not sent. */
export interface ComparedInput {
  readonly input: PreparedInput;
  readonly compared: ComparedRows;
  /**
   * Writes the rows of the keys of which nothing is planned, for the next baseline.
   *
   * @param startedAt when the run began, in ISO 8601
   */
  writeGone(path: string, startedAt: string): Promise<GoneRows | undefined>;
}

interface ComparisonPorts {
  /** How many keys may be gone; undefined if that was decided when the run began. */
  readonly maxGone: ErrorBound | undefined;
  /** Whether the run is of some rows of the input only. */
  readonly isPartial: boolean;
  /** Whether an event without an answer is not sent again: at-most-once. */
  readonly keepsUnknown: boolean;
  readonly warn: (message: string) => void;
  readonly onProgress: (progress: CheckProgress) => void;
  readonly stop?: StopSignal;
}

/** With fewer keys, a share says little. */
const minKeysToGuard = 20;

/**
 * Compares an input with what earlier runs delivered. All of it is mapped once, to know the whole of each key
 * before the first of its events is decided on.
 *
 * @throws CannotStartError if a baseline cannot be used, the input cannot be read to its end, or more keys
 *   are gone from it than may be
 */
export async function compareWithBaseline(
  input: PreparedInput,
  files: readonly BaselineFile[],
  { maxGone, isPartial, keepsUnknown, warn, onProgress, stop }: ComparisonPorts,
): Promise<ComparedInput> {
  const onRead: BaselineReading["onRead"] = ({ bytesRead, totalBytes }, rows, isOver = false) => {
    const amounts = { rows, invalidRows: 0, bytesRead: bytesRead(), totalBytes };
    onProgress({ phase: "baseline", ...amounts, isOver });
  };
  const close = async (error: unknown) => {
    await input.close();
    throw error;
  };
  const reading = { keepsUnknown, warn, stop, onRead };
  const delivered = await readBaseline(files, input, reading).catch(close);
  const { rows, ownRows, keyless } = await planAll(input, delivered, stop, onRead).catch(close);
  if (keyless > 0 && ownShardOf(files) !== undefined) {
    const which = keyless === 1 ? "1 row has" : `${count(keyless, "row")} have`;
    warn(
      `${which} no ordering key, so where rows were added or removed, one may have been in another shard before, and is sent again: give the merged results as --baseline.`,
    );
  }
  const isMirror = input.makesGoneEvents && !isPartial;
  const { keys, gone, ...changes } = delivered.comparison(isMirror);
  const isGuarded = maxGone !== undefined && !isPartial && stop?.aborted !== true;
  if (isGuarded)
    await refuseGone({ rows, ownRows, keys, gone, maxGone, input, files }).catch(close);

  const nameOfPart = partsOf(files).map(({ name }) => name);
  const mapRow: Mapper = (row) => {
    const mapped = input.mapRow(row);
    if (mapped.kind !== "events") return mapped;
    if (row.isGone) {
      const since = delivered.removalUnknownSince(mapped.orderingKey);
      if (since === undefined) return mapped;
      const message = `unanswered in ${nameOfPart[since - 1]}`;
      return { ...mapped, kind: "unchanged", isUnknown: true, message };
    }
    const part = delivered.unchangedSince(mapped.orderingKey, mapped.events);
    if (part === undefined) return mapped;
    const name = nameOfPart[part - 1];
    return delivered.isUnknown(mapped.orderingKey, mapped.events)
      ? { ...mapped, kind: "unchanged", isUnknown: true, message: `unanswered in ${name}` }
      : { ...mapped, kind: "unchanged", message: `unchanged since ${name}` };
  };
  /** A pass over the rows of the input, and then over those that are gone. */
  const openWithGone: PreparedInput["open"] = async (from) => {
    const source = await input.open(from);
    let isOver = false;
    async function* batches() {
      yield* source.batches;
      isOver = true;
      yield* readGoneRows(files, input, delivered, rows);
    }
    // A resume reads to the end of the input again, where there are gone rows left.
    const batchStart = () => (isOver ? undefined : source.batchStart());
    return { ...source, batches: batches(), batchStart };
  };
  return {
    input: { ...input, mapRow, open: isMirror ? openWithGone : input.open },
    compared: {
      ...changes,
      gone: isPartial ? undefined : gone,
      goneEvents: isMirror ? (gone ?? 0) : 0,
    },
    writeGone: (path, startedAt) =>
      writeGoneRows(path, files, input, delivered, { startedAt, isPartial }),
  };
}

/**
 * Shows every row of the run.
 *
 * @returns how many rows the input has, how many of them are of this shard, and how many of those have no key
 */
async function planAll(
  input: PreparedInput,
  delivered: Delivered,
  stop: StopSignal | undefined,
  onRead: BaselineReading["onRead"],
): Promise<{ readonly rows: number; readonly ownRows: number; readonly keyless: number }> {
  const source = await input.open();
  let [ownRows, keyless] = [0, 0];
  try {
    for await (const batch of source.batches) {
      if (stop?.aborted === true) return { rows: ownRows, ownRows, keyless };
      for (const row of batch) {
        const mapped = input.mapRow(row);
        if (mapped.kind === "events" && mapped.orderingKey === undefined) keyless++;
        delivered.plan(mapped.orderingKey, mapped.kind === "events" ? mapped.events : []);
      }
      ownRows += batch.length;
      onRead(source, ownRows);
    }
    onRead(source, ownRows, true);
    return { rows: source.rowsRead?.() ?? ownRows, ownRows, keyless };
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", error.file ?? source.name, error.message);
  } finally {
    await source.close();
  }
}

interface GoneCounts extends Pick<Comparison, "keys" | "gone"> {
  readonly rows: number;
  readonly ownRows: number;
  readonly maxGone: ErrorBound;
  readonly input: Pick<PreparedInput, "name">;
  readonly files: readonly BaselineFile[];
}

/** Stops a run of an export that is empty or far too short: it would be taken for the whole. */
async function refuseGone(counts: GoneCounts): Promise<void> {
  const { rows, ownRows, keys, gone, maxGone, input, files } = counts;
  const allowed = maxErrorsText(maxGone);
  const last = files.findLast(({ manifest }) => manifest.kind === "import") ?? files.at(-1);
  const name = last?.name ?? "";
  // Keys that the service knows to be gone are rows of the last run too.
  const before = gone === undefined ? (last?.manifest.rows ?? 0) : keys;
  if (rows === 0 && before > 0 && isMoreThan(maxGone, before, before)) {
    const had = count(before, gone === undefined ? "row" : "key");
    throw cannotStart("baseline_input_empty", input.name, name, had, allowed);
  }
  // Without keys, the number of rows says how many are gone at least.
  const compared = last?.manifest.options.shard === null ? rows : ownRows;
  const missing = gone ?? Math.max(0, before - compared);
  if (before < minKeysToGuard || !isMoreThan(maxGone, missing, before)) return;
  const share = Math.ceil((missing / before) * 1000) / 10;
  const least = maxGone.kind === "count" ? String(missing) : `${Math.ceil(share)}%`;
  const of = gone === undefined ? "rows" : "keys (ordering_key)";
  throw cannotStart(
    "too_many_gone",
    input.name,
    name,
    { missing, before, of, share },
    allowed,
    least,
  );
}
