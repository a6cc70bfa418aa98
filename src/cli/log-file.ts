import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Clock } from "../delivery/clock.ts";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import type { ImportNotice } from "../import-options.ts";
import { type LogLine, logLine, maySayWhy } from "./log-line.ts";

/** A log for machines: one JSON object a line. */
export interface LogFile {
  /** Writes the first line of a run: what it is. */
  start(what: object): void;
  write(notice: ImportNotice): void;
  /** Writes the last line, how the run ended, and makes sure that all of them have left. */
  end(status: number, how: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface LogSettings {
  /** Whether what stands in cells, and what the service says, may stand in it. */
  readonly hasCells: boolean;
  readonly clock: Pick<Clock, "date">;
  /** Told once if the log cannot be written on: that is no reason to stop a run. */
  readonly warn: (message: string) => void;
}

/** @throws CannotStartError where the file cannot be opened */
export async function openLogFile(
  path: string,
  { hasCells, clock, warn }: LogSettings,
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
  const write = ({ level, kind, ...content }: LogLine) => {
    if (isBroken) return;
    const time = clock.date().toISOString();
    stream.write(`${JSON.stringify({ time, level, kind, ...content })}\n`);
  };
  return {
    start: (what) => write({ level: "info", kind: "start", ...what }),
    write: (notice) => write(logLine(notice, hasCells)),
    async end(status, { message, details, ...how }) {
      const level = status === 0 ? "info" : status === 1 ? "warn" : "error";
      const isTold = hasCells || maySayWhy(String(how.exit_reason));
      const why = isTold ? { message, ...(details === undefined ? {} : { details }) } : {};
      write({ level, kind: "end", exit_status: status, ...how, ...why });
      if (isBroken) return;
      // A failure is told by its own event; "close" comes after that as well.
      await new Promise<void>((resolve) => {
        stream.once("close", resolve);
        stream.end();
      });
    },
  };
}
