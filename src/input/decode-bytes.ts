import { cannotStart } from "../model/errors.ts";
import { lookAhead } from "./look-ahead.ts";
import { transcode } from "./transcode.ts";
import { validateUtf8 } from "./validate-utf8.ts";

/** The text of an input as UTF-8, without byte order mark. */
export interface DecodedBytes {
  readonly chunks: AsyncGenerator<Buffer>;
  /** As people call it. */
  readonly encoding: string;
  /** Whether the chunks are the very bytes of the input, so that an offset in them is one in it. */
  readonly isVerbatim: boolean;
  /** Bytes before the first of them. */
  readonly offset: number;
  /** What is odd, but no reason to stop. */
  readonly warnings: readonly string[];
}

/**
 * Detects the encoding by the byte order mark; without one it is the given encoding, or UTF-8.
 *
 * @throws CannotStartError if it looks like an encoding that has to be given, or is not supported
 */
export async function decodeBytes(
  name: string,
  chunks: AsyncIterable<Buffer>,
  given: string | undefined,
): Promise<DecodedBytes> {
  const beginning = lookAhead(chunks);
  while (beginning.head.length < longestMark && !beginning.isWhole) await beginning.more();
  const { head } = beginning;
  const mark = marks.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (mark?.encoding === "UTF-32") throw cannotStart("encoding_unsupported", name, mark.encoding);
  const label = given === undefined ? "utf-8" : new TextDecoder(given).encoding;
  if (mark === undefined && given === undefined) {
    const guess = wideWithoutMark(head);
    if (guess !== undefined) throw cannotStart("encoding_needed", name, guess);
  }
  const encoding = mark?.encoding ?? asPeopleCallIt(label);
  const offset = mark?.bytes.length ?? 0;
  const body = beginning.all(offset);
  const warnings =
    given === undefined || asPeopleCallIt(label) === encoding
      ? []
      : [`${name} begins with the mark of ${encoding}, so it is read as that, not as ${given}.`];
  if (encoding === "UTF-8") {
    const verbatim = validateUtf8(body, { offset, line: 1 });
    return { chunks: verbatim, encoding, isVerbatim: true, offset, warnings };
  }
  const chunksOf = transcode(body, encoding, offset);
  return { chunks: chunksOf, encoding, isVerbatim: false, offset, warnings };
}

const longestMark = 4;

/** The longer ones first: that of UTF-32 begins like one of UTF-16. */
const marks = [
  { encoding: "UTF-32", bytes: Buffer.from([0xff, 0xfe, 0, 0]) },
  { encoding: "UTF-32", bytes: Buffer.from([0, 0, 0xfe, 0xff]) },
  { encoding: "UTF-8", bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "UTF-16LE", bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: "UTF-16BE", bytes: Buffer.from([0xfe, 0xff]) },
];

/** Two characters of ASCII in UTF-16: every other byte is nothing. */
function wideWithoutMark(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  const [a, b, c, d] = head;
  if (a && b === 0 && c && d === 0) return "utf-16le";
  if (a === 0 && b && c === 0 && d) return "utf-16be";
  return undefined;
}

function asPeopleCallIt(label: string): string {
  return label.startsWith("utf-") ? label.toUpperCase() : label;
}
