import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { writeAtomically } from "../../model/disk/atomic-file.ts";
import { isOursAt } from "../../model/disk/exists.ts";
import { reasonOf, refuseWrite } from "../../model/errors.ts";
import { nightFates } from "../../model/night-fates.ts";
import { outcomeStatuses } from "../../model/outcome.ts";
import type {
  Differences,
  ImportNotice,
  ImportProgress,
  RunSummary,
  SendProgress,
} from "../../model/run-events.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import type { GivenValue } from "../options/arguments.ts";

/** Writes the metrics of a run to a file for node_exporter's textfile collector. */
export type MetricsFile = ReturnType<typeof createMetricsFile>;

interface MeasuredRun {
  /** Distinguishes the import from others on the machine; the same every night. */
  readonly name: string;
  readonly startedAtSeconds: number;
  labels: Labels;
  sent?: SendProgress;
  differences?: Differences;
  ended?: { atSeconds: number; status: number; reason: string; summary: RunSummary | undefined };
  /** When and how runs last ended, by metric. */
  last?: Readonly<Record<string, number>>;
}

type Labels = Readonly<Record<string, string>>;

const everyMs = 60_000;
/** The collector runs as another user, and may read at any moment. The file holds no personal data. */
const [readableByAll, openToAll] = [0o644, 0o755];

/** Nothing is written before the first update or the end, so that the metrics also show a run that cannot start. */
export function createMetricsFile(setting: GivenValue, clock: Pick<Clock, "date" | "schedule">) {
  const { value: path } = setting;
  const startedAtSeconds = clock.date().getTime() / 1000;
  const run: MeasuredRun = { name: basename(path, ".prom"), startedAtSeconds, labels: {} };
  // Why a run cannot start is said already.
  let tell = (_: string) => {};
  let stopWaiting: (() => void) | undefined;
  let writing = Promise.resolve();

  const readLast = async () => {
    await makeFolderOf(path, openToAll);
    const isThere = await isOursAt(path, metricsBeginnings, "--metrics-file");
    const text = isThere ? await readFile(path, "utf8") : "";
    const found = text.matchAll(/^eventload_(last_\w+)\{.*\} (\S+)$/gm);
    return Object.fromEntries(Array.from(found, ([, name, value]) => [name, Number(value)]));
  };
  /** Writes come one after another, as each replaces the file. */
  const write = () => {
    writing = writing.then(async () => {
      try {
        run.last ??= await readLast();
        await writeAtomically(path, renderMetrics(run), readableByAll).catch(refuseWrite(path));
      } catch (error) {
        tell(`the metrics are not updated: ${reasonOf(error)}`);
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
     * @param warn called once if it can no longer be written, which does not stop the run
     * @throws CannotStartError if it may not
     */
    async prepare(labels: Labels, warn: (message: string) => void) {
      run.labels = labels;
      await readLast().catch(refuseWrite(path));
      tell = warn;
    },
    /** Writes the file for the first time when sending begins, and then every minute with the latest progress. */
    update(news: ImportProgress | ImportNotice) {
      const isSending = "phase" in news && news.phase === "send";
      // Until it is known what parts before it did, the file says that.
      const isBegun = stopWaiting !== undefined || run.labels.command !== "import";
      const isFirst = isSending ? run.sent === undefined : !isBegun;
      if (isSending) run.sent = news;
      if ("kind" in news && news.kind === "night") run.differences = news.differences;
      if (run.ended !== undefined || !isFirst) return;
      stopWaiting?.();
      writeOn();
    },
    /** Writes the file for the last time; only the first call counts. Another run that has the lock writes on. */
    async end(status: number, reason: string, summary?: RunSummary) {
      if (run.ended !== undefined) return;
      stopWaiting?.();
      run.ended = { atSeconds: clock.date().getTime() / 1000, status, reason, summary };
      if (reason !== "locked") await write();
    },
  };
}

/** What begins a file that a run wrote; before there were words of help, its types. */
const metricsBeginnings = ["# HELP eventload_", "# TYPE eventload_"];

/** What metrics hold, in the order of the file. A counter has a name that ends in `_total`. */
const metricHelp = {
  run_info: "The run: its command, input, results and target, and at its end why it ended.",
  running: "Whether a run is in progress (1).",
  start_timestamp_seconds: "When the last run began.",
  last_exit_status: "The exit status of the last run that ended.",
  last_end_timestamp_seconds: "When a run last ended; 0 if none has.",
  last_success_timestamp_seconds: "When a run last ended with 0; 0 if none has.",
  rows: "Rows of the input, once a check has counted them.",
  rows_ended: "Rows of which each event has its outcome.",
  events: "Lines of the results by status, and rows that have not settled.",
  keys: "Ordering keys of a night, as its input differed from what the service had.",
  attempts_total: "Requests in all parts of the account.",
  retries_total: "Those of them that were not the first of their event.",
  unanswered_total: "Those of them without an answer.",
  in_flight: "Requests in flight.",
};

type MetricSample = readonly [
  name: keyof typeof metricHelp,
  value: number | undefined,
  labels?: Labels,
];

/** A run in Prometheus' text format, version 0.0.4, without times, which the textfile collector refuses. */
export function renderMetrics({ name: run, labels, sent, ended, ...more }: MeasuredRun): string {
  const { startedAtSeconds, last = {} } = more;
  const { summary, status, reason = "", atSeconds } = ended ?? {};
  const results = summary?.results === undefined ? {} : { results: basename(summary.results) };
  const counts = summary?.counts ?? sent?.counts;
  const differences = summary?.differences ?? more.differences;
  const atEnd = summary && { ...summary, retries: summary.sending?.retries ?? 0 };
  const { attempts, retries, unanswered } = atEnd ?? sent?.attemptsSoFar ?? {};
  const succeededAt = status === 0 ? atSeconds : last.last_success_timestamp_seconds;
  /** A sample whose value is not known is left out. */
  const samples: MetricSample[] = [
    ["run_info", 1, { ...labels, ...results, exit_reason: reason }],
    ["running", ended === undefined ? 1 : 0],
    ["start_timestamp_seconds", startedAtSeconds],
    ["last_exit_status", status ?? last.last_exit_status],
    ["last_end_timestamp_seconds", atSeconds ?? last.last_end_timestamp_seconds ?? 0],
    ["last_success_timestamp_seconds", succeededAt ?? 0],
    ["rows", summary?.rows ?? sent?.rowsTotal],
    ["rows_ended", status === 0 || status === 1 ? summary?.rows : sent?.rowsEnded],
    ...outcomeStatuses.map((one): MetricSample => ["events", counts?.[one], { status: one }]),
    ...nightFates.map((fate): MetricSample => ["keys", differences?.[fate], { fate }]),
    ["attempts_total", attempts],
    ["retries_total", retries],
    ["unanswered_total", unanswered],
    ["in_flight", ended === undefined ? (sent?.sending.inFlight ?? 0) : 0],
  ];
  const known = samples.filter(([, value]) => value !== undefined);
  const lines = known.map(([name, value, own], at) => {
    const kind = name.endsWith("_total") ? "counter" : "gauge";
    const full = `eventload_${name}`;
    const head = `# HELP ${full} ${metricHelp[name]}\n# TYPE ${full} ${kind}\n`;
    const all = Object.entries({ run, ...own }).map(([label, text]) => {
      return `${label}="${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
    });
    return `${name === known[at - 1]?.[0] ? "" : head}${full}{${all.join(",")}} ${value}\n`;
  });
  return lines.join("");
}
