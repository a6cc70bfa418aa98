import { basename } from "node:path";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import { cannotStart } from "../../model/errors.ts";
import type { KnownLine, Origin, Row } from "../../model/row.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { resultLine } from "../../results/result-line.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import type { RunContext } from "../send/run-context.ts";
import { type GivenLine, type GivenLines, refuseLine } from "./given-lines.ts";

export interface AccountRow extends Pick<Row, "row"> {
  readonly origin: Origin;
  readonly lines: readonly RetryLine[];
}

export interface RetryLine extends KnownLine {
  readonly errorCode: string;
  readonly error: string;
  readonly own: string;
  /** What the given file says of it; undefined if the file does not have it, or if no file is given. */
  readonly given: GivenLine | undefined;
}

/** @throws CannotStartError if the file is not as eventload wrote it, then and later */
export function openResults({ ports, files: { results } }: RunContext) {
  const name = basename(results);
  const refuse = (why: string) => cannotStart("account_damaged", results, `${name}: ${why}`);
  return ResultsReader.open(ports.disk.readChunks(results), name, refuse);
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
  const { before, files } = context;
  const toTheEnd = async () => {
    while (reader.row !== undefined) await reader.next();
    refuseOther(files.results, reader.fingerprint(), before?.results_file ?? null);
  };
  const stranger = async (line: GivenLine) => {
    // In results that somebody has edited, it may be missing.
    await toTheEnd();
    return refuseLine(given?.name ?? "", line, "is for an event that the account does not have");
  };
  const stop = context.stop.signal;
  const reader = await openResults(context);
  const wanted = given?.rows();
  try {
    let next = (await wanted?.next())?.value;
    for (let row = reader.row; row !== undefined && !stop.aborted; row = reader.row) {
      if (next !== undefined && next.row < row) break;
      const ofRow: readonly GivenLine[] = next?.row === row ? next.lines : [];
      const isGiven = given === undefined || isWhole || ofRow.length > 0;
      const lines: RetryLine[] = [];
      let origin: Origin | undefined;
      for (; reader.row === row; await reader.next()) {
        if (!isGiven) continue;
        const { outcome, place, input } = reader.counted;
        const { status, event, attempts, unanswered, httpStatus } = outcome;
        const { eventId = "", errorCode = "", error = "" } = outcome;
        origin ??= { input, line: place.line, source: place.source };
        // A line without an event is of a row that was invalid then: it stands for whatever the row has given since.
        const of = (of: number | undefined) => ofRow.find(({ earlier }) => earlier.event === of);
        const given = of(event) ?? of(undefined);
        if (given !== undefined && (given.earlier.input ?? origin.input) !== origin.input) {
          throw await stranger(given);
        }
        lines.push({
          ...{ status: status === "not_sent" ? undefined : status, event, given },
          ...{ own: reader.own(), attempts, unanswered, httpStatus, eventId, errorCode, error },
          cells: reader.inputCells(),
        });
      }
      for (const line of ofRow) {
        if (!lines.some((one) => one.given === line)) throw await stranger(line);
      }
      if (ofRow.length > 0) next = (await wanted?.next())?.value;
      if (origin !== undefined) yield { row, origin, lines };
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
  const part = { inputId, hasSources, part: 1 };
  for await (const { row, lines } of given.rows()) {
    const { input = inputId, line, source } = lines[0]?.earlier ?? {};
    const origin = { input, line, source };
    const all = lines.map(({ cells: left, earlier, ...one }): RetryLine => {
      const { event, status = "failed", unanswered, errorCode, error, eventId } = earlier;
      const cells = left.map((cell) => cell ?? "");
      const known = { status, event, attempts: 0, unanswered, errorCode, error, eventId };
      const { text, ownAt } = resultLine({ row, line: 0, cells, origin }, cells, known, part);
      return { ...known, cells, own: text.slice(ownAt), given: { ...one, cells: left, earlier } };
    });
    yield { row, origin, lines: all };
  }
}
