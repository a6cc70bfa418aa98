const lineFeed = 0x0a;
const quote = 0x22;

/**
 * Where the records of a CSV text end, one after another. A line feed ends a record unless an odd
 * number of quotes stands before it, as quotes inside a cell are doubled.
 */
export function* recordEnds(csv: Buffer): Generator<number> {
  let isQuoted = false;
  let nextQuote = csv.indexOf(quote);
  for (let end = csv.indexOf(lineFeed); end >= 0; end = csv.indexOf(lineFeed, end + 1)) {
    while (nextQuote >= 0 && nextQuote < end) {
      isQuoted = !isQuoted;
      nextQuote = csv.indexOf(quote, nextQuote + 1);
    }
    if (!isQuoted) yield end + 1;
  }
}
