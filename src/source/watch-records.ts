import type { CsvRecord } from "./parse-csv.ts";

/** What a program writes in place of what it could not read. */
const replacement = "\ufffd";

const mostTold = 5;

/**
 * Looks at records for what is odd and no reason to stop.
 *
 * @param warnings to which a sentence is added for what is found
 */
export function watchRecords(
  name: string,
  { delimiter, columnCount }: { readonly delimiter: string; readonly columnCount: number },
  warnings: string[],
): (record: CsvRecord, mayHoldReplacement: boolean) => void {
  let swallowed = 0;
  let hasReplacement = false;
  return ({ line, breaks, cells }, mayHoldReplacement) => {
    if (breaks > 0 && swallowed < mostTold && holdsRows(cells, delimiter, columnCount)) {
      swallowed++;
      warnings.push(
        `${name}: the lines ${line} to ${line + breaks} are one row, as a quote is opened in the first of them, but each looks like a row of its own: is a quote missing there, or one too many?`,
      );
    }
    if (!mayHoldReplacement || hasReplacement) return;
    hasReplacement = cells.some((cell) => cell.includes(replacement));
    if (!hasReplacement) return;
    warnings.push(
      `${name}: the row on line ${line} holds U+FFFD, which some program wrote in place of what it could not read: it is kept, and what stood there has to be got from where the file came from.`,
    );
  };
}

/**
 * Whether every line of a record has as many delimiters as the header. Text of several lines, such as
 * an address, seldom has; with fewer than three columns it may by chance.
 */
function holdsRows(cells: readonly string[], delimiter: string, columnCount: number): boolean {
  if (columnCount < 3) return false;
  return cells
    .join(delimiter)
    .split(/\r\n|\n|\r/)
    .every((text) => text.split(delimiter).length === columnCount);
}
