/** A metric of Prometheus with its samples. */
export interface Metric {
  /** In base units, and ending in `_total` where it is a counter. */
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
