import type { ConfigEntry, ConfigProblem } from "./config-text.ts";
import { whyNoTarget } from "./why-no-target.ts";

/** What is wrong where a configuration file chooses one of its targets that it does not have. */
export function findMissingTarget(entries: readonly ConfigEntry[]): ConfigProblem | undefined {
  const chosen = entries.find(({ key }) => key === "target");
  if (chosen?.value.kind !== "text") return undefined;
  const names: string[] = [];
  for (const { key, value } of entries) {
    if (key !== "targets") continue;
    // Which names these would be is not known.
    if (value.kind !== "map") return undefined;
    names.push(...value.entries.map((target) => target.key));
  }
  const { text } = chosen.value;
  if (names.includes(text)) return undefined;
  const message = `target: this file ${whyNoTarget(text, names)}`;
  return { ...chosen.valueAt, path: "", message };
}
