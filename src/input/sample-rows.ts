import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { type Row, writtenChars } from "../model/row.ts";
import { openSource } from "./open-source.ts";
import type { InputSpec } from "./read-bytes.ts";
import type { Source } from "./source.ts";

/** The first rows of an input, from which `init` infers a mapping. */
export interface Sample {
  readonly columns: readonly string[];
  readonly dialect: Source["dialect"];
  readonly warnings: readonly string[];
  /** Rows without a problem, in file order. */
  readonly rows: readonly Row[];
  /** How many rows have one. */
  readonly unsound: number;
  /** The first of them. */
  readonly firstUnsound: Row | undefined;
  /** Whether these are all rows of the input. */
  readonly isWhole: boolean;
}

export interface SampleLimits {
  /** Bytes read of the input. */
  readonly bytes: number;
  /** Characters kept in all, however small the compressed file is. */
  readonly keptChars: number;
}

const usualLimits: SampleLimits = { bytes: 4 * 1024 * 1024, keptChars: 8 * 1024 * 1024 };

/**
 * Reads the first rows of an input.
 *
 * @throws CannotStartError if it is damaged where it is read, as a check would refuse it
 */
export async function sampleRows(
  input: InputSpec,
  reading: Reading,
  limits: SampleLimits = usualLimits,
): Promise<Sample> {
  const source = await openSource(input, reading);
  const rows: Row[] = [];
  const unsound: Row[] = [];
  let isWhole = true;
  let chars = 0;
  try {
    for await (const batch of source.batches) {
      for (const row of batch) {
        chars += writtenChars(row);
        if (chars > limits.keptChars) break;
        (row.problem === undefined ? rows : unsound).push(row);
      }
      isWhole = chars <= limits.keptChars && source.bytesRead() <= limits.bytes;
      if (!isWhole) break;
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", input.name, error.message);
  } finally {
    await source.close();
  }
  const { columns, dialect, warnings } = source;
  const [firstUnsound] = unsound;
  return { columns, dialect, warnings, rows, unsound: unsound.length, firstUnsound, isWhole };
}
