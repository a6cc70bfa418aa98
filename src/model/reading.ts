/** How to read an input, as far as that is given; all else is detected from its content. */
export interface Reading {
  /** Any label that `TextDecoder` knows, such as `windows-1252`. */
  readonly encoding?: string;
  readonly delimiter?: string;
  /** The character around cells that hold a delimiter; `""` where there is none. */
  readonly quote?: string;
  /** What stands within such a cell before a quote, or before itself, that is text; default nothing. */
  readonly escape?: "\\";
  /** Whether the first line names the columns; default yes. Else they are `1`, `2`, … */
  readonly header?: boolean;
  /** Lines above the header that are left out; default none. */
  readonly skipLines?: number;
  /** The longest that a record may be; default `usualRecordBytes`. */
  readonly maxRecordBytes?: number;
  /** What a row of CSV with fewer cells than the header is: `invalid` (default), or filled up with blank ones. */
  readonly shortRows?: "invalid" | "pad";
  /** Whether rows that a sheet does not show are read; default `read`. */
  readonly hiddenRows?: "read" | "skip";
  /** Whether a cell with very many lines that look like rows is accepted; default no. */
  readonly rowsInCells?: boolean;
  /** Errors of a spreadsheet that are text and no reason to refuse a row, such as `#N/A`; default none. */
  readonly errorsAsText?: readonly string[] | "all";
  /** Name or number (from 1) of a workbook's sheet. */
  readonly sheet?: string;
}

export interface GivenReading extends Omit<Reading, "maxRecordBytes"> {
  /** What counts where neither this nor the mapping says how to read. */
  readonly fallback?: Reading;
}

/** How an input is read: as given, else as its mapping says, else by the fallback. */
export function resolveReading({ fallback, ...given }: GivenReading, ofMapping: Reading): Reading {
  return { ...fallback, ...ofMapping, ...given };
}

/** A record is in memory dozens of times, as cells, event and line of the results. */
export const usualRecordBytes = 2 * 1024 * 1024;

/** The code pages of Windows that the WHATWG Encoding Standard calls by another name. */
const codePages: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  cp936: "gbk",
  cp949: "euc-kr",
  cp950: "big5",
};

/**
 * The name of an encoding by any of its labels: those of the WHATWG Encoding Standard, and the code pages
 * that it lacks.
 *
 * @throws RangeError if nobody knows it
 */
export function encodingNamed(label: string): string {
  const [, codePage] = /^\s*(?:cp|ibm)(437|850|852)\s*$/i.exec(label) ?? [];
  if (codePage !== undefined) return `cp${codePage}`;
  return new TextDecoder(codePages[label.trim().toLowerCase()] ?? label).encoding;
}

export function whyNoEncoding(label: string): string | undefined {
  try {
    encodingNamed(label);
    return undefined;
  } catch {
    return `${JSON.stringify(label)} is not a known encoding; give one such as windows-1252, iso-8859-2, utf-16le or shift_jis`;
  }
}

export function whyNoDelimiter(delimiter: string): string | undefined {
  if (typeof delimiter !== "string" || delimiter === "") return "it is blank";
  return /[\r\n"]/.test(delimiter) ? "it cannot hold a line end or a double quote" : undefined;
}

export interface Dialect
  extends Pick<Reading, "encoding" | "delimiter" | "quote" | "escape" | "sheet"> {
  readonly compression?: "gzip";
}

export interface FilesReadAs {
  readonly name: string;
  readonly dialect: Dialect;
}

/** The dialect of most inputs, which is not worth a line. */
const usualDialect: Dialect = { encoding: "UTF-8", delimiter: ",", quote: '"' };

/** For people: `UTF-8, delimiter ;`; undefined for the dialect of most inputs. */
export function describeDialect(dialect: Dialect): string | undefined {
  const { encoding, delimiter, quote, escape: before, compression, sheet } = dialect;
  const isPlain = Object.entries(dialect).every(
    ([part, value]) => value === undefined || value === usualDialect[part as keyof Dialect],
  );
  if (isPlain) return undefined;
  const parts = [
    compression,
    encoding,
    delimiter === undefined ? undefined : `delimiter ${shownDelimiter(delimiter)}`,
    quote === undefined || quote === usualDialect.quote ? undefined : quoteWords(quote),
    before === undefined ? undefined : `escape ${before}`,
    sheet === undefined ? undefined : `sheet ${JSON.stringify(sheet)}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function shownDelimiter(delimiter: string): string {
  const name = nameOfDelimiter(delimiter);
  return /\s/.test(name) ? JSON.stringify(name) : name;
}

/** A delimiter as a person would type it after `--delimiter`. */
export function nameOfDelimiter(delimiter: string): string {
  const words: Record<string, string> = { "\t": "tab", " ": "space" };
  return words[delimiter] ?? delimiter;
}

const delimiterWords: ReadonlyMap<string, string> = new Map([
  ["comma", ","],
  ["semicolon", ";"],
  ["tab", "\t"],
  ["\\t", "\t"],
  ["pipe", "|"],
  ["space", " "],
]);

/** What a person means who names a delimiter. */
export function delimiterOf(typed: string): string {
  return delimiterWords.get(typed.toLowerCase()) ?? typed;
}

function quoteWords(quote: string): string {
  return quote === "" ? "no quotes" : `quote ${quote}`;
}
