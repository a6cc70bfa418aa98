import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { createAtomicFile, writeAtomically } from "../../model/disk/atomic-file.ts";
import { isFileAt } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { ImportProgress, RunSummary } from "../../run/options/run-events.ts";
import type { Setting } from "../options/arguments.ts";
import { lastRunsIn, type MeasuredRun, renderMetrics } from "./metrics-text.ts";

/** Writes the metrics of a run to a file for node_exporter's textfile collector. */
export type MetricsFile = ReturnType<typeof createMetricsFile>;

const everyMs = 60_000;
/** The collector runs as another user, and may read at any moment. The file holds no personal data. */
const [readableByAll, openToAll] = [0o644, 0o755];

/**
 * Nothing is written before the first update or the end, so that the metrics also show a run that cannot start.
 *
 * @param warn called once if it cannot be written, which does not stop the run
 * @throws CannotStartError if the collector would not read a file of that name
 */
export function createMetricsFile(
  setting: Setting,
  clock: Pick<Clock, "date" | "schedule">,
  warn: (message: string) => void,
) {
  const { value: path, place } = setting;
  if (!path.endsWith(".prom")) {
    const why = `node_exporter reads only files whose names end in .prom, and ${path} does not`;
    throw cannotStart("option_invalid", place, why);
  }
  const seconds = () => clock.date().getTime() / 1000;
  const run: MeasuredRun = { name: basename(path, ".prom"), startedAt: seconds(), labels: {} };
  let tell = warn;
  let stopWaiting: (() => void) | undefined;
  let writing = Promise.resolve();

  const open = async () => {
    await makeFolderOf(path, openToAll);
    const before = lastRunsIn((await isFileAt(path)) ? await readFile(path, "utf8") : "");
    if (before === undefined) throw cannotStart("output_exists", path, "--metrics-file");
    return before;
  };
  const whyNot = (error: unknown) =>
    error instanceof CannotStartError
      ? error
      : cannotStart("output_not_writable", path, reasonOf(error));
  const write = async () => {
    try {
      run.before ??= await open();
      await writeAtomically(path, renderMetrics(run), { mode: readableByAll });
    } catch (error) {
      tell(`the metrics are not updated: ${whyNot(error).message}`);
      tell = () => {};
    }
  };
  /** One write after another, as each replaces the file. */
  const writeNext = () => {
    writing = writing.then(write);
    return writing;
  };
  const writeOn = () => {
    void writeNext();
    stopWaiting = clock.schedule(everyMs, writeOn);
  };

  return {
    setting,
    /**
     * Makes sure that the file can be written, without changing it: another run may be in progress.
     *
     * @throws CannotStartError if it cannot be written, which is not reported again
     */
    async prepare(labels: MeasuredRun["labels"], warn: (message: string) => void) {
      run.labels = labels;
      tell = () => {};
      try {
        await open();
        await (await createAtomicFile(path)).discard();
      } catch (error) {
        throw whyNot(error);
      }
      tell = warn;
    },
    /** Writes it for the first time, and then every minute with the latest progress. */
    update(progress?: ImportProgress) {
      if (progress?.phase === "send") run.sent = progress;
      if (stopWaiting === undefined && run.ended === undefined) writeOn();
    },
    /** Writes it for the last time; only the first call counts. Another run that has the lock writes on. */
    async end(status: number, reason: string, summary?: RunSummary) {
      if (run.ended !== undefined) return;
      stopWaiting?.();
      run.ended = { status, reason, at: seconds(), summary };
      if (reason !== "locked") await writeNext();
    },
  };
}
