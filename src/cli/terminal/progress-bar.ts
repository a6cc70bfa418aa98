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
import { type Paint, wrapWords, writeLine } from "./lines.ts";

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

/** The run tells a few times a second how far it is, and a check more often than anybody can read. */
const betweenDrawingsMs = 100;

/**
 * Several lines, redrawn in place below other lines. The cursor rests at the beginning of the first: the number of
 * rows above it does not change when a resized terminal wraps lines anew, which a program may notice late.
 */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
  paint: Paint,
): ProgressDisplay {
  const describe = describeProgress(clock);
  let latest: ImportProgress | undefined;
  let drawnMs = 0;

  const draw = (isOver = false) => {
    if (latest === undefined) return;
    drawnMs = clock.now();
    // In the last column some terminals begin a new line.
    const lines = fitProgressLines(describe(latest, isOver), (stream.columns || 80) - 1, paint);
    const back = isOver ? "\n" : `\r\u001b[${lines.length - 1}A`;
    const after = lines.length === 1 && !isOver ? "\r" : back;
    stream.write(`${erase}${cutLines}${lines.join("\n")}${breakLines}${after}`);
  };
  const end = () => {
    draw(true);
    latest = undefined;
  };

  return {
    update(progress) {
      if (latest?.phase !== progress.phase) end();
      const isFirst = latest === undefined;
      latest = progress;
      if (isFirst || clock.now() - drawnMs >= betweenDrawingsMs) draw();
    },
    say(line) {
      if (latest !== undefined) stream.write(erase);
      for (const piece of wrapWords(line, stream.columns)) writeLine(stream, piece);
      draw();
    },
    end,
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

/** Rounded down, so that 100 % means that it is over. */
export function percentText(share: number): string {
  return `${Math.floor(share * 100)} %`;
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
