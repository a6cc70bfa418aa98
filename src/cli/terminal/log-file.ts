import { constants, type WriteStream } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";
import type { Clock } from "../../model/clock.ts";
import { exists, linkToNothing } from "../../model/disk/exists.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { ImportNotice } from "../../run/options/run-events.ts";
import type { Setting } from "../options/arguments.ts";
import { writeLine } from "./lines.ts";
import { type LogLine, logLine, maySayWhy } from "./log-line.ts";

/** A log for machines: one JSON object a line. */
export interface LogFile {
  readonly setting: Setting;
  /** Whether it may hold the contents of cells, and what the service says. */
  readonly hasCells: boolean;
  /**
   * Opens it, and writes the first line of a run: what it is.
   *
   * @param warn called once if it can no longer be written, which does not stop the run
   * @throws CannotStartError if the file cannot be opened
   */
  begin(what: object, warn: (message: string) => void): Promise<void>;
  write(notice: ImportNotice): void;
  /**
   * Writes the last line, which says how the run ended, and before it why it stopped, if no line
   * said so yet.
   * Makes sure that all lines have left. Only the first call counts.
   */
  end(status: number, how: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Writes nothing before it begins or ends, so that it also reports a run that cannot start. */
export function createLogFile(
  setting: Setting,
  hasCells: boolean,
  clock: Pick<Clock, "date">,
): LogFile {
  const { value: path } = setting;
  let stream: WriteStream | undefined;
  let state: "not begun" | "open" | "over" = "not begun";
  let hasLoggedStop = false;

  const open = async (warn: (message: string) => void) => {
    state = "over";
    await makeFolderOf(path);
    const handle = await openLog(path).catch((error: unknown) => {
      throw cannotStart("output_not_writable", path, reasonOf(error));
    });
    stream = handle.createWriteStream().on("error", (error) => {
      if (state === "over") return;
      state = "over";
      warn(`${path} cannot be written (${reasonOf(error)}); the log ends here.`);
    });
    state = "open";
  };
  const write = ({ level, kind, ...content }: LogLine) => {
    if (state !== "open" || stream === undefined) return;
    hasLoggedStop ||= kind === "stop";
    const time = clock.date().toISOString();
    writeLine(stream, JSON.stringify({ time, level, kind, ...content }));
  };

  return {
    setting,
    hasCells,
    async begin(what, warn) {
      await open(warn);
      write({ level: "info", kind: "start", ...what });
    },
    write: (notice) => write(logLine(notice, hasCells)),
    async end(status, { message, details, ...how }) {
      // The terminal says why a run cannot start, and that there is no log of it.
      if (state === "not begun" && (await whyNoLog(path)) === undefined) {
        await open(() => {}).catch(() => {});
      }
      if (state !== "open") return;
      const code = String(how.exit_reason);
      const said = { message, ...(details === undefined ? {} : { details }) };
      const why = hasCells || maySayWhy(code) ? said : {};
      if (code !== "complete" && !hasLoggedStop)
        write({ level: "error", kind: "stop", code, ...why });
      const level = status === 0 ? "info" : status === 1 ? "warn" : "error";
      write({ level, kind: "end", exit_status: status, ...how, ...why });
      // A failure has an event of its own; "close" follows it, too.
      await new Promise<void>((resolve) => {
        stream?.once("close", resolve);
        stream?.end();
      });
      state = "over";
    },
  };
}

/** Every line of a log begins like this. */
const logMark = '{"time":"';

/** Why no line can be added to what is there without harm to what it is; undefined where one can. */
export async function whyNoLog(path: string): Promise<string | undefined> {
  const taken = `${path} exists and is no log of eventload, so nothing is added to it`;
  try {
    // Not by opening it: a pipe would wait for somebody who writes.
    if (!(await stat(path)).isFile()) return undefined;
    const handle = await open(path, "r");
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(logMark.length), 0);
      const isLog = buffer.toString("latin1", 0, bytesRead) === logMark;
      return isLog || bytesRead === 0 ? undefined : taken;
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isThere = await exists(path);
    if (isThere && code === "ENOENT") return `${path} is ${linkToNothing}`;
    // Why a new one cannot be created is reported where that is tried.
    return !isThere && (code === "ENOENT" || code === "ENOTDIR") ? undefined : taken;
  }
}

/**
 * Opens it for adding to its end. Nothing is made where a link leads: one that is there is followed, as
 * `/dev/stderr` is one.
 */
async function openLog(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const found = await lstat(path).catch(() => undefined);
  // Opening it would wait for somebody who reads it, which could be for ever.
  if (found?.isFIFO()) throw new Error("it is a pipe; name a file, or /dev/stderr");
  const how = found?.isSymbolicLink() ? 0 : O_CREAT | O_NOFOLLOW;
  return open(path, O_WRONLY | O_APPEND | how, 0o600);
}
