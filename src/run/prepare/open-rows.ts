import { openSource } from "../../input/open-source.ts";
import type { InputSpec } from "../../input/read-bytes.ts";
import type { Source } from "../../input/source.ts";
import { cannotStart } from "../../model/errors.ts";
import type { SourcePosition } from "../../model/place.ts";
import type { Reading } from "../../model/reading.ts";
import {
  hasResultsColumns,
  isResultsColumn,
  originalOfSafeCopy,
} from "../../model/results-columns.ts";
import { isReadOnce } from "../options/input.ts";
import { joinFiles } from "./prepare-several.ts";

/** What begins a pass over one input or several. */
export async function openerOf(
  specs: readonly InputSpec[],
  reading: Reading,
): Promise<(from?: SourcePosition) => Promise<Source>> {
  const open = (spec: InputSpec, from?: SourcePosition) => openRows(spec, reading, from);
  const [first, second] = specs;
  if (first === undefined) throw cannotStart("option_invalid", "input", "it names no file");
  if (second === undefined) return (from) => open(first, from);
  const openAll = await joinFiles(specs, open);
  return async (from) => openAll(from);
}

async function openRows(
  spec: InputSpec,
  reading: Reading,
  position?: SourcePosition,
): Promise<Source> {
  const source = await openSource(spec, reading, position);
  try {
    refuseResults(spec.name, source.columns);
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** @throws CannotStartError if columns are those of a file that eventload wrote */
export function refuseResults(name: string, columns: readonly string[]): void {
  const copied = originalOfSafeCopy(columns);
  if (copied !== undefined) throw cannotStart("safe_copy_as_input", name, copied);
  if (hasResultsColumns(columns)) throw cannotStart("results_file_as_input", name, name);
  const reserved = columns.find(isResultsColumn);
  if (reserved !== undefined) throw cannotStart("reserved_column", name, reserved);
}

/**
 * The columns of a file, as far as it can be read, for what else is wrong with a mapping. A stream
 * may take its time, which a mapping that is wrong anyway is not worth.
 */
export async function columnsOf(
  spec: InputSpec | undefined,
  reading: Reading,
): Promise<readonly string[] | undefined> {
  if (spec?.kind !== "file") return undefined;
  const source = await openRows(spec, reading).catch(() => undefined);
  await source?.close();
  return source?.columns;
}

/** Whether a path leads to a file that eventload wrote, though somebody may have edited it. */
export async function isResultsFile(path: string): Promise<boolean> {
  if (await isReadOnce(path)) return false;
  const spec = { kind: "file", path, name: path } as const;
  const source = await openSource(spec, { mayHoldRows: true }).catch(() => undefined);
  await source?.close();
  return source !== undefined && hasResultsColumns(source.columns);
}
