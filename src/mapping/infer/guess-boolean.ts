import type { ConversionSpec } from "../value-schema.ts";

/** Words for true and false in one column; the first are those that `type: boolean` knows by itself. */
const pairs: readonly (readonly [yes: string, no: string])[] = [
  ["true", "false"],
  ["yes", "no"],
  ["y", "n"],
  ["ja", "nein"],
  ["ja", "nee"],
  ["ja", "nej"],
  ["j", "n"],
  ["wahr", "falsch"],
  ["oui", "non"],
  ["vrai", "faux"],
  ["sí", "no"],
  ["si", "no"],
  ["sì", "no"],
  ["verdadero", "falso"],
  ["vero", "falso"],
  ["sim", "não"],
  ["verdadeiro", "falso"],
  ["waar", "onwaar"],
  ["tak", "nie"],
  ["prawda", "fałsz"],
  ["sant", "falskt"],
];
const known = 3;

/** @param isFlag whether the header says so: then 0 and 1 are no numbers */
export function guessBoolean(
  cells: readonly string[],
  isFlag: boolean,
): ConversionSpec | undefined {
  const words = new Set<string>();
  for (const cell of cells) {
    words.add(cell.trim().toLowerCase());
    if (words.size > 2) return undefined;
  }
  const isWithin = (...pair: readonly string[]) => [...words].every((word) => pair.includes(word));
  if (isWithin("1", "0")) return isFlag ? { type: "boolean" } : undefined;
  const at = pairs.findIndex(
    // One letter alone may be the code of anything.
    (pair) =>
      isWithin(...pair) && (words.size === 2 || [...words].every((word) => word.length > 1)),
  );
  const pair = pairs[at];
  if (pair === undefined) return undefined;
  if (at < known) return { type: "boolean" };
  return { type: "boolean", true_values: [pair[0]], false_values: [pair[1]] };
}
