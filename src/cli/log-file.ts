import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Clock } from "../delivery/clock.ts";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import type { ImportNotice, RunSummary } from "../import-options.ts";
import { summaryJson } from "./summary.ts";

/** A log for machines: one JSON object a line, without the contents of cells. */
export interface LogFile {
  write(notice: ImportNotice): void;
  /** Writes the last line and makes sure that all of them have left. */
  end(summary: RunSummary): Promise<void>;
}

/** @throws CannotStartError where the file cannot be opened */
export async function openLogFile(path: string, clock: Pick<Clock, "date">): Promise<LogFile> {
  const stream = createWriteStream(path, { flags: "a" });
  await once(stream, "open").catch((error: unknown) => {
    throw cannotStart("output_not_writable", path, reasonOf(error));
  });
  // A log that cannot be written on is no reason to stop a run.
  stream.on("error", () => {});
  const line = (kind: string, content: object) => {
    stream.write(`${JSON.stringify({ time: clock.date().toISOString(), kind, ...content })}\n`);
  };
  return {
    write: (notice) => line(notice.kind, contentOf(notice)),
    async end(summary) {
      line("end", summaryJson(summary));
      await new Promise<void>((resolve) => stream.end(resolve));
    },
  };
}

function contentOf(notice: ImportNotice): object {
  switch (notice.kind) {
    case "invalid": {
      const { row, problem } = notice;
      const { code, column } = problem;
      return { row: row.row, line: row.line, code, ...(column === undefined ? {} : { column }) };
    }
    case "checked": {
      const { rows, events, invalidRows, skippedRows, blankLines, problems } = notice.report;
      return {
        rows,
        events,
        invalid_rows: invalidRows,
        skipped_rows: skippedRows,
        blank_lines: blankLines,
        problems,
      };
    }
    case "stop":
      return { code: notice.reason.code, message: notice.reason.message };
    case "retry": {
      const { row, event, attempts, delayMs, code, message } = notice;
      return { row, event, attempts, delay_ms: Math.round(delayMs), code, message };
    }
    case "pause":
      return { duration_ms: Math.round(notice.durationMs), message: notice.message };
    case "warning":
      return { message: notice.message };
    case "resumed":
      return { rows: notice.rows, perhaps_sent: notice.perhapsSent };
  }
}
