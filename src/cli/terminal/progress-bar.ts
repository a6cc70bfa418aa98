import { type Options, type Params, SingleBar } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import { oneLine } from "../../model/escape-text.ts";
import { cutTo } from "../../model/row.ts";
import type { ImportProgress } from "../../run/options/run-events.ts";
import type { OutputStream } from "../host.ts";
import {
  describeProgress,
  type ProgressDescription,
  type ProgressPart,
} from "./describe-progress.ts";
import { type Paint, percentText, wrapWords, writeLine } from "./lines.ts";

/** Shows the progress of a run, and prints other lines above it. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
}

/**
 * In two parts: tmux takes a row and the next for one line until the whole row is erased, and it keeps a
 * screen in its history if it is erased from the first column on.
 */
const erase = "\r\u001b[2K \u001b[J\r";
const cutLines = "\u001b[?7l";
const breakLines = "\u001b[?7h";

/** Several lines, redrawn in place below other lines. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
  paint: Paint,
): ProgressDisplay {
  const describe = describeProgress(clock);
  const terminal = createBarTerminal(stream);
  let bar: SingleBar | undefined;
  let latest: ImportProgress | undefined;

  const draw = (_options: Options, { maxWidth }: Params) =>
    latest === undefined ? "" : fitProgressLines(describe(latest), maxWidth, paint).join("\n");

  return {
    update(progress) {
      latest = progress;
      if (bar !== undefined) return; // it is redrawn ten times a second
      bar = new SingleBar(optionsOf(terminal, draw));
      bar.start(1, 0);
    },
    say(line) {
      if (bar !== undefined) terminal.clear();
      for (const piece of wrapWords(line, stream.columns)) writeLine(stream, piece);
      bar?.render();
    },
    end() {
      latest = undefined;
      bar?.stop();
      bar = undefined;
    },
  };
}

function optionsOf(terminal: BarTerminal, draw: (options: Options, params: Params) => string) {
  return {
    terminal,
    format: draw,
    linewrap: true,
    // Other lines or another width may have damaged what was drawn last.
    forceRedraw: true,
    gracefulExit: false,
    clearOnComplete: true,
  };
}

/** What cli-progress needs of a terminal; its types lack the option `terminal`. */
interface BarTerminal {
  isTTY(): boolean;
  getWidth(): number;
  cursorSave(): void;
  cursorRestore(): void;
  cursorTo(): void;
  write(text: string): void;
  clearRight(): void;
  clearLine(): void;
  /** Erases the bar; the next text takes its place. */
  clear(): void;
}

/**
 * A terminal for a bar of several lines. In that of cli-progress, the cursor rests at the end of the bar,
 * and the number of rows above it changes when a resized terminal wraps lines anew, which a program may
 * notice late. Here it rests at the beginning of the first line.
 */
function createBarTerminal(stream: OutputStream): BarTerminal {
  return {
    isTTY: () => true,
    // In the last column some terminals begin a new line.
    getWidth: () => (stream.columns || 80) - 1,
    write(text) {
      const linesBelow = text.split("\n").length - 1;
      const up = linesBelow > 0 ? `\u001b[${linesBelow}A` : "";
      stream.write(`${erase}${cutLines}${text}${breakLines}\r${up}`);
    },
    clear() {
      stream.write(erase);
    },
    // `write` does all of this at once, so that nothing flickers; and other lines may have moved the place
    // where the bar began.
    cursorTo() {},
    clearRight() {},
    clearLine() {},
    cursorSave() {},
    cursorRestore() {},
  };
}

const longestBar = 20;
const shortestBar = 6;

/** The progress in lines of at most this width. The bar takes the room that remains. */
export function fitProgressLines(
  { phase, share, lines, reasons }: ProgressDescription,
  width: number,
  paint: Paint,
): string[] {
  const indent = " ".repeat(phase.length + 1);
  const room = width - indent.length;
  const [first = "", ...below] = lines.map((parts, at) => {
    const percent = at > 0 || share === undefined ? "" : `${percentText(share)}, `;
    const kept = fitParts(parts, room - percent.length);
    const taken = percent.length + lengthOf(kept);
    const bar = at > 0 ? "" : barOf(share, room - taken);
    return bar + percent + kept.map(({ text, style }) => paint(text, style)).join(", ");
  });
  return [
    `${phase} ${first}`,
    ...below.map((line) => indent + line),
    ...reasons.map(({ text, times }) => {
      const shown = cutTo(Math.max(1, room - times.length), oneLine(text));
      return `${indent}${paint(shown + times, "red")}`;
    }),
  ];
}

/** Without the last ones, if there is no room for all. */
function fitParts(parts: readonly ProgressPart[], room: number): readonly ProgressPart[] {
  if (parts.length <= 1 || lengthOf(parts) <= room) return parts;
  return fitParts(parts.slice(0, -1), room);
}

function lengthOf(parts: readonly ProgressPart[]): number {
  return parts.map(({ text }) => text).join(", ").length;
}

function barOf(share: number | undefined, room: number): string {
  const length = Math.min(longestBar, room - "[] ".length);
  if (share === undefined || length < shortestBar) return "";
  const done = Math.round(share * length);
  return `[${"=".repeat(done)}${" ".repeat(length - done)}] `;
}
