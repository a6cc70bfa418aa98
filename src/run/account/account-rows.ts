import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent, goneEventText } from "../../model/event.ts";
import type { EventStatus } from "../../model/outcome.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import type { StopSignal } from "../../model/stop.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { type GivenLine, type GivenLines, refuseLine } from "./given-lines.ts";

/** A row of an account with all its lines. */
export interface AccountRow {
  readonly row: number;
  readonly lines: readonly Candidate[];
}

/** A line that may be selected. */
export interface Candidate {
  readonly status: EventStatus | undefined;
  readonly unanswered: number;
  /** All cells of the line. */
  readonly cells: readonly string[];
  /** What the given file wants of it; undefined if the file does not select it. */
  readonly given: GivenLine | undefined;
}

/** Sees a line of a row that is not selected. */
export type Pass = (row: number, line: ResultsReader) => void;

/** What a line of the account wants of itself, if no file is given: to be sent as it is. */
const ownLine: Omit<GivenLine, "row" | "cells"> = {
  line: 0,
  earlier: { unanswered: 0, errorCode: "", error: "", eventId: "" },
  isSentAsItIs: false,
};

export function openResults(disk: Disk, { results }: RunFiles, path: string) {
  const name = basename(path);
  const refuse = (why: string) => cannotStart("account_damaged", results, `${name}: ${why}`);
  return ResultsReader.open(disk.readChunks(path), name, refuse);
}

/** Results are not edited by hand: their hash is not that of the manifest. */
export function changedResults(results: string) {
  const why = `${basename(results)} was changed: its hash is not that of its manifest`;
  return cannotStart("account_damaged", results, why);
}

/**
 * The rows of an account that are selected, and all that it has if no file selects them.
 *
 * @param written what the results have to be
 * @param pass sees each line of the others
 * @throws CannotStartError if a line of the given file is for an event that the account does not have, or if the
 *   results are something else
 */
export async function* rowsOfAccount(
  disk: Disk,
  files: RunFiles,
  written: Fingerprint | null,
  given: GivenLines | undefined,
  pass: Pass,
  stop: StopSignal,
): AsyncGenerator<AccountRow> {
  const stranger = (line: GivenLine) =>
    refuseLine(given?.name ?? "", line, "is for an event that the account does not have");
  const reader = await openResults(disk, files, files.results);
  const wanted = given?.rows();
  try {
    let next = (await wanted?.next())?.value;
    for (let row = reader.row; row !== undefined && !stop.aborted; row = reader.row) {
      if (next !== undefined && next.row < row) break;
      const ofRow: readonly GivenLine[] | undefined = next?.row === row ? next?.lines : undefined;
      const lines: Candidate[] = [];
      while (reader.row === row) {
        if (given !== undefined && ofRow === undefined) pass(row, reader);
        else {
          const { status, unanswered } = reader;
          const cells = reader.cells();
          const event = eventOf(reader.cell("import_event"));
          // A line without an event is of a row that was invalid then: it stands for whatever the row has given since.
          const of = (of: number | undefined) => ofRow?.find(({ earlier }) => earlier.event === of);
          const own = given === undefined ? { ...ownLine, row, cells } : undefined;
          const line = own ?? of(event) ?? of(undefined);
          const { input = reader.cell("import_input") } = line?.earlier ?? {};
          if (line !== undefined && input !== reader.cell("import_input")) throw stranger(line);
          lines.push({ status, unanswered, cells, given: line });
        }
        await reader.next();
      }
      for (const line of ofRow ?? []) {
        if (!lines.some((one) => one.given === line)) throw stranger(line);
      }
      if (ofRow !== undefined) next = (await wanted?.next())?.value;
      if (lines.length > 0) yield { row, lines };
    }
    if (stop.aborted) return;
    const [first] = next?.lines ?? [];
    if (first !== undefined) throw stranger(first);
    if (!isDeepStrictEqual(reader.fingerprint(), written)) throw changedResults(files.results);
  } finally {
    await wanted?.return(undefined);
    await reader.close();
  }
}

/** The index of an event from a cell of the results; undefined if the row gave none. */
export function eventOf(text: string): number | undefined {
  return text === goneEventText ? goneEvent : Number(text) || undefined;
}

/** The rows of failed rows whose account is gone, as an account would have them. */
export async function* rowsOfGiven(
  given: GivenLines,
  inputId: string,
  hasSources: boolean,
): AsyncGenerator<AccountRow> {
  for await (const { row, lines } of given.rows()) {
    yield {
      row,
      lines: lines.map((line) => {
        const { earlier } = line;
        const { event, input = inputId, status, unanswered, eventId, errorCode, error } = earlier;
        const cells = [
          ...line.cells.map((cell) => cell ?? ""),
          ...[String(row), String(earlier.line ?? "")],
          ...(hasSources ? [earlier.source ?? ""] : []),
          event === goneEvent ? goneEventText : String(event ?? ""),
          ...[status ?? "", "", "0", String(unanswered)],
          ...[errorCode, error, eventId, input, "1", ""],
        ];
        // What the file says of it is all that is known: nobody has set it to another status.
        const { status: _, ...others } = earlier;
        return { status, unanswered, cells, given: { ...line, earlier: others } };
      }),
    };
  }
}
