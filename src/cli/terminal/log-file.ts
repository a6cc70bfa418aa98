import type { WriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { beginningOf, isFileAt } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import type { ImportNotice } from "../../model/run-events.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { GivenValue } from "../options/arguments.ts";
import { writeLine } from "./lines.ts";
import { type LogLine, logLine, maySayWhy } from "./log-line.ts";

/** A log for machines: one JSON object a line, without the contents of cells and without what the service says. */
export type LogFile = ReturnType<typeof createLogFile>;

/** Writes nothing before it begins or ends, so that it also reports a run that cannot start. */
export function createLogFile(setting: GivenValue, clock: Pick<Clock, "date">) {
  const { value: path } = setting;
  let stream: WriteStream | undefined;
  let state: "not begun" | "open" | "over" = "not begun";
  let hasLoggedStop = false;

  const openAtEnd = async (warn: (message: string) => void) => {
    state = "over";
    await makeFolderOf(path);
    const handle = await openLog(path);
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
    /**
     * Opens it, and writes the first line of a run: what it is.
     *
     * @param warn called once if it can no longer be written, which does not stop the run
     * @throws CannotStartError if the file cannot be opened, or holds something else
     */
    async begin(what: object, warn: (message: string) => void) {
      await openAtEnd(warn);
      write({ level: "info", kind: "start", ...what });
    },
    write: (notice: ImportNotice) => write(logLine(notice)),
    /**
     * Writes the last line, which says how the run ended, and before it why it stopped, if no line said so yet.
     * Makes sure that all lines have left. Only the first call counts.
     */
    async end(status: number, { message, details, ...how }: Readonly<Record<string, unknown>>) {
      // The terminal says why a run cannot start, and that there is no log of it.
      if (state === "not begun") await openAtEnd(() => {}).catch(() => {});
      if (state !== "open") return;
      const code = String(how.exit_reason);
      const why = maySayWhy(code) ? { message, details } : {};
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

async function openLog(path: string): Promise<FileHandle> {
  try {
    // A device such as /dev/stderr, which may be a pipe, holds nothing to look at.
    const isThere = dirname(path) !== "/dev" && (await isFileAt(path));
    if (isThere && !["", logMark].includes(await beginningOf(path, logMark.length)))
      throw cannotStart("output_exists", path, "--log-file");
    return await open(path, "a", 0o600);
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}
