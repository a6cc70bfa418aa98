import { cannotStart } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { detectDelimiter } from "./detect-delimiter.ts";
import { type LookAhead, lookAhead, unreadable } from "./look-ahead.ts";

/** An input from its first record on, and how its records are to be parsed. */
export interface Preamble {
  readonly chunks: AsyncGenerator<Buffer>;
  /** Bytes above the first record. */
  readonly bytes: number;
  /** The physical line, from 1, on which the first record starts. */
  readonly line: number;
  readonly delimiter: string;
  readonly quote: string;
}

/**
 * Skips what stands above the first record, and detects the delimiter unless it is given.
 *
 * @param mayPause whether more may be long in coming
 * @throws CannotStartError if there are too few lines, or the delimiter has to be given
 */
export async function readPreamble(
  name: string,
  decoded: AsyncIterable<Buffer>,
  { skipLines = 0, delimiter: given, quote = '"' }: Reading,
  mayPause: boolean,
): Promise<Preamble> {
  const text = lookAhead(decoded);
  const skipped = await skip(text, skipLines);
  if (skipped === undefined) {
    if (text.broken) throw unreadable(text.broken.error, 1);
    throw cannotStart("input_too_short", name, skipLines);
  }
  for (; ; await nextLine(text)) {
    const { head, isWhole } = text;
    const separator = separatorLine(head, isWhole);
    if (separator === "more") continue;
    const above = separator?.end ?? 0;
    const line = 1 + skipLines + (separator === undefined ? 0 : 1);
    const from = { bytes: skipped + above, line, quote };
    const chosen = given ?? separator?.delimiter;
    if (chosen !== undefined) return { ...from, chunks: text.all(above), delimiter: chosen };
    const found = detectDelimiter(head.toString("utf8", above), quote, isWhole, line, mayPause);
    if (found === undefined) continue;
    if (found.delimiter !== undefined) {
      return { ...from, chunks: text.all(above), delimiter: found.delimiter };
    }
    if (text.broken) throw unreadable(text.broken.error, line);
    throw cannotStart("delimiter_unclear", name, found.why);
  }
}

/** Reads another line, or twice as much of a long one. */
async function nextLine(text: LookAhead): Promise<void> {
  const before = text.head.length;
  const hasNewLine = () => /[\r\n]/.test(text.head.toString("latin1", before));
  do await text.more();
  while (!text.isWhole && text.head.length < 2 * before && !hasNewLine());
}

/**
 * Drops the first lines as they arrive, as they may be long.
 *
 * @returns their bytes, or undefined if there are not as many
 */
async function skip(text: LookAhead, lines: number): Promise<number | undefined> {
  let bytes = 0;
  for (let left = lines; left > 0; ) {
    const { head, isWhole } = text;
    const end = endOfLine(head, isWhole);
    if (end === undefined && isWhole) return undefined;
    const dropped = end ?? (head.at(-1) === carriageReturn ? head.length - 1 : head.length);
    text.drop(dropped);
    bytes += dropped;
    if (end === undefined) await text.more();
    else left--;
  }
  return bytes;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Where the second line begins, or undefined if the first is not known to end. */
function endOfLine(head: Buffer, isWhole: boolean): number | undefined {
  const at = head.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
  if (at < 0) return undefined;
  if (head[at] === lineFeed) return at + 1;
  if (at + 1 === head.length && !isWhole) return undefined; // a line feed may follow
  return at + (head[at + 1] === lineFeed ? 2 : 1);
}

/** A line `sep=;`, which gives spreadsheet programs the delimiter, and where it ends. */
function separatorLine(
  head: Buffer,
  isWhole: boolean,
): { readonly delimiter: string; readonly end: number } | "more" | undefined {
  const start = head.toString("latin1", 0, longestSeparatorLine);
  const [line, delimiter] = /^"?sep=([^\r\n"])"?(?:\r\n|\r(?!\n)|\n)/i.exec(start) ?? [];
  const mayFollow = !isWhole && start.length < longestSeparatorLine;
  if (mayFollow && /^"?(s(ep?)?)?$|^"?sep=.?"?\r?$/i.test(start)) return "more";
  return line === undefined || delimiter === undefined
    ? undefined
    : { delimiter, end: line.length };
}

/** `"sep=;"` and its line end. */
const longestSeparatorLine = 9;
