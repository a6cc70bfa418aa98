import type { WriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { isOursAt } from "../../model/disk/exists.ts";
import { type CannotStartCode, reasonOf, refuseWrite } from "../../model/errors.ts";
import { inSnakeCase } from "../../model/escape-text.ts";
import { placeOf } from "../../model/place.ts";
import type { ImportNotice } from "../../model/run-events.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { StopCode } from "../../model/stop.ts";
import type { GivenValue } from "../options/arguments.ts";
import { writeLine } from "./lines.ts";

/** A log for machines: one JSON object a line, without the contents of cells and without what the service says. */
export type LogFile = ReturnType<typeof createLogFile>;

/** Writes nothing before it begins or ends, so that it also reports a run that cannot start. */
export function createLogFile(setting: GivenValue, clock: Pick<Clock, "date">) {
  const { value: path } = setting;
  let stream: WriteStream | undefined;
  let state: "not begun" | "open" | "over" = "not begun";

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
    /** Writes the last line, which says how and why the run ended, and lets all lines leave. Only the first call counts. */
    async end(status: number, { message, details, ...how }: Readonly<Record<string, unknown>>) {
      // The terminal says why a run cannot start, and that there is no log of it.
      if (state === "not begun") await openAtEnd(() => {}).catch(() => {});
      if (state !== "open") return;
      const why = maySayWhy(String(how.exit_reason)) ? { message, details } : {};
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

async function openLog(path: string): Promise<FileHandle> {
  // A device such as /dev/stderr, which may be a pipe, holds nothing to look at.
  if (dirname(path) !== "/dev") await isOursAt(path, ['{"time":"'], "--log-file");
  return open(path, "a", 0o600).catch(refuseWrite(path));
}

interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly kind: string;
  readonly [name: string]: unknown;
}

/** What a log says of a notice: neither cells nor what the service says, as that may repeat them. */
function logLine(notice: ImportNotice): LogLine {
  const { kind } = notice;
  const [info, warn] = [{ level: "info", kind } as const, { level: "warn", kind } as const];
  switch (kind) {
    case "invalid":
      return { ...warn, ...harmlessOf({ ...notice.problem, ...placeOf(notice.row) }) };
    case "not_succeeded": {
      const { outcome } = notice;
      const said = { ...placeOf(notice.row), ...outcome, code: outcome.errorCode };
      return { level: "warn", kind: outcome.status, ...harmlessOf(said) };
    }
    case "opened":
      return { ...info, name: notice.name, read_as: notice.dialect };
    case "checked":
      return { ...info, ...harmlessOf(notice.report) };
    case "selected":
      return { ...info, ...harmlessOf(notice.selection) };
    case "night":
      return { ...info, ...harmlessOf(notice.differences) };
    case "stop": {
      const { code, message } = notice.reason;
      return { level: "error", kind, code, ...(maySayWhy(code) && { message }) };
    }
    case "warning": {
      const { message, finding } = notice;
      if (finding === undefined) return { ...warn, message };
      return { ...warn, finding: finding.kind, ...harmlessOf(finding) };
    }
    case "pause":
      return { ...warn, ...harmlessOf(notice) };
    default:
      return { ...info, ...harmlessOf(notice) };
  }
}

const harmlessTexts = ["code", "column", "eventId", "reason", "source"];

/** Numbers, and texts that are no cell and that no service says. */
function harmlessOf(members: object): Record<string, unknown> {
  const harmless = Object.entries(members).filter(
    ([name, value]) => typeof value === "number" || harmlessTexts.includes(name),
  );
  return Object.fromEntries(
    harmless.map(([name, value]) => [
      inSnakeCase(name),
      typeof value === "number" ? Math.round(value) : value,
    ]),
  );
}

/** Reasons of which the sentence repeats what the service said, or a cell. */
const repeatsOthers: ReadonlySet<string> = new Set<StopCode | CannotStartCode>([
  ...(["forbidden", "input_damaged", "method_not_allowed", "not_found", "outage"] as const),
  ...(["redirected", "throttled", "unauthorized", "unreachable"] as const),
  ...(["cells_altered", "header_further_down", "header_missing"] as const),
  ...(["headers_differ", "input_no_header", "mapping_invalid", "not_a_table"] as const),
  ...(["reserved_column", "retry_refused", "rows_invalid", "too_many_invalid"] as const),
]);

/** Whether the sentence that goes with a reason may stand in a log. */
function maySayWhy(reason: string): boolean {
  return !repeatsOthers.has(reason);
}
