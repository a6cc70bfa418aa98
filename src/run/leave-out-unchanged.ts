import type { Delivered } from "../baseline/delivered.ts";
import type { Mapper } from "../mapping/compile-mapping.ts";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { StopSignal } from "../model/stop.ts";
import type { CheckProgress } from "./check-report.ts";
import type { BaselineFile } from "./prepare-baseline.ts";
import type { PreparedInput } from "./prepare-input.ts";
import { type BaselineReading, readBaseline } from "./read-baseline.ts";

interface ComparisonPorts {
  readonly warn: (message: string) => void;
  readonly onProgress: (progress: CheckProgress) => void;
  readonly stop?: StopSignal;
}

/**
 * The same input, where the rows of which the service was sent the same last are unchanged. All of it
 * is mapped once to know the whole of each key before the first of its events is decided on.
 *
 * @throws CannotStartError if a baseline cannot be used, or the input not be read to its end
 */
export async function leaveOutUnchanged(
  input: PreparedInput,
  files: readonly BaselineFile[],
  { warn, onProgress, stop }: ComparisonPorts,
): Promise<PreparedInput> {
  const onRead: BaselineReading["onRead"] = ({ bytesRead, totalBytes }, rows, isOver = false) => {
    const amounts = { rows, invalidRows: 0, bytesRead: bytesRead(), totalBytes };
    onProgress({ phase: "baseline", ...amounts, isOver });
  };
  const reading = { warn, stop, onRead };
  const delivered = await readBaseline(files, input, reading).catch(async (error: unknown) => {
    await input.close();
    throw error;
  });
  await planAll(input, delivered, stop, onRead);

  const mapRow: Mapper = (row) => {
    const mapped = input.mapRow(row);
    if (mapped.kind !== "events") return mapped;
    const file = delivered.unchangedSince(mapped.orderingKey, mapped.events);
    if (file === undefined) return mapped;
    const message = `unchanged since ${files[file - 1]?.name}`;
    return { ...mapped, kind: "unchanged", message };
  };
  return { ...input, mapRow };
}

/** Tells all events that are to be delivered. */
async function planAll(
  input: PreparedInput,
  delivered: Delivered,
  stop: StopSignal | undefined,
  onRead: BaselineReading["onRead"],
): Promise<void> {
  const source = await input.open();
  let rows = 0;
  try {
    for await (const batch of source.batches) {
      if (stop?.aborted === true) return;
      for (const row of batch) {
        const mapped = input.mapRow(row);
        if (mapped.kind === "events") delivered.plan(mapped.orderingKey, mapped.events);
      }
      rows += batch.length;
      onRead(source, rows);
    }
    onRead(source, rows, true);
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", error.file ?? source.name, error.message);
  } finally {
    await source.close();
  }
}
