import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { oneLine } from "../../model/escape-text.ts";
import { count } from "../../model/quantities.ts";
import { asTyped, type Host } from "../host.ts";

/**
 * Writes one line, for a person or of JSON. Foreign text in it can neither begin another line nor control
 * the terminal. Its style is seen where the terminal and `NO_COLOR` allow it.
 */
export function writeLine(stream: Writable, line: string, style?: TextStyle): void {
  const text = oneLine(line);
  stream.write(`${style === undefined ? text : styleText(style, text, { stream })}\n`);
}

export type TextStyle = "bold" | "red" | "green";

/** Says something to a person: wrapped for the terminal, and with commands as they can be typed. */
export function say(host: Pick<Host, "stderr" | "env">, line: string): void {
  const { stderr } = host;
  for (const piece of wrapWords(asTyped(line, host), stderr.columns)) writeLine(stderr, piece);
}

/** Below this width, wrapping does not help. */
const narrowest = 16;
const continuation = "  ";
/** Keeps together what belongs together: `(line 57)`, and a command, whose first line would run when it is pasted. */
const unbrokenWords =
  /(?<! )( *)((?:(?:npx )?eventload [a-z]+|chmod [^ ]+|jq -rs '[^']*') (?:'[^']*'|"[^"]*"|[^ ]+)(?: --[a-z-]+ (?:'[^']*'|"[^"]*"|[^ ]+))*|'[^']*'[^ ]*|(?:\(lines? )?[^ ]+(?: …$)?)/g;

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
  for (const [, space = "", word = ""] of line.matchAll(unbrokenWords)) {
    if (current === "") current = space + word;
    else if (current.length + space.length + word.length <= columns) current += space + word;
    else {
      lines.push(current);
      current = indent.length + word.length <= columns ? indent + word : word;
    }
  }
  return [...lines, current];
}

/** Rounded down, so that 100 % means that it is over. */
export function percentText(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

type CountedNoun = "row" | "event" | "request";

/** `48 rows/s`, `0.5 rows/s`, and `1.5 rows/m` or `2 rows/h` where of a second nothing would be left. */
export function rateText(perSecond: number, of: CountedNoun): string {
  const [name, seconds] =
    units.find(([, seconds]) => perSecond === 0 || perSecond * seconds >= 0.1) ?? hour;
  const inUnit = perSecond * seconds;
  return `${count(inUnit < 10 ? Math.round(inUnit * 10) / 10 : Math.round(inUnit), of)}/${name}`;
}

const hour = ["h", 3600] as const;
/** Units of rates, as `--rate` takes them. */
const units = [["s", 1], ["m", 60], hour] as const;
