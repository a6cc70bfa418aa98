import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Clock } from "../delivery/clock.ts";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import type { ImportNotice } from "../import-options.ts";

/** A log for machines: one JSON object a line, without the contents of cells. */
export interface LogFile {
  write(notice: ImportNotice): void;
  /** Writes the last line, how the run ended, and makes sure that all of them have left. */
  end(how: Readonly<Record<string, unknown>>): Promise<void>;
}

/**
 * @param warn told once if the log cannot be written on: that is no reason to stop a run
 * @throws CannotStartError where the file cannot be opened
 */
export async function openLogFile(
  path: string,
  clock: Pick<Clock, "date">,
  warn: (message: string) => void,
): Promise<LogFile> {
  const stream = createWriteStream(path, { flags: "a" });
  await once(stream, "open").catch((error: unknown) => {
    throw cannotStart("output_not_writable", path, reasonOf(error));
  });
  let isBroken = false;
  stream.on("error", (error) => {
    if (isBroken) return;
    isBroken = true;
    warn(`${path} cannot be written (${reasonOf(error)}); from here on there is no log.`);
  });
  const line = (kind: string, content: object) => {
    if (isBroken) return;
    stream.write(`${JSON.stringify({ time: clock.date().toISOString(), kind, ...content })}\n`);
  };
  return {
    write: (notice) => line(notice.kind, contentOf(notice)),
    async end(how) {
      line("end", how);
      if (isBroken) return;
      // A failure is told by its own event; "close" comes after that as well.
      await new Promise<void>((resolve) => {
        stream.once("close", resolve);
        stream.end();
      });
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
    case "opened":
      return { name: notice.name, read_as: notice.dialect };
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
      return {
        reason: notice.reason,
        duration_ms: Math.round(notice.durationMs),
        message: notice.message,
      };
    case "open":
      return { reason: notice.reason, paused_ms: Math.round(notice.pausedMs) };
    case "token_renewed":
      return {};
    case "warning":
      return { message: notice.message };
    case "resumed":
      return { rows: notice.rows, perhaps_sent: notice.perhapsSent };
  }
}
