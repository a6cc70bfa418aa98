import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { createAtomicFile, writeAtomically } from "../../model/disk/atomic-file.ts";
import { isFileAt } from "../../model/disk/exists.ts";
import {
  type CannotStartCode,
  CannotStartError,
  cannotStart,
  reasonOf,
} from "../../model/errors.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { ImportProgress, RunSummary } from "../../run/options/run-events.ts";
import type { Setting } from "../options/arguments.ts";
import {
  type Labels,
  type LastRuns,
  lastRunNames,
  type MeasuredRun,
  metricsMark,
  renderMetrics,
} from "./metrics-text.ts";

/** Writes the metrics of a run to a file for node_exporter's textfile collector. */
export interface MetricsFile {
  readonly setting: Setting;
  /**
   * Makes sure that the file can be written, without changing it: another run may be in progress.
   *
   * @param warn called once if it can no longer be written, which does not stop the run
   * @throws CannotStartError if it cannot be written
   */
  prepare(about: Labels, warn: (message: string) => void): Promise<void>;
  /** The run has begun: writes it for the first time, and then every minute. Only the first call counts. */
  begin(): void;
  progress(progress: ImportProgress): void;
  /**
   * Writes it for the last time; only the first call counts. If another run has the lock, that run
   * continues to write it.
   */
  end(status: number, reason: string, summary?: RunSummary): Promise<void>;
}

const everyMs = 60_000;
const extension = ".prom";

/**
 * Nothing is written before `begin` or `end`, so that the metrics also show a run that cannot start.
 *
 * @param warn called if it cannot be written then
 * @throws CannotStartError if the collector would not read a file of that name
 */
export function createMetricsFile(
  setting: Setting,
  clock: Pick<Clock, "date" | "schedule">,
  warn: (message: string) => void,
): MetricsFile {
  const { value: path, place } = setting;
  if (!path.endsWith(extension)) {
    const why = `node_exporter reads only files whose names end in ${extension}, and ${path} does not`;
    throw cannotStart("option_invalid", place, why);
  }
  const seconds = () => clock.date().getTime() / 1000;
  const startedAtSeconds = seconds();
  const name = basename(path, extension);
  let run: MeasuredRun | undefined;
  let about: Labels = {};
  let checked: MeasuredRun["checked"];
  let sent: MeasuredRun["sent"];
  let ended: MeasuredRun["ended"];
  let hasWarned = false;
  let warnOf = warn;
  let hasBegun = false;
  let cancel = () => {};
  let writing = Promise.resolve();

  const tryOut = async () => {
    await makeFolderOf(path, openToAll);
    await readLastRuns(path);
    await (await createAtomicFile(path)).discard();
  };
  const write = async () => {
    if (run === undefined) await makeFolderOf(path, openToAll);
    const before = run?.before ?? (await readLastRuns(path));
    run = { name, about, startedAtSeconds, checked, sent, ended, before };
    await writeAtomically(path, renderMetrics(run), { mode: readableByAll });
  };
  const writeOn = async () => {
    try {
      await write();
    } catch (error) {
      if (!hasWarned)
        warnOf(`${path} cannot be written (${whyOf(error)}); the metrics are out of date.`);
      hasWarned = true;
    }
  };
  /** One write after another, as each replaces the file. */
  const inSequence = (act: () => Promise<void>) => {
    const done = writing.then(act);
    writing = done.catch(() => {});
    return done;
  };
  const again = () => {
    cancel = clock.schedule(everyMs, () => {
      void inSequence(writeOn);
      again();
    });
  };

  return {
    setting,
    async prepare(labels, tell) {
      about = labels;
      warnOf = tell;
      await tryOut().catch((error: unknown) => {
        hasWarned = true; // the error that keeps the run from starting says it
        if (error instanceof CannotStartError) throw error;
        throw cannotStart("output_not_writable", path, reasonOf(error));
      });
    },
    begin() {
      if (hasBegun || ended !== undefined) return;
      hasBegun = true;
      void inSequence(writeOn);
      again();
    },
    progress(progress) {
      if (progress.phase === "send") sent = progress;
      else checked = progress;
    },
    async end(status, reason, summary) {
      if (ended !== undefined) return;
      cancel();
      if (summary?.results !== undefined) about = { ...about, results: basename(summary.results) };
      ended = { status, reason, atSeconds: seconds(), summary };
      if (reason === ("locked" satisfies CannotStartCode)) return;
      await inSequence(writeOn);
    },
  };
}

/**
 * What the file says about earlier runs.
 *
 * @throws CannotStartError if the file is not ours
 */
async function readLastRuns(path: string): Promise<LastRuns> {
  const text = (await isFileAt(path)) ? await readFile(path, "utf8") : "";
  if (text !== "" && !text.startsWith(metricsMark)) {
    throw cannotStart("output_exists", path, "--metrics-file");
  }
  const find = (name: string) => {
    const value = new RegExp(`^${name}\\{.*\\} (\\S+)$`, "m").exec(text)?.[1];
    const number = Number(value ?? Number.NaN);
    return Number.isFinite(number) ? number : undefined;
  };
  return {
    exitStatus: find(lastRunNames.exitStatus),
    endedAtSeconds: find(lastRunNames.endedAtSeconds) ?? 0,
    completedAtSeconds: find(lastRunNames.completedAtSeconds) ?? 0,
    succeededAtSeconds: find(lastRunNames.succeededAtSeconds) ?? 0,
  };
}

/** The collector runs as another user, and may read at any moment. The file holds no personal data. */
const readableByAll = 0o644;
const openToAll = 0o755;

function whyOf(error: unknown): string {
  if (!(error instanceof CannotStartError)) return reasonOf(error);
  if (error.code === "output_exists") return "another file is there";
  return error.message.replace(/^.* cannot be written: /s, "").replace(/\.$/, "");
}
