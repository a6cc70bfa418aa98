import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { writeAtomically } from "../../model/disk/atomic-file.ts";
import { isFileAt } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { outcomeStatuses } from "../../model/outcome.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { ImportProgress, RunSummary, SendProgress } from "../../run/options/run-events.ts";
import type { Setting } from "../options/arguments.ts";

/** Writes the metrics of a run to a file for node_exporter's textfile collector. */
export type MetricsFile = ReturnType<typeof createMetricsFile>;

/** What the metrics show of a run. */
interface MeasuredRun {
  /** Distinguishes it from other imports on the machine; the same every night. */
  readonly name: string;
  readonly startedAt: number;
  labels: Labels;
  sent?: SendProgress;
  ended?: { status: number; reason: string; summary: RunSummary | undefined };
  /** When and how runs last ended, by metric. */
  last?: Readonly<Record<string, number>>;
}

type Labels = Readonly<Record<string, string>>;
type Samples = readonly (readonly [Labels, number])[];

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

  const whyNot = (error: unknown) =>
    error instanceof CannotStartError
      ? error
      : cannotStart("output_not_writable", path, reasonOf(error));
  const readLast = async () => {
    await makeFolderOf(path, openToAll);
    const text = (await isFileAt(path)) ? await readFile(path, "utf8") : "";
    if (!text.startsWith(text && mark)) throw cannotStart("output_exists", path, "--metrics-file");
    const found = text.matchAll(/^eventload_(last_\w+)\{.*\} (\S+)$/gm);
    return Object.fromEntries(Array.from(found, ([, name, value]) => [name, Number(value)]));
  };
  /** One write after another, as each replaces the file. */
  const write = () => {
    writing = writing.then(async () => {
      try {
        run.last ??= await readLast();
        await writeAtomically(path, renderMetrics(run, seconds()), readableByAll);
      } catch (error) {
        tell(`the metrics are not updated: ${whyNot(error).message}`);
        tell = () => {};
      }
    });
    return writing;
  };
  const writeOn = () => {
    void write();
    stopWaiting = clock.schedule(everyMs, writeOn);
  };

  return {
    setting,
    /**
     * Makes sure that the file may be written, without changing it: another run may be in progress.
     *
     * @throws CannotStartError if it may not, which is not reported again
     */
    async prepare(labels: Labels, warn: (message: string) => void) {
      tell = () => {};
      run.labels = labels;
      await readLast().catch((error: unknown) => {
        throw whyNot(error);
      });
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
      run.ended = { status, reason, summary };
      if (reason !== "locked") await write();
    },
  };
}

const mark = "# HELP eventload_";

/** A run in Prometheus' text format, version 0.0.4, without times, which the textfile collector refuses. */
export function renderMetrics(
  { name: run, startedAt, labels, sent, ended, last = {} }: MeasuredRun,
  atSeconds: number,
): string {
  const { summary, status = 3, reason = "" } = ended ?? {};
  const results = summary?.results === undefined ? {} : { results: basename(summary.results) };
  const counts = summary?.counts ?? sent?.counts;
  const made = sent?.attemptsSoFar;
  const now = ended === undefined ? sent : undefined;
  const lastTime = (what: string, most: number) => {
    const name = `last_${what}_timestamp_seconds`;
    return [name, ended !== undefined && status <= most ? atSeconds : (last[name] ?? 0)] as const;
  };
  /** `_total` ends the name of a counter; what is not known is left out. */
  const metrics: (readonly [string, number | Samples | undefined])[] = [
    ["run_info", [[{ ...labels, ...results, exit_reason: reason }, 1]]],
    ["running", ended === undefined ? 1 : 0],
    ["start_timestamp_seconds", startedAt],
    ["last_exit_status", ended?.status ?? last.last_exit_status],
    lastTime("end", Number.POSITIVE_INFINITY),
    lastTime("completion", 1),
    lastTime("success", 0),
    ["rows", summary?.rows ?? sent?.rowsTotal],
    ["rows_ended", sent?.rowsEnded ?? 0],
    ["events", outcomeStatuses.map((status) => [{ status }, counts?.[status] ?? 0])],
    ["attempts_total", made?.attempts ?? 0],
    ["retries_total", made?.retries ?? 0],
    ["throttled_total", made?.throttled ?? 0],
    ["unanswered_total", made?.unanswered ?? 0],
    ["in_flight", now?.inFlight ?? 0],
    ["paused", Number(now?.sending.waitsFor?.kind === "pause")],
  ];
  return metrics
    .map(([name, value = []]) => {
      const samples = typeof value === "number" ? ([[{}, value]] as const) : value;
      const kind = name.endsWith("_total") ? "counter" : "gauge";
      const lines = samples.map(([labels, sample]) => {
        const all = Object.entries({ run, ...labels }).map(labelText);
        return `eventload_${name}{${all.join(",")}} ${sample}\n`;
      });
      const head = `${mark}${name} See docs/monitoring.md.\n# TYPE eventload_${name} ${kind}\n`;
      return lines.length === 0 ? "" : head + lines.join("");
    })
    .join("");
}

function labelText([name, value]: readonly [string, string]): string {
  return `${name}="${value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
