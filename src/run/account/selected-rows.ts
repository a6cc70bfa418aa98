import { basename } from "node:path";
import type { Source } from "../../input/source.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent, goneEventText } from "../../model/event.ts";
import { type EventStatus, isEventStatus } from "../../model/outcome.ts";
import type { ResultsColumn } from "../../model/results-columns.ts";
import { sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, LineUse, Row } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import { selectionColumns } from "./select-lines.ts";

const rowsPerBatch = 256;

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
  const columns = accountColumns.slice(0, accountColumns.lastIndexOf("import_row"));
  const places = new Map(
    accountColumns.slice(columns.length).map((column, at) => [column, columns.length + at]),
  );
  const toLine = (
    cells: readonly string[],
  ): AccountLine & { readonly here: number | undefined } => {
    const cell = (column: ResultsColumn) => cells[places.get(column) ?? -1] ?? "";
    const status = cell("import_status");
    const [use = "keep", because] = cells.slice(-selectionColumns.length);
    const number = numberIn(because);
    const event = cell("import_event");
    return {
      use: use as LineUse,
      because: use === "send" ? undefined : number,
      here: use === "send" ? number : undefined,
      cells: cells.slice(0, columns.length),
      text: toCsv([cells.slice(0, accountColumns.length)]),
      status: isEventStatus(status) ? (status as EventStatus) : undefined,
      event: event === goneEventText ? goneEvent : numberIn(event),
      eventId: cell("import_event_id"),
      errorCode: cell("import_error_code"),
      error: cell("import_error"),
      httpStatus: numberIn(cell("import_http_status")),
      attempts: numberIn(cell("import_attempts")) ?? 0,
      unanswered: numberIn(cell("import_unanswered")) ?? 0,
    };
  };
  const hasSources = places.has(sourceColumn);

  async function* batches(): AsyncGenerator<readonly Row[]> {
    let rows: Row[] = [];
    for (let row = reader.row; row !== undefined; row = reader.row) {
      const lines: ReturnType<typeof toLine>[] = [];
      let all: readonly string[] = [];
      while (reader.row === row) {
        all = reader.cells();
        lines.push(toLine(all));
        const reading = reader.next();
        if (reading !== undefined) await reading;
      }
      const first = lines.find(({ use }) => use === "send") ?? lines[0];
      const ofFile = numberIn(all[places.get("import_line") ?? -1]);
      const here = first?.here;
      const input = all[places.get("import_input") ?? -1] ?? "";
      rows.push({
        row,
        line: here ?? ofFile ?? 0,
        cells: first?.cells ?? [],
        ...(here === undefined ? {} : { resultsFile: givenName }),
        ...(input === inputId ? {} : { mayLackLines: true as const }),
        lines,
        ...(first?.event === goneEvent ? { isGone: true as const } : {}),
        earlier: {
          ...{ row, input },
          ...(ofFile === undefined ? {} : { line: ofFile }),
          ...(hasSources ? { source: all[places.get(sourceColumn) ?? -1] ?? "" } : {}),
          ...{ unanswered: 0, errorCode: "", error: "", eventId: "" },
        },
      });
      if (rows.length < rowsPerBatch) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  const totalBytes = await disk.length(files.given);
  return {
    name: givenName,
    dialect: { encoding: "utf-8", delimiter: ",", quote: '"' },
    warnings: [],
    columns,
    hasSources,
    batches: batches(),
    batchStart: () => undefined,
    totalBytes,
    bytesRead: () => reader.bytesRead,
    blankLines: () => 0,
    close: () => reader.close(),
  };
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}
