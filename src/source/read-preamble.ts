import { cannotStart } from "../domain/errors.ts";
import { findDelimiter } from "./find-delimiter.ts";
import { type LookAhead, lookAhead } from "./look-ahead.ts";
import type { Reading } from "./reading.ts";
import { unreadable } from "./unreadable.ts";

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
 * Leaves out what stands above the first record and finds the delimiter, as far as it was not said.
 *
 * @throws CannotStartError where there are too few lines, or the delimiter has to be said
 */
export async function readPreamble(
  name: string,
  decoded: AsyncIterable<Buffer>,
  { skipLines = 0, delimiter: given, quote = '"' }: Reading,
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
    const found = findDelimiter(head.toString("utf8", above), quote, isWhole, line);
    switch (found.kind) {
      case "more":
        continue;
      case "unclear":
        if (text.broken) throw unreadable(text.broken.error, line);
        throw cannotStart("delimiter_unclear", name, found.why);
      case "delimiter":
        return { ...from, chunks: text.all(above), delimiter: found.delimiter };
      default:
        found satisfies never;
    }
  }
}

/** Reads until there is something new to find: a line more, or a good deal of a long one. */
async function nextLine(text: LookAhead): Promise<void> {
  const before = text.head.length;
  const hasNewLine = () => /[\r\n]/.test(text.head.toString("latin1", before));
  do await text.more();
  while (!text.isWhole && text.head.length < 2 * before && !hasNewLine());
}

/**
 * Drops the first lines, as they come: nobody knows how long they are.
 *
 * @returns their bytes, or nothing where there are not as many
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

/** Where the second line begins, or nothing where the first is not known to end. */
function endOfLine(head: Buffer, isWhole: boolean): number | undefined {
  const at = head.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
  if (at < 0) return undefined;
  if (head[at] === lineFeed) return at + 1;
  if (at + 1 === head.length && !isWhole) return undefined; // a line feed may follow
  return at + (head[at + 1] === lineFeed ? 2 : 1);
}

/** `sep=;`, the line by which spreadsheet programs are told the delimiter. */
function separatorLine(
  head: Buffer,
  isWhole: boolean,
): { readonly delimiter: string; readonly end: number } | "more" | undefined {
  const start = head.toString("latin1", 0, longestSeparatorLine);
  const [line, delimiter] = /^"?sep=([^\r\n])"?(?:\r\n|\r(?!\n)|\n)/i.exec(start) ?? [];
  const mayFollow = !isWhole && start.length < longestSeparatorLine && couldBegin(start);
  if (mayFollow && (line === undefined || line.length === start.length)) return "more";
  if (delimiter === undefined || line === undefined) return undefined;
  return { delimiter, end: line.length };
}

const longestSeparatorLine = 10;

function couldBegin(start: string): boolean {
  const plain = start.replace(/^"/, "").toLowerCase();
  return plain.startsWith("sep=") || "sep=".startsWith(plain);
}
