import { basename } from "node:path";
import { eventStatuses } from "../../model/outcome.ts";
import { pauseReasons } from "../../model/sending-state.ts";
import type { RunSummary, SendProgress } from "../../run/options/run-events.ts";

/** What the metrics show of a run. */
export interface MeasuredRun {
  /** Distinguishes it from other imports on the machine; the same every night. */
  readonly name: string;
  readonly startedAt: number;
  labels: Labels;
  sent?: SendProgress;
  /** Without a summary if it could not start. */
  ended?: { status: number; reason: string; at: number; summary: RunSummary | undefined };
  /** How the runs before it ended, by metric. */
  before?: Record<string, number>;
}

type Labels = Readonly<Record<string, string>>;
type Samples = readonly (readonly [Labels, number])[];

/** Name, help and value of each metric; `_total` ends the name of a counter, and what is not known is left out. */
function metricsOf(run: MeasuredRun): [string, string, number | undefined | Samples][] {
  const { labels, ended, sent } = run;
  const { summary, reason = "" } = ended ?? {};
  const results = summary?.results === undefined ? {} : { results: basename(summary.results) };
  const info = { ...labels, ...results, exit_reason: reason };
  const counts = summary?.counts ?? sent?.counts;
  const statuses = [...eventStatuses, "not_sent"] as const;
  const made = sent?.attemptsSoFar;
  const now = ended === undefined ? sent : undefined;
  const isPaused = (reason: string) => (now?.pausedBecause === reason ? 1 : 0);
  const last = lastRuns(run);
  const end = (name: string) => last[`last_${name}_timestamp_seconds`] ?? 0;
  return [
    ["run_info", "What ran; always 1.", [[info, 1]]],
    ["running", "1 while it runs, 0 once it has ended.", ended === undefined ? 1 : 0],
    ["start_timestamp_seconds", "When it started, in seconds since 1970.", run.startedAt],
    ["last_exit_status", "Exit status of the last run that ended.", last.last_exit_status],
    ["last_end_timestamp_seconds", "When a run last ended; 0 is never.", end("end")],
    ["last_completion_timestamp_seconds", "When one last ended with 0 or 1.", end("completion")],
    ["last_success_timestamp_seconds", "When one last ended with 0.", end("success")],
    ["rows", "Rows of the input, if they are known.", summary?.rows ?? sent?.rowsTotal],
    ["rows_ended", "Rows of which every event has its outcome.", sent?.rowsEnded ?? 0],
    [
      "events",
      "Lines of the results.",
      statuses.map((status) => [{ status }, counts?.[status] ?? 0]),
    ],
    ["attempts_total", "Requests since this process began.", made?.attempts ?? 0],
    ["retries_total", "Requests that retry an event.", made?.retries ?? 0],
    ["throttled_total", "Answers that there were too many requests.", made?.throttled ?? 0],
    ["unanswered_total", "Requests that were never answered.", made?.unanswered ?? 0],
    ["answers_total", "Answers.", made?.answers ?? 0],
    ["answer_seconds_total", "Time from request to answer.", (made?.answersMs ?? 0) / 1000],
    ["in_flight", "Requests in flight.", now?.inFlight ?? 0],
    ["paused", "1 in a pause.", pauseReasons.map((reason) => [{ reason }, isPaused(reason)])],
  ];
}

function lastRuns({ before = {}, ended }: MeasuredRun): Record<string, number> {
  if (ended === undefined) return before;
  const { status, at } = ended;
  return {
    ...{ ...before, last_exit_status: status, last_end_timestamp_seconds: at },
    ...(status <= 1 ? { last_completion_timestamp_seconds: at } : {}),
    ...(status === 0 ? { last_success_timestamp_seconds: at } : {}),
  };
}

const mark = "# HELP eventload_";

/** @returns how the last runs ended, from a text of metrics; undefined if it is something else */
export function lastRunsIn(text: string): Record<string, number> | undefined {
  if (text !== "" && !text.startsWith(mark)) return undefined;
  const found = text.matchAll(/^eventload_(last_\w+)\{.*\} (\S+)$/gm);
  return Object.fromEntries(Array.from(found, ([, name, value]) => [name, Number(value)]));
}

/** A run in Prometheus' text format, version 0.0.4, without times, which the textfile collector refuses. */
export function renderMetrics(run: MeasuredRun): string {
  const lines = metricsOf(run).flatMap(([name, help, value = []]) => {
    const samples: Samples = typeof value === "number" ? [[{}, value]] : value;
    if (samples.length === 0) return [];
    return [
      `${mark}${name} ${help}`,
      `# TYPE eventload_${name} ${name.endsWith("_total") ? "counter" : "gauge"}`,
      ...samples.map(([labels, sample]) => {
        const all = Object.entries({ run: run.name, ...labels });
        return `eventload_${name}{${all.map(labelText).join(",")}} ${sample}`;
      }),
    ];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function labelText([name, value]: readonly [string, string]): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  return `${name}="${escaped}"`;
}
