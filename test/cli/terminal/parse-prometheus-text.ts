/** A sample by its labels. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const names = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const labelValue = '"((?:[^"\\\\\\n]|\\\\["\\\\n])*)"';
const number = "[+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)";

/**
 * Reads Prometheus' text format, and throws where it keeps one of its rules only almost: HELP and TYPE
 * once and before the samples, which stand together; no sample twice; no times.
 */
export function parsePrometheusText(text: string): ParsedSample[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const samples: ParsedSample[] = [];
  const seen = new Set<string>();
  const helped = new Set<string>();
  let current: { name: string; type: string } | undefined;
  const lines = text.slice(0, -1).split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fail = (why: string) => new Error(`line ${at + 1}, ${why}: ${line}`);
    const help = new RegExp(`^# HELP (${names}) (?:[^\\\\]|\\\\[\\\\n])*$`).exec(line)?.[1];
    if (help !== undefined) {
      if (helped.has(help)) throw fail("a metric in two places");
      helped.add(help);
      const type = /^# TYPE (\S+) (gauge|counter)$/.exec(lines[++at] ?? "");
      if (type?.[1] !== help) throw fail("no TYPE after HELP");
      current = { name: help, type: type[2] ?? "" };
      continue;
    }
    if (current === undefined || line.startsWith("#")) throw fail("neither HELP nor a sample");
    const sample = new RegExp(`^(${names})(?:\\{(.*)\\})? (${number})$`, "s").exec(line);
    if (sample === null) throw fail("no sample");
    const [, name = "", inBraces = "", value = ""] = sample;
    if (name !== current.name) throw fail(`not of ${current.name}`);
    const labels = parseLabels(inBraces);
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw fail("a sample twice");
    seen.add(key);
    samples.push({ name, labels, value: Number(value.replace("Inf", "Infinity")) });
    if (current.type === "counter" && !current.name.endsWith("_total")) throw fail("no _total");
    if (current.type === "gauge" && current.name.endsWith("_total")) throw fail("no counter");
  }
  return samples;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== "") {
    const pair = new RegExp(`^([a-zA-Z_][a-zA-Z0-9_]*)=${labelValue}(?:,(?=.)|$)`, "s").exec(rest);
    if (pair === null) throw new Error(`no label: ${rest}`);
    const [whole, name = "", value = ""] = pair;
    if (name in labels) throw new Error(`a label twice: ${name}`);
    labels[name] = value.replace(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
    rest = rest.slice(whole.length);
  }
  return labels;
}
