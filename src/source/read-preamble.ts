import { cannotStart } from "../domain/errors.ts";
import { findDelimiter } from "./find-delimiter.ts";
import { lookAhead } from "./look-ahead.ts";
import type { Reading } from "./reading.ts";

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
  for (; ; await nextLine(text)) {
    const { head, isWhole } = text;
    const skipped = skip(head, skipLines, isWhole);
    if (skipped === undefined) {
      if (isWhole) throw cannotStart("input_too_short", name, skipLines);
      continue;
    }
    const separator = separatorLine(head, skipped, isWhole);
    if (separator === "more") continue;
    const bytes = separator?.end ?? skipped;
    const line = 1 + skipLines + (separator === undefined ? 0 : 1);
    const from = { bytes, line, quote };
    const chosen = given ?? separator?.delimiter;
    if (chosen !== undefined) return { ...from, chunks: text.all(bytes), delimiter: chosen };
    const found = findDelimiter(head.toString("utf8", bytes), quote, isWhole, line);
    switch (found.kind) {
      case "more":
        continue;
      case "unclear":
        throw cannotStart("delimiter_unclear", name, found.why);
      case "delimiter":
        return { ...from, chunks: text.all(bytes), delimiter: found.delimiter };
      default:
        found satisfies never;
    }
  }
}

/** Reads until there is something new to find: a line more, or a good deal of a long one. */
async function nextLine(text: ReturnType<typeof lookAhead>): Promise<void> {
  const before = text.head.length;
  const hasNewLine = () => /[\r\n]/.test(text.head.toString("latin1", before));
  do await text.more();
  while (!text.isWhole && text.head.length < 2 * before && !hasNewLine());
}

/** Bytes of the first lines, or nothing where they are not all there. */
function skip(head: Buffer, lines: number, isWhole: boolean): number | undefined {
  let at = 0;
  for (let left = lines; left > 0; left--) {
    const end = endOfLine(head, at, isWhole);
    if (end === undefined) return undefined;
    at = end;
  }
  return at;
}

/** Where the next line begins, or nothing where the line is not known to end. */
function endOfLine(head: Buffer, from: number, isWhole: boolean): number | undefined {
  const rest = head.subarray(from);
  const at = rest.findIndex((byte) => byte === 0x0a || byte === 0x0d);
  if (at < 0) return undefined;
  if (rest[at] === 0x0a) return from + at + 1;
  if (at + 1 === rest.length && !isWhole) return undefined; // a line feed may follow
  return from + at + (rest[at + 1] === 0x0a ? 2 : 1);
}

/** `sep=;`, the line by which spreadsheet programs are told the delimiter. */
function separatorLine(
  head: Buffer,
  from: number,
  isWhole: boolean,
): { readonly delimiter: string; readonly end: number } | "more" | undefined {
  const start = head.toString("latin1", from, from + longestSeparatorLine);
  const [line, delimiter] = /^"?sep=([^\r\n])"?(?:\r\n|\r(?!\n)|\n)/i.exec(start) ?? [];
  const mayFollow = !isWhole && start.length < longestSeparatorLine && couldBegin(start);
  if (mayFollow && (line === undefined || line.length === start.length)) return "more";
  if (delimiter === undefined || line === undefined) return undefined;
  return { delimiter, end: from + line.length };
}

const longestSeparatorLine = 10;

function couldBegin(start: string): boolean {
  const plain = start.replace(/^"/, "").toLowerCase();
  return plain.startsWith("sep=") || "sep=".startsWith(plain);
}
