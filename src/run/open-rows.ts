import { openResultsFile } from "../input/open-results-file.ts";
import { openSource } from "../input/open-source.ts";
import type { InputSpec } from "../input/read-bytes.ts";
import type { Source } from "../input/source.ts";
import { cannotStart } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { isResultsColumn, isResultsFile, originalOfSafeCopy } from "../model/results-columns.ts";
import type { SourcePosition } from "../model/source-position.ts";
import type { InputKind } from "./input.ts";
import { joinFiles } from "./prepare-several.ts";
import { refuseDoubledLines } from "./refuse-doubled-lines.ts";

/** What begins a pass over one input or several; what is odd is reported once. */
export async function openerOf(
  specs: readonly InputSpec[],
  kind: InputKind,
  reading: Reading,
  warn: (message: string) => void,
): Promise<(from?: SourcePosition) => Promise<Source>> {
  let tell = warn;
  const openOne = (spec: InputSpec, from?: SourcePosition) =>
    openRows(spec, kind, reading, tell, from);
  const [first, second] = specs;
  if (first === undefined) throw cannotStart("option_invalid", "input", "it names no file");
  if (second === undefined) {
    return async (from) => {
      const source = await openOne(first, from);
      tell = () => {};
      return source;
    };
  }
  if (kind === "retry") {
    const why = "results files are read one at a time; give one of them";
    throw cannotStart("option_invalid", "input", why);
  }
  const openAll = await joinFiles(specs, openOne);
  tell = () => {};
  return async (from) => openAll(from);
}

async function openRows(
  spec: InputSpec,
  kind: InputKind,
  reading: Reading,
  warn: (message: string) => void,
  position?: SourcePosition,
): Promise<Source> {
  if (kind === "retry") {
    const source = await openResultsFile(spec, reading, position);
    if (source.missingColumns.length > 0) {
      const hasNewIds = ["import_row", "import_input"].some((name) =>
        source.missingColumns.some((missing) => missing === name),
      );
      const again = hasNewIds
        ? " Its events get new ids, so what another retry of the file delivered may be sent again."
        : "";
      warn(
        `${spec.name} has lost the columns ${source.missingColumns.join(", ")}: what they said is lost.${again}`,
      );
    }
    const again = spec.kind === "file" ? () => openResultsFile(spec, reading) : undefined;
    return { ...source, batches: refuseDoubledLines(source.batches, again) };
  }
  const source = await openSource(spec, reading, position);
  const copied = originalOfSafeCopy(source.columns);
  if (copied !== undefined) {
    await source.close();
    throw cannotStart("safe_copy_as_input", spec.name, copied);
  }
  const reserved = source.columns.find(isResultsColumn);
  if (isResultsFile(source.columns)) {
    await source.close();
    throw cannotStart("results_file_as_input", spec.name);
  }
  if (reserved !== undefined) {
    await source.close();
    throw cannotStart("reserved_column", spec.name, reserved);
  }
  return source;
}

/**
 * The columns of a file, as far as it can be read, for what else is wrong with a mapping. A stream
 * may take its time, which a mapping that is wrong anyway is not worth.
 */
export async function columnsOf(
  spec: InputSpec | undefined,
  kind: InputKind,
  reading: Reading,
): Promise<readonly string[] | undefined> {
  if (spec?.kind !== "file") return undefined;
  const source = await openRows(spec, kind, reading, () => {}).catch(() => undefined);
  await source?.close();
  return source?.columns;
}
