const widest = 96;
const before = 60;

/**
 * A line of a file and, below it, a caret that points at a place in it. Of a long line, the part around
 * the place.
 *
 * @param line from 1
 * @param offset of the place in the text
 * @param lineStart offset of the line in the text
 */
export function excerptOf(
  text: string,
  line: number,
  lineStart: number,
  offset: number,
): readonly string[] {
  const start = offset - lineStart > before ? offset - before : lineStart;
  const [whole = ""] = /^[^\r\n]*/.exec(text.slice(start, start + widest + 1)) ?? [];
  const cut = start > lineStart ? "…" : "";
  const isLonger = whole.length > widest;
  const shown = `${cut}${visible(whole.slice(0, widest))}${isLonger ? "…" : ""}`;
  const lead = `${cut}${visible(text.slice(start, offset))}`.replaceAll(/./gsu, " ");
  const margin = String(line);
  return [`${margin} | ${shown}`.trimEnd(), `${" ".repeat(margin.length)} | ${lead}^`];
}

/** What a terminal would not show as one character takes the place of one. */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "�");
}
