/** How an input was read, as given or detected. */
export interface Dialect {
  /** As people call it: `UTF-8`, `windows-1252`. */
  readonly encoding?: string;
  readonly delimiter?: string;
  /** `""` where there is none. */
  readonly quote?: string;
  readonly compression?: "gzip";
  readonly sheet?: string;
}

/** Files that are written in one dialect. */
export interface FilesReadAs {
  readonly name: string;
  readonly dialect: Dialect;
}

/** The dialect of most inputs, which is not worth a line. */
const plain: Dialect = { encoding: "UTF-8", delimiter: ",", quote: '"' };

/** For people: `UTF-8, delimiter ;`; undefined for the dialect of most inputs. */
export function describeDialect(dialect: Dialect): string | undefined {
  const { encoding, delimiter, quote, compression, sheet } = dialect;
  const isPlain = Object.entries(dialect).every(
    ([part, value]) => value === undefined || value === plain[part as keyof Dialect],
  );
  if (isPlain) return undefined;
  const parts = [
    compression,
    encoding,
    delimiter === undefined ? undefined : `delimiter ${nameOfDelimiter(delimiter)}`,
    quote === undefined || quote === plain.quote ? undefined : quoteWords(quote),
    sheet === undefined ? undefined : `sheet ${JSON.stringify(sheet)}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** A delimiter as a person would type it after `--delimiter`. */
export function nameOfDelimiter(delimiter: string): string {
  const words: Record<string, string> = { "\t": "tab", " ": "space" };
  return words[delimiter] ?? delimiter;
}

const delimiterWords: Readonly<Record<string, string>> = {
  comma: ",",
  semicolon: ";",
  tab: "\t",
  "\\t": "\t",
  pipe: "|",
  space: " ",
};

/** What a person means who names a delimiter. */
export function delimiterOf(typed: string): string {
  return delimiterWords[typed.toLowerCase()] ?? typed;
}

function quoteWords(quote: string): string {
  return quote === "" ? "no quotes" : `quote ${quote}`;
}
