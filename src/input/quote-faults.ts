import { InputDamagedError } from "../model/errors.ts";
import type { CsvDialect, QuoteFault } from "./csv-record.ts";

/** What a wrong encoding makes of a byte order mark, or of characters of UTF-16. */
const misreadMarks = /^(?:\ufeff|\u00ef\u00bb\u00bf|\ufffd|\0)+$/;

/**
 * Whether a quote in a cell that does not begin with one is certainly text: it stands within, or is one of inches or
 * seconds (24", 37°36'37.8").
 */
export function isQuoteText(cell: string, quote: string): boolean {
  const before = cell.slice(0, cell.indexOf(quote));
  if (before.trim() === "" || misreadMarks.test(before)) return false;
  const end = cell.trimEnd();
  const isPaired = cell.split(quote).length % 2 === 1;
  return isPaired || !end.endsWith(quote) || /[\p{N}'’′]$/u.test(end.slice(0, -quote.length));
}

/** How a file may be meant of which a cell begins like this: the end of a sentence. */
function perhapsMeant(written: string, csv: CsvDialect): string | undefined {
  const { delimiter, quote, escape: before } = csv;
  if (before === undefined && written.includes(`\\${quote}`)) {
    return 'if a backslash stands before each quote that is text, write input: { escape: "\\\\" } in the mapping';
  }
  return written.startsWith(" ") && written.trimStart().startsWith(quote)
    ? `if a space follows each delimiter, give --delimiter '${delimiter} '`
    : undefined;
}

/** `line 2, column 9`: where in the file what follows this text in its record is. */
export function placeInText(before: string, firstLine: number): string {
  const lines = before.split(/\r\n|\n|\r/);
  const column = [...(lines.at(-1) ?? "")].length + 1;
  return `line ${firstLine + lines.length - 1}, column ${column}`;
}

/** Why nothing can be read from a record on, because of its quotes. */
export function quoteDamage(fault: QuoteFault, csv: CsvDialect, line: number): InputDamagedError {
  const { cell, place } = fault;
  const whose = `cell ${cell} of the row that starts on line ${line}`;
  return new InputDamagedError(
    line,
    `${place ?? `line ${line}`}: ${whose} ${quoteProblem(fault, csv)} (quote: none in eventload.yaml, if quotes mean nothing in this file).`,
  );
}

export function quoteProblem({ kind, written }: QuoteFault, csv: CsvDialect): string {
  const { quote, escape: before } = csv;
  const [marks, misused] =
    before === undefined
      ? [`double the quotes (${quote}) that are`, ""]
      : [
          `write ${before} before each ${quote} and ${before} that is`,
          `, or ${quote}${quote} or a single ${before} within them`,
        ];
  const double = `put the cell in quotes and ${marks} part of its text`;
  const what = {
    text: `has a quote (${quote}) in its text`,
    unclosed: `is opened by a quote (${quote}) that is never closed: close it, or ${double}`,
    stray: `has text, a space or a byte order mark before or after its quotes (${quote})${misused}: remove it, or ${double}`,
  }[kind];
  const perhaps = perhapsMeant(written ?? "", csv);
  return perhaps === undefined ? what : `${what}; ${perhaps}`;
}
