import { oneLine } from "../../model/escape-text.ts";
import { quoteWhole } from "../../model/row.ts";
import type { OutputStream } from "../host.ts";

/**
 * Writes one line, for a person or of JSON. Foreign text in it can neither begin another line nor control
 * the terminal.
 */
export function writeLine(stream: Pick<OutputStream, "write">, line: string): void {
  stream.write(`${oneLine(line)}\n`);
}

/** Below this width, wrapping does not help. */
const narrowest = 16;
const continuation = "  ";
/** Keeps together what belongs together, such as `(line 57)`. */
const words = /(?<! )( *)((?:\(lines? )?[^ ]+(?: …$)?)/g;

/**
 * Wraps a line between words for a terminal of this width, and indents the lines that follow.
 * A word that is too long for a line is left to the terminal.
 *
 * @param columns undefined if there is no terminal: the line stays as it is
 */
export function wrapWords(line: string, columns: number | undefined): string[] {
  if (columns === undefined || columns < narrowest || line.length <= columns) return [line];
  const [lead = ""] = line.match(/^ */) ?? [];
  const indent = lead + continuation;
  const lines: string[] = [];
  let current = "";
  for (const [, space = "", word = ""] of line.matchAll(words)) {
    if (current === "") current = space + word;
    else if (current.length + space.length + word.length <= columns) current += space + word;
    else {
      lines.push(current);
      current = indent.length + word.length <= columns ? indent + word : word;
    }
  }
  return [...lines, current];
}

/** A name from a file or a mapping's function, which may hold characters that a terminal would obey. */
export function asLine(name: string): string {
  return quoteWhole(name)
    .slice(1, -1)
    .replaceAll(/\\(["\\])/g, "$1");
}
