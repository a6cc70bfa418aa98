const sampleLine = /^([a-z_]+)\{(.*)\} ([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/s;
const oneLabel = /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/gsy;

/**
 * Reads metrics in Prometheus' text format, and throws where they keep one of its rules only almost: HELP and
 * TYPE once and before the samples, no sample twice, `_total` for counters alone, no times.
 */
export function parsePrometheusText(text: string) {
  const [before, ...metrics] = text.split("# HELP ");
  const names = metrics.map((metric) => metric.slice(0, metric.indexOf(" ")));
  if (before !== "" || !text.endsWith("\n") || new Set(names).size < names.length) {
    throw new Error("a metric without HELP, in two places, or without an end");
  }
  return metrics.flatMap((metric) => {
    const [help = "", head = "", ...lines] = metric.slice(0, -1).split("\n");
    const [name = ""] = help.split(" ");
    const type = head.replace(`# TYPE ${name} `, "");
    if (type !== (name.endsWith("_total") ? "counter" : "gauge")) {
      throw new Error(`of another type: ${type}`);
    }
    if (new Set(lines.map((line) => line.replace(/ \S+$/, ""))).size < lines.length) {
      throw new Error(`a sample twice: ${metric}`);
    }
    return lines.map((line) => {
      const [, own, inBraces = "", value] = sampleLine.exec(line) ?? [];
      const labels = [...inBraces.matchAll(oneLabel)].map(([, name, text = ""]) => [
        ...[name, text.replace(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter))],
      ]);
      const read = inBraces.replaceAll(oneLabel, "");
      if (own !== name || read !== "") throw new Error(`no sample of ${name}: ${line}`);
      return { name, labels: Object.fromEntries(labels), value: Number(value) };
    });
  });
}
