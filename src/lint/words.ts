import { count } from "../model/quantities.ts";

/**
 * What each finding says, by its kind: what was found and what to do. `{cells}` and `{rows}` are how many it is about,
 * `[one|several]` is what fits that number, `{example}` the first cell, and another word in braces is an argument.
 */
const words = {
  scientific_numbers:
    "{cells} [holds a number|hold numbers] with an exponent, which is how spreadsheet programs write long ones: the digits that are not shown are lost. Get the column from the source of the file, as text",
  long_numbers:
    "{cells} [holds a long number|hold long numbers] with nothing but zeros after its first 15 digits, which are all that spreadsheet programs keep: the others seem to be lost. Get the column from the source of the file, as text",
  lost_leading_zeros:
    "{cells} [has|have] fewer digits than the {length} of {others}: leading zeros seem to be lost, as spreadsheet programs do. Get the codes from the source of the file",
  dropped_leading_zeros:
    "{cells} [begins|begin] with a zero, which the number made of [it|them] does not keep: {code} becomes {number}. If it is a code, map it as text",
  mixed_date_order:
    "{cells} [has|have] the {part} first, as in {example}, and others do not: write them all in one order",
  ambiguous_date_order:
    "{cells} [is a date|are dates] in which day or month may come first, as in {example}, and no cell of the column shows which: give the format in the mapping, or write 2024-12-31",
  mixed_date_forms:
    "dates are written in several forms, as in {examples}, and go out as they are: give the list of formats in the mapping, or write them all in one",
  surrounding_spaces: "{cells} [begins or ends|begin or end] with space, which {becomes}",
  null_values:
    "{cells} [holds|hold] text that may mean a missing value ({words}){where}: clear [it|them] if so",
  control_characters:
    "{cells} [has|have] characters that no text has (U+0080 to U+009F, U+FFFD), so letters are damaged: give the --encoding of the file, or get it again from its source",
  double_encoding:
    "{cells} [seems|seem] to be UTF-8 that was read as windows-1252{original}: leave --encoding out if you gave it; else save the file again as UTF-8, from a program that shows its letters right",
  mixed_decimals:
    "numbers have a comma before the fraction, as in {comma}, and a point, as in {point}, and go out as they are: write them in one way",
  mixed_yes_and_no:
    "yes and no are written in several ways ({words}), and go out as they are: map them",
  unlikely_birthdays:
    "{cells} [is a birthday|are birthdays] after this year or before 1900, as in {example}: correct [it|them] (the Buddhist calendar has 543 years more)",
  duplicate_rows:
    "{rows} [is the same as an earlier one and is|are the same as earlier ones and are] sent anyway: remove duplicates that are not intended",
  duplicate_keys:
    "{rows} [has|have] the ordering key of an earlier one, and nearly all others have one of their own: if a key is to be there once, remove the others; they are sent one after another, in file order",
  duplicates_not_searched:
    "{rows} [was|were] compared only with the first {most} different {what}, not with one another",
  first_row:
    "the first row is unlike the others, and seems to name the columns once more: if it does, delete it, or give --skip 1",
  bare_events:
    "{rows} [makes|make] an event that holds nothing but its kind, as the columns that are sent are blank: delete [it|them], or leave [it|them] out with when",
  last_rows:
    "the last [row is|{number} rows are] unlike the others: if [it is a total or a note|they are totals or notes], delete [it|them], or give --limit {limit}",
};

export type FindingKind = keyof typeof words;

/** Findings of damage by a program or by the mapping: an import looks for these too. */
export const damage: ReadonlySet<FindingKind> = new Set<FindingKind>([
  "scientific_numbers",
  "long_numbers",
  "lost_leading_zeros",
  "dropped_leading_zeros",
  "mixed_date_order",
  "control_characters",
  "double_encoding",
]);

export function worded(
  kind: FindingKind,
  found: number,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const all = { cells: count(found, "cell"), rows: count(found, "row"), number: found, ...values };
  return words[kind]
    .replaceAll(/\[([^|\]]*)\|([^\]]*)\]/g, (_, one, several) => (found === 1 ? one : several))
    .replaceAll(/\{(\w+)\}/g, (_, name) => String(all[name as keyof typeof all] ?? ""));
}
