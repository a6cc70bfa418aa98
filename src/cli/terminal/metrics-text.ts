import { eventStatuses } from "../../model/outcome.ts";
import { answerTimesUpToMs } from "../../model/run-figures.ts";
import { pauseReasons } from "../../model/sending-state.ts";
import type { ImportProgress, RunSummary } from "../../run/options/run-events.ts";

/** What the metrics show of a run, and of the runs before it. */
export interface MeasuredRun {
  /** Distinguishes it from other imports on the machine; the same every night. */
  readonly name: string;
  /** Of this run. */
  readonly about: Labels;
  readonly startedAtSeconds: number;
  /** The latest of each phase. */
  readonly checked: Exclude<ImportProgress, { phase: "send" }> | undefined;
  readonly sent: Extract<ImportProgress, { phase: "send" }> | undefined;
  /** How it ended, once it has. */
  readonly ended: EndedAs | undefined;
  readonly before: LastRuns;
}

export interface EndedAs {
  readonly status: number;
  readonly reason: string;
  readonly atSeconds: number;
  /** Absent where it could not start. */
  readonly summary?: RunSummary | undefined;
}

/** What a metrics file carries over from the one before; 0 is never. */
export interface LastRuns {
  readonly exitStatus: number | undefined;
  readonly endedAtSeconds: number;
  readonly completedAtSeconds: number;
  readonly succeededAtSeconds: number;
}

/** The first bytes of every file of metrics, by which it is known. */
export const metricsMark = "# HELP eventload_";

/** Names of what {@link LastRuns} is read from. */
export const lastRunNames = {
  exitStatus: "eventload_last_exit_status",
  endedAtSeconds: "eventload_last_end_timestamp_seconds",
  completedAtSeconds: "eventload_last_completion_timestamp_seconds",
  succeededAtSeconds: "eventload_last_success_timestamp_seconds",
} as const satisfies Record<keyof LastRuns, string>;

/** What the last runs came to, with this one if it has ended. */
function lastRuns({ before, ended }: Pick<MeasuredRun, "before" | "ended">): LastRuns {
  if (ended === undefined) return before;
  const { status, atSeconds } = ended;
  return {
    exitStatus: status,
    endedAtSeconds: atSeconds,
    completedAtSeconds: status <= 1 ? atSeconds : before.completedAtSeconds,
    succeededAtSeconds: status === 0 ? atSeconds : before.succeededAtSeconds,
  };
}

/** A run as Prometheus takes it. */
export function renderMetrics(run: MeasuredRun): string {
  return prometheusText([...aboutRun(run), ...aboutRows(run), ...aboutAttempts(run)], {
    run: run.name,
  });
}

function aboutRun(run: MeasuredRun): Metric[] {
  const { ended, about } = run;
  const last = lastRuns(run);
  const labels = { ...about, exit_reason: ended?.reason ?? "" };
  return [
    gauge("run_info", "The run that the other figures are of; always 1.", [{ labels, value: 1 }]),
    gauge("running", "Whether the run is running: 1, or 0 once it has ended.", ended ? 0 : 1),
    gauge(
      "start_timestamp_seconds",
      "When it started, in seconds since 1970.",
      run.startedAtSeconds,
    ),
    gauge(
      "last_exit_status",
      "Exit status of the last run that ended: 0 all succeeded, 1 some did not, 2 could not start, 3 stopped early, 130 and 143 interrupted.",
      last.exitStatus,
    ),
    gauge(
      "last_end_timestamp_seconds",
      "When the last run ended, however it did; 0 is never.",
      last.endedAtSeconds,
    ),
    gauge(
      "last_completion_timestamp_seconds",
      "When a run last came to the end of its input (exit status 0 or 1); 0 is never.",
      last.completedAtSeconds,
    ),
    gauge(
      "last_success_timestamp_seconds",
      "When a run last ended with exit status 0; 0 is never.",
      last.succeededAtSeconds,
    ),
  ];
}

function aboutRows({ checked, sent, ended }: MeasuredRun): Metric[] {
  const counts = ended?.summary?.counts ?? sent?.counts;
  const rows = ended?.summary?.rows ?? sent?.rowsTotal;
  const done = sent?.rowsEnded ?? 0;
  const isComplete = ended?.summary?.exitReason === "complete";
  return [
    gauge("rows", "Rows of the input, as far as they are known.", rows),
    gauge("rows_checked", "Rows that the check before sending has read.", checked?.rows ?? 0),
    gauge(
      "rows_read",
      "Rows read to be sent, those of parts before a resume among them.",
      sent?.rowsRead ?? 0,
    ),
    gauge("rows_ended", "Rows of which every event has its outcome.", done),
    gauge(
      "done_ratio",
      "Share of the rows that have their outcome, from 0 to 1.",
      isComplete ? 1 : rows === undefined ? undefined : rows === 0 ? 0 : done / rows,
    ),
    gauge(
      "events",
      "Lines of the results by how they ended; not_sent counts what was not reached.",
      [...eventStatuses, "not_sent" as const].map((status) => ({
        labels: { status },
        value: counts?.[status] ?? 0,
      })),
    ),
  ];
}

function aboutAttempts({ sent, ended }: MeasuredRun): Metric[] {
  const isOver = ended !== undefined;
  const attemptsSoFar = sent?.attemptsSoFar;
  return [
    counter("attempts", "Requests that left, since this process began.", attemptsSoFar?.attempts),
    counter("retries", "Requests that retry an event.", attemptsSoFar?.retries),
    counter("throttled", "Answers that there were too many requests.", attemptsSoFar?.throttled),
    counter(
      "unanswered",
      "Requests that may have arrived and were never answered.",
      attemptsSoFar?.unanswered,
    ),
    gauge("in_flight", "Requests in flight.", isOver ? 0 : (sent?.inFlight ?? 0)),
    gauge(
      "concurrency_allowed",
      "Requests that may be in flight.",
      isOver ? 0 : (attemptsSoFar?.allowed ?? 0),
    ),
    gauge(
      "pending_rows",
      "Rows that were read and are not in the results yet.",
      isOver ? 0 : (sent?.pending ?? 0),
    ),
    gauge(
      "paused",
      "Whether sending pauses: the service asked for it, or it is down.",
      pauseReasons.map((reason) => ({
        labels: { reason },
        value: !isOver && sent?.pausedBecause === reason ? 1 : 0,
      })),
    ),
    requestDuration(attemptsSoFar?.answerTimes ?? { counts: [], sumMs: 0 }),
  ];
}

function requestDuration(times: {
  readonly counts: readonly number[];
  readonly sumMs: number;
}): Metric {
  let answers = 0;
  const buckets = [...answerTimesUpToMs, Number.POSITIVE_INFINITY].map((upToMs, at) => {
    answers += times.counts[at] ?? 0;
    const le = upToMs === Number.POSITIVE_INFINITY ? "+Inf" : String(upToMs / 1000);
    return { suffix: "_bucket", labels: { le }, value: answers };
  });
  return {
    name: "eventload_request_duration_seconds",
    type: "histogram",
    help: "How long answers took, from the first byte sent.",
    samples: [
      ...buckets,
      { suffix: "_sum", value: times.sumMs / 1000 },
      { suffix: "_count", value: answers },
    ],
  };
}

function gauge(name: string, help: string, value: Metric["samples"] | number | undefined): Metric {
  const samples = value === undefined ? [] : typeof value === "number" ? [{ value }] : value;
  return { name: `eventload_${name}`, type: "gauge", help, samples };
}

function counter(name: string, help: string, value = 0): Metric {
  return { name: `eventload_${name}_total`, type: "counter", help, samples: [{ value }] };
}

/** A metric of Prometheus with its samples. */
export interface Metric {
  /** In base units; ends in `_total` if it is a counter. */
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** What follows the name, such as `_bucket` of a histogram. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

/**
 * Metrics in Prometheus' text-based exposition format, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). There are no times in it: the textfile
 * collector refuses those.
 *
 * @param common labels of every sample
 */
export function prometheusText(metrics: readonly Metric[], common: Labels): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${escapeHelp(help)}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ suffix = "", labels, value }) =>
          `${name}${suffix}${labelText({ ...common, ...labels })} ${numberText(value)}`,
      ),
    ]);
  return lines.map((line) => `${line}\n`).join("");
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}
