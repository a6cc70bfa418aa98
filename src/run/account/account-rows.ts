import { basename } from "node:path";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent, goneEventText } from "../../model/event.ts";
import type { EventStatus } from "../../model/outcome.ts";
import { type ResultsColumn, resultsColumnsOf } from "../../model/results-columns.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { eventOf } from "../../results/result-line.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import type { RunContext } from "../options/run-context.ts";
import { type GivenLine, type GivenLines, refuseLine } from "./given-lines.ts";

/** A row of an account with all its lines. */
export interface AccountRow {
  readonly row: number;
  readonly lines: readonly Candidate[];
}

/** A line that may be selected. */
export interface Candidate {
  readonly status: EventStatus | undefined;
  /** Over all parts. */
  readonly attempts: number;
  readonly unanswered: number;
  /** All cells of the line. */
  readonly cells: readonly string[];
  /** What the given file says of it; undefined if the file does not have it, or if no file is given. */
  readonly given: GivenLine | undefined;
}

/** @throws CannotStartError if it is not as eventload wrote it, then and later */
export function openResults({ ports, files }: RunContext, path: string) {
  const name = basename(path);
  const refuse = (why: string) => cannotStart("account_damaged", files.results, `${name}: ${why}`);
  return ResultsReader.open(ports.disk.readChunks(path), name, refuse);
}

/** @throws CannotStartError if the results are not what eventload wrote: they are not edited by hand */
export async function refuseChangedResults(
  { ports, files: { results } }: RunContext,
  written: Fingerprint | null,
): Promise<void> {
  refuseOther(results, await fingerprintOn(ports.disk, results), written);
}

function refuseOther(results: string, now: Fingerprint | undefined, written: Fingerprint | null) {
  if (now?.sha256 === written?.sha256) return;
  const why = `${basename(results)} was changed: its hash is not that of its manifest`;
  throw cannotStart("account_damaged", results, why);
}

/**
 * The rows of an account, with what a given file says of their lines.
 *
 * @param given undefined if all rows are selected
 * @param isWhole whether to give the rows that the file does not have, too
 * @throws CannotStartError if a line of the file is for an event that the account does not have, or at the end if the
 *   results are not what eventload wrote
 */
export async function* rowsOfAccount(
  context: RunContext,
  given: GivenLines | undefined,
  isWhole: boolean,
): AsyncGenerator<AccountRow> {
  const { account, files } = context;
  const toTheEnd = async () => {
    while (reader.row !== undefined) await reader.next();
    refuseOther(files.results, reader.fingerprint(), account?.results_file ?? null);
  };
  const stranger = async (line: GivenLine) => {
    // In results that somebody has edited, it may be missing.
    await toTheEnd();
    return refuseLine(given?.name ?? "", line, "is for an event that the account does not have");
  };
  const stop = context.stop.signal;
  const reader = await openResults(context, context.files.results);
  const wanted = given?.rows();
  try {
    let next = (await wanted?.next())?.value;
    for (let row = reader.row; row !== undefined && !stop.aborted; row = reader.row) {
      if (next !== undefined && next.row < row) break;
      const ofRow: readonly GivenLine[] = next?.row === row ? next.lines : [];
      const isGiven = given === undefined || isWhole || ofRow.length > 0;
      const lines: Candidate[] = [];
      for (; reader.row === row; await reader.next()) {
        if (!isGiven) continue;
        const { status, attempts, unanswered } = reader;
        const event = eventOf(reader.cell("import_event"));
        const input = reader.cell("import_input");
        // A line without an event is of a row that was invalid then: it stands for whatever the row has given since.
        const of = (of: number | undefined) => ofRow.find(({ earlier }) => earlier.event === of);
        const line = of(event) ?? of(undefined);
        if (line !== undefined && (line.earlier.input ?? input) !== input)
          throw await stranger(line);
        lines.push({ status, attempts, unanswered, cells: reader.cells(), given: line });
      }
      for (const line of ofRow) {
        if (!lines.some((one) => one.given === line)) throw await stranger(line);
      }
      if (ofRow.length > 0) next = (await wanted?.next())?.value;
      if (lines.length > 0) yield { row, lines };
    }
    const [first] = next?.lines ?? [];
    if (first !== undefined && !stop.aborted) throw await stranger(first);
    if (!stop.aborted) await toTheEnd();
  } finally {
    await wanted?.return(undefined);
    await reader.close();
  }
}

/** The rows of failed rows whose account is gone, as an account would have them. */
export async function* rowsOfGiven(
  given: GivenLines,
  inputId: string,
  hasSources: boolean,
): AsyncGenerator<AccountRow> {
  const columns = resultsColumnsOf(hasSources);
  for await (const { row, lines } of given.rows()) {
    yield {
      row,
      lines: lines.map((line) => {
        const { earlier } = line;
        const { event, status, unanswered } = earlier;
        const own: Partial<Record<ResultsColumn, string>> = {
          import_row: String(row),
          import_line: String(earlier.line ?? ""),
          import_source: earlier.source ?? "",
          import_event: event === goneEvent ? goneEventText : String(event ?? ""),
          import_status: status ?? "failed",
          import_attempts: "0",
          import_unanswered: String(unanswered),
          import_error_code: earlier.errorCode,
          import_error: earlier.error,
          import_event_id: earlier.eventId,
          import_input: earlier.input ?? inputId,
          import_part: "1",
        };
        const cells = [
          ...line.cells.map((cell) => cell ?? ""),
          ...columns.map((column) => own[column] ?? ""),
        ];
        return { status, attempts: 0, unanswered, cells, given: line };
      }),
    };
  }
}
