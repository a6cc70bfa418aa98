const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface LineCounter {
  /** The physical line, from 1, on which the next byte stands. */
  readonly line: number;
  pass(bytes: Buffer): void;
}

/** Counts lines that end with LF, CRLF or CR, wherever the chunks are cut. */
export function createLineCounter(first: number): LineCounter {
  let line = first;
  let afterReturn = false;
  return {
    get line() {
      return line;
    },
    pass(bytes) {
      for (let at = bytes.indexOf(carriageReturn); at >= 0; ) {
        line++;
        at = bytes.indexOf(carriageReturn, at + 1);
      }
      for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
        const isSecondHalf = at === 0 ? afterReturn : bytes[at - 1] === carriageReturn;
        if (!isSecondHalf) line++;
      }
      if (bytes.length > 0) afterReturn = bytes.at(-1) === carriageReturn;
    },
  };
}
