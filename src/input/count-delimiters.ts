/** A record of which only its delimiters were counted. */
export interface CountedRecord {
  /** The physical line, from 1, on which it starts. */
  readonly line: number;
  readonly isBlank: boolean;
  /** How often each candidate stands in it outside of quotes, in their order. */
  readonly counts: readonly number[];
}

/**
 * Counts what may be delimiters in the first records of a text. A quote opens where a cell begins,
 * whichever of the candidates stands before it.
 *
 * @param isWhole whether the text ends there, so that its last record is complete
 */
export function countDelimiters(
  text: string,
  quote: string,
  candidates: readonly string[],
  isWhole: boolean,
  mostRecords: number,
): CountedRecord[] {
  const records: CountedRecord[] = [];
  let counts = candidates.map(() => 0);
  let line = 1;
  let firstLine = line;
  let begin = 0;
  let isQuoted = false;
  let isCellStart = true;
  const end = (at: number) => {
    const isBlank = text.slice(begin, at).trim() === "";
    records.push({ line: firstLine, isBlank, counts });
    counts = candidates.map(() => 0);
    isCellStart = true;
  };
  for (let at = 0; at < text.length && records.length < mostRecords; at++) {
    const character = text[at] ?? "";
    const isBreak = character === "\n" || (character === "\r" && text[at + 1] !== "\n");
    if (isBreak) line++;
    if (character === quote && quote !== "" && (isQuoted || isCellStart)) {
      if (isQuoted && text[at + 1] === quote) at++;
      else isQuoted = !isQuoted;
      isCellStart = false;
      continue;
    }
    if (isQuoted) continue;
    if (isBreak) {
      end(at);
      begin = at + 1;
      firstLine = line;
      continue;
    }
    const found = candidates.indexOf(character);
    isCellStart = found >= 0;
    if (found >= 0) counts[found] = (counts[found] ?? 0) + 1;
  }
  const hasRest = begin < text.length && records.length < mostRecords;
  if (isWhole && hasRest && !isQuoted) end(text.length);
  return records;
}
