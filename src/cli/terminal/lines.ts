import { oneLine } from "../../model/one-line.ts";
import type { OutputStream } from "../host.ts";

/**
 * Writes one line, for a person or of JSON: names and texts of others in it cannot begin another one, nor do
 * anything to a terminal.
 */
export function writeLine(stream: Pick<OutputStream, "write">, line: string): void {
  stream.write(`${oneLine(line)}\n`);
}

/** Narrower, nothing is won by it. */
const narrowest = 16;
const continuation = "  ";
/** What belongs together, such as `(line 57)`, stays in one line. */
const words = /(?<! )( *)((?:\(lines? )?[^ ]+(?: …$)?)/g;

/**
 * A line for a terminal of so many columns, broken between words; what is left goes below, further in.
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
