import type { WriteStream } from "node:fs";
import type { Clock } from "../model/clock.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { makeFolderOf } from "../model/run-files.ts";
import type { ImportNotice } from "../run/import-options.ts";
import { type LogLine, logLine, maySayWhy } from "./log-line.ts";
import { logPlaceOf, openLog } from "./log-place.ts";
import type { Setting } from "./setting.ts";
import { writeLine } from "./write-line.ts";

/** A log for machines: one JSON object a line. */
export interface LogFile {
  readonly setting: Setting;
  /** Whether what stands in cells, and what the service says, may stand in it. */
  readonly hasCells: boolean;
  /**
   * Opens it, and writes the first line of a run: what it is.
   *
   * @param warn told once if it cannot be written on: that is no reason to stop a run
   * @throws CannotStartError where the file cannot be opened
   */
  begin(what: object, warn: (message: string) => void): Promise<void>;
  write(notice: ImportNotice): void;
  /**
   * Writes the last line, how the run ended, and before it why it stopped, where that was not told yet.
   * Makes sure that all lines have left. Only the first call counts.
   */
  end(status: number, how: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Nothing is written before it is begun or ended, so that a run that cannot start is told of too. */
export function createLogFile(
  setting: Setting,
  hasCells: boolean,
  clock: Pick<Clock, "date">,
): LogFile {
  const { value: path } = setting;
  let stream: WriteStream | undefined;
  let state: "not begun" | "open" | "broken" | "ended" = "not begun";
  let hasToldStop = false;

  const open = async (warn: (message: string) => void) => {
    state = "broken";
    await makeFolderOf(path);
    const handle = await openLog(path).catch((error: unknown) => {
      throw cannotStart("output_not_writable", path, reasonOf(error));
    });
    const opened = handle.createWriteStream();
    opened.on("error", (error) => {
      if (state === "broken") return;
      state = "broken";
      warn(`${path} cannot be written (${reasonOf(error)}); from here on there is no log.`);
    });
    stream = opened;
    state = "open";
  };
  const write = ({ level, kind, ...content }: LogLine) => {
    if (state !== "open") return;
    hasToldStop ||= kind === "stop";
    const time = clock.date().toISOString();
    if (stream !== undefined) writeLine(stream, JSON.stringify({ time, level, kind, ...content }));
  };
  const writeEnd = (
    status: number,
    { message, details, ...how }: Readonly<Record<string, unknown>>,
  ) => {
    const reason = String(how.exit_reason);
    const isTold = hasCells || maySayWhy(reason);
    const why = isTold ? { message, ...(details === undefined ? {} : { details }) } : {};
    const hasStopped = reason !== "complete";
    if (hasStopped && !hasToldStop) write({ level: "error", kind: "stop", code: reason, ...why });
    const level = status === 0 ? "info" : status === 1 ? "warn" : "error";
    write({ level, kind: "end", exit_status: status, ...how, ...why });
  };

  return {
    setting,
    hasCells,
    async begin(what, warn) {
      await open(warn);
      write({ level: "info", kind: "start", ...what });
    },
    write: (notice) => write(logLine(notice, hasCells)),
    async end(status, how) {
      // What keeps a run from starting is told by the terminal; that no log could be made of it, too.
      if (state === "not begun" && (await logPlaceOf(path)) === "free") {
        await open(() => {}).catch(() => {});
      }
      if (state !== "open") return;
      writeEnd(status, how);
      // A failure is told by its own event; "close" comes after that as well.
      await new Promise<void>((resolve) => {
        stream?.once("close", resolve);
        stream?.end();
      });
      state = "ended";
    },
  };
}
