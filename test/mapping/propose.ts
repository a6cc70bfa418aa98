import { inferMapping, type SampleTable } from "../../src/mapping/infer/infer-mapping.ts";
import { writeMapping } from "../../src/mapping/infer/write-mapping.ts";

type Rows = readonly (readonly string[])[];

/** What is inferred from a whole table in 2026. */
export function infer(
  columns: readonly string[],
  rows: Rows = [],
  more: Partial<SampleTable> = {},
) {
  const rowNumbers = rows.map((_, at) => at + 1);
  return inferMapping({ columns, rows, rowNumbers, isWhole: true, thisYear: 2026, ...more });
}

export function membersOf(columns: readonly string[], rows?: Rows): string[] {
  return infer(columns, rows).members.map(({ member }) => member);
}

/** The mapping that is proposed for a whole table. */
export function proposed(columns: readonly string[], rows: Rows, maskSamples = false): string {
  const options = { schema: "s.json", about: [], maskSamples, isAnswered: true };
  return writeMapping(infer(columns, rows), options);
}

/** The lines that a table of one column gets below `members:`. */
export function linesFor(header: string, cells: readonly string[], maskSamples = false): string[] {
  const rows = cells.map((cell) => [cell]);
  const [, members = ""] = proposed([header], rows, maskSamples).split("\nmembers:\n");
  return members.trimEnd().split("\n");
}

/** Pairs such as `this > that`, separated by a |. */
export function pairsOf(text: string): [given: string, expected: string][] {
  return text
    .split(/[|\n]/)
    .map((pair) => pair.split(" > ").map((part) => part.trim()))
    .flatMap(([given = "", expected = ""]) => (given === "" ? [] : [[given, expected]]));
}
