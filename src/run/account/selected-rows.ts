import { basename } from "node:path";
import type { Source } from "../../input/source.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent, goneEventText } from "../../model/event.ts";
import { isEventStatus } from "../../model/outcome.ts";
import { type ResultsColumn, sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, LineUse, Row } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import { selectionColumns } from "./select-lines.ts";

const rowsPerBatch = 256;

/** A selected line, and what stands in the columns of the results that all lines of a row share. */
interface SelectedLine extends AccountLine {
  /** Where it stands in the given file, in the input, and in which input. */
  readonly here: number | undefined;
  readonly ofInput: number | undefined;
  readonly source: string;
  readonly input: string;
}

/**
 * Opens the rows that were selected, each with all its lines, for one pass.
 *
 * @param givenName the file in which their lines are counted
 * @param inputId of the account's own input: rows of another are from failed rows whose account is gone
 * @throws CannotStartError if they are not as they were written
 */
export async function openSelectedRows(
  disk: Disk,
  files: RunFiles,
  givenName: string,
  inputId: string,
): Promise<Source> {
  const name = basename(files.given);
  const refuse = (why: string) => cannotStart("account_damaged", files.results, `${name}: ${why}`);
  const reader = await ResultsReader.open(disk.readChunks(files.given), name, refuse);
  const accountColumns = reader.columns.slice(0, -selectionColumns.length);
  const inputCount = accountColumns.lastIndexOf("import_row");
  const hasSources = accountColumns.lastIndexOf(sourceColumn) > inputCount;
  const places = new Map(accountColumns.map((column, at) => [column, at]));

  const lineAtHand = (): SelectedLine => {
    const cells = reader.cells();
    const cell = (column: ResultsColumn) => cells[places.get(column) ?? -1] ?? "";
    const number = (column: ResultsColumn) => numberIn(cell(column));
    const status = cell("import_status");
    const [use = "keep", because] = cells.slice(-selectionColumns.length);
    const isSent = use === "send";
    return {
      use: use as LineUse,
      because: isSent ? undefined : numberIn(because),
      here: isSent ? numberIn(because) : undefined,
      ofInput: number("import_line"),
      source: hasSources ? cell(sourceColumn) : "",
      input: cell("import_input"),
      cells: cells.slice(0, inputCount),
      text: toCsv([cells.slice(0, accountColumns.length)]),
      status: isEventStatus(status) ? status : undefined,
      event: cell("import_event") === goneEventText ? goneEvent : number("import_event"),
      eventId: cell("import_event_id"),
      errorCode: cell("import_error_code"),
      error: cell("import_error"),
      httpStatus: number("import_http_status"),
      attempts: number("import_attempts") ?? 0,
      unanswered: number("import_unanswered") ?? 0,
    };
  };

  async function* batches(): AsyncGenerator<readonly Row[]> {
    let rows: Row[] = [];
    for (let row = reader.row; row !== undefined; row = reader.row) {
      const lines: SelectedLine[] = [];
      while (reader.row === row) {
        lines.push(lineAtHand());
        const reading = reader.next();
        if (reading !== undefined) await reading;
      }
      const first = lines.find(({ use }) => use === "send") ?? (lines[0] as SelectedLine);
      const { here, ofInput, source, input } = first;
      rows.push({
        row,
        line: here ?? ofInput ?? 0,
        cells: first.cells,
        ...(here === undefined ? {} : { resultsFile: givenName }),
        ...(input === inputId ? {} : { mayLackLines: true as const }),
        lines,
        ...(first.event === goneEvent ? { isGone: true as const } : {}),
        earlier: {
          ...{ row, input },
          ...(ofInput === undefined ? {} : { line: ofInput }),
          ...(hasSources ? { source } : {}),
          ...{ unanswered: 0, errorCode: "", error: "", eventId: "" },
        },
      });
      if (rows.length < rowsPerBatch) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  return {
    name: givenName,
    dialect: { encoding: "utf-8", delimiter: ",", quote: '"' },
    warnings: [],
    columns: accountColumns.slice(0, inputCount),
    hasSources,
    batches: batches(),
    batchStart: () => undefined,
    totalBytes: await disk.length(files.given),
    bytesRead: () => reader.bytesRead,
    blankLines: () => 0,
    close: () => reader.close(),
  };
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}
