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

/** A log is written only once its run begins or ends, so that it also reports a run that cannot start. */
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
  const write = (content: object) => {
    if (state !== "open" || stream === undefined) return;
    writeLine(stream, JSON.stringify({ time: clock.date().toISOString(), ...content }));
  };

  return {
    setting,
    /**
     * Opens the log, and writes the first line of a run: what it is.
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
      const level: Level = status === 0 ? "info" : status === 1 ? "warn" : "error";
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

type Level = "info" | "warn" | "error";

const levels: { readonly [kind in ImportNotice["kind"]]?: Level } = {
  ...{ invalid: "warn", not_succeeded: "warn", pause: "warn", warning: "warn", stop: "error" },
};

/** What a log says of a notice: neither cells nor what the service says, as that may repeat them. */
function logLine(notice: ImportNotice): object {
  const { kind } = notice;
  const level = levels[kind] ?? "info";
  switch (kind) {
    case "invalid":
      return { level, kind, ...harmlessOf({ ...notice.problem, ...placeOf(notice.row) }) };
    case "not_succeeded": {
      const { outcome, row } = notice;
      const said = { ...placeOf(row), ...outcome, code: outcome.errorCode };
      return { level, kind: outcome.status, ...harmlessOf(said) };
    }
    case "opened":
      return { level, kind, name: notice.name, read_as: notice.dialect };
    case "checked":
      return { level, kind, ...harmlessOf(notice.report) };
    case "selected":
      return { level, kind, ...harmlessOf(notice.selection) };
    case "night":
      return { level, kind, ...harmlessOf(notice.differences) };
    case "stop": {
      const { code, message } = notice.reason;
      return { level, kind, code, ...(maySayWhy(code) && { message }) };
    }
    case "warning": {
      const { message, finding } = notice;
      if (finding === undefined) return { level, kind, message };
      return { level, kind, finding: finding.kind, ...harmlessOf(finding) };
    }
    default:
      return { level, kind, ...harmlessOf(notice) };
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
