import { cannotStart } from "./errors.ts";

/** How to read an input, as far as that is given; all else is detected from its content. */
export interface Reading {
  /** Any label that `TextDecoder` knows, such as `windows-1252`. */
  readonly encoding?: string;
  /** What stands between the cells. */
  readonly delimiter?: string;
  /** The character around cells that hold a delimiter; `""` where there is none. */
  readonly quote?: string;
  /** Whether the first line names the columns; default yes. Else they are `1`, `2`, … */
  readonly header?: boolean;
  /** Lines above the header that are left out; default none. */
  readonly skipLines?: number;
  /** The longest that a record may be; default 1 MiB. */
  readonly maxRecordBytes?: number;
  /** Whether a cell with very many lines that look like rows is accepted; default no. */
  readonly mayHoldRows?: boolean;
  /** Name or number (from 1) of a workbook's sheet. */
  readonly sheet?: string;
}

/** A reading as it is given to a command. */
export interface GivenReading extends Reading {
  /** What counts where neither this nor the mapping says how to read. */
  readonly fallback?: Reading;
}

/** How an input is read: as given, else as its mapping says, else by the fallback. */
export function resolveReading({ fallback, ...given }: GivenReading, ofMapping: Reading): Reading {
  return { ...fallback, ...ofMapping, ...given };
}

/** The longest that a record may be, by default. */
export const usualRecordBytes = 1024 * 1024;

/** The most that can be allowed: a record has to fit into one string several times over. */
export const recordBytesLimit = 64 * usualRecordBytes;

/** A part of a {@link Reading} that cannot be used, and why: the end of a sentence. */
export interface ReadingProblem {
  readonly option: keyof Reading;
  readonly why: string;
}

/** Finds the first part of a reading that makes no sense. */
export function findReadingProblem(reading: Reading): ReadingProblem | undefined {
  const { encoding, delimiter, quote, header, skipLines, maxRecordBytes, mayHoldRows, sheet } =
    reading;
  const found: { [option in keyof Reading]-?: string | undefined } = {
    encoding: encoding === undefined ? undefined : whyNoEncoding(encoding),
    delimiter: delimiter === undefined ? undefined : whyNoDelimiter(delimiter),
    quote: quote === undefined ? undefined : whyNoQuote(quote, delimiter),
    header: [undefined, true, false].includes(header) ? undefined : "it is neither true nor false",
    skipLines: isWhole(skipLines ?? 0, 0) ? undefined : `${skipLines} is not a whole number from 0`,
    maxRecordBytes: isWhole(maxRecordBytes ?? 1, 1, recordBytesLimit)
      ? undefined
      : `${maxRecordBytes} is not a whole number from 1 to ${recordBytesLimit}`,
    mayHoldRows: [undefined, true, false].includes(mayHoldRows)
      ? undefined
      : "it is neither true nor false",
    sheet: sheet === undefined || isText(sheet) ? undefined : "it is no name of a sheet",
  };
  for (const [option, why] of Object.entries(found)) {
    if (why !== undefined) return { option: option as keyof Reading, why };
  }
  return undefined;
}

/**
 * The name of an encoding by any of its labels: those of the WHATWG Encoding Standard, and the code pages
 * of DOS that it lacks.
 *
 * @throws RangeError if nobody knows it
 */
export function encodingNamed(label: string): string {
  const [, codePage] = /^\s*(?:cp|ibm)(437|850|852)\s*$/i.exec(label) ?? [];
  return codePage === undefined ? new TextDecoder(label).encoding : `cp${codePage}`;
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
  if (!isText(delimiter)) return "it is blank";
  return /[\r\n"]/.test(delimiter) ? "it cannot hold a line end or a double quote" : undefined;
}

function whyNoQuote(quote: string, delimiter: string | undefined): string | undefined {
  if (typeof quote !== "string" || [...quote].length > 1 || /[\r\n]/.test(quote)) {
    return "it has to be one character";
  }
  return quote !== "" && delimiter?.includes(quote) ? "it is in the delimiter too" : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isWhole(value: number, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** @throws CannotStartError naming the part of it that makes no sense */
export function checkReading(reading: Reading = {}): void {
  const found = findReadingProblem(reading);
  if (found !== undefined) {
    throw cannotStart("option_invalid", `reading.${found.option}`, found.why);
  }
}
