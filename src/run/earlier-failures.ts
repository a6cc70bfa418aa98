import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Disk } from "../model/disk/disk.ts";
import { holdsBackKey } from "../model/key-failure.ts";
import { type EndedLine, readEndedLine } from "../model/outcome-groups.ts";
import type { Row } from "../model/row.ts";
import type { PreparedInput } from "./prepare-input.ts";

/** A line that did not succeed in an earlier part of the run. */
export interface EarlierFailure {
  readonly row: number;
  /** Undefined if the line does not say how it ended. */
  readonly ended: EndedLine | undefined;
  /** The ordering key that it blocks: the later rows of the key stay blocked when the run is resumed. */
  readonly blockedKey: string | undefined;
}

/** Reads what did not succeed before an interruption from the failed rows, in their order. */
export async function* readEarlierFailures(
  disk: Disk,
  failedRowsFile: string | undefined,
  input: Pick<PreparedInput, "mapRow" | "onKeyFailure">,
): AsyncGenerator<EarlierFailure> {
  if (failedRowsFile === undefined) return;
  const stream = disk.readChunks(failedRowsFile);
  const source = await openResultsFile({ kind: "stream", stream, name: failedRowsFile }, asWritten);
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        yield { row: row.row, ended: readEndedLine(row), blockedKey: blockedKeyOf(row, input) };
      }
    }
  } finally {
    await source.close();
  }
}

function blockedKeyOf(
  row: Row,
  { mapRow, onKeyFailure }: Pick<PreparedInput, "mapRow" | "onKeyFailure">,
): string | undefined {
  const status = row.earlier?.status;
  return status !== undefined && holdsBackKey(status, onKeyFailure)
    ? mapRow(row).orderingKey
    : undefined;
}
