import { type Options, type Params, SingleBar } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import type { ImportProgress } from "../../run/options/run-events.ts";
import type { OutputStream } from "../host.ts";
import {
  describeProgress,
  type ProgressDescription,
  type ProgressPart,
} from "./describe-progress.ts";
import { wrapWords, writeLine } from "./lines.ts";

/** A bar that is redrawn in place, below other lines. */
export function createProgressBar(
  stream: OutputStream,
  clock: Pick<Clock, "now">,
): ProgressDisplay {
  const describe = describeProgress(clock);
  const terminal = createBarTerminal(stream);
  let bar: SingleBar | undefined;
  let phase: ImportProgress["phase"] | undefined;
  let latest: ProgressDescription | undefined;

  const start = (description: ProgressDescription) => {
    latest = description;
    bar = new SingleBar(barOptions(terminal));
    bar.start(1, description.share ?? 0, { description });
  };
  const show = (description: ProgressDescription) => {
    latest = description;
    bar?.update(description.share ?? 0, { description });
  };
  const stop = () => {
    const [parts = [], below = []] = [latest?.parts, latest?.below].map((all) =>
      all?.filter(({ isPassing }) => isPassing !== true),
    );
    if (latest !== undefined) show({ ...latest, parts, below });
    bar?.stop();
    bar = undefined;
  };

  return {
    update(progress) {
      const description = describe(progress);
      if (phase === progress.phase) show(description);
      else {
        stop();
        start(description);
      }
      phase = progress.phase;
    },
    say(line) {
      if (bar !== undefined) terminal.clear();
      for (const piece of wrapWords(line, stream.columns)) writeLine(stream, piece);
      bar?.render();
    },
    end: stop,
  };
}

function barOptions(terminal: BarTerminal): Options & { readonly terminal: BarTerminal } {
  return {
    terminal,
    format: (_options, { maxWidth }: Params, payload: { description: ProgressDescription }) =>
      fitProgressLines(payload.description, maxWidth).join("\n"),
    linewrap: true,
    // Other lines or another width may have damaged what was drawn last.
    forceRedraw: true,
    gracefulExit: false,
  };
}

/** Shows the progress of a run, and prints other lines above it. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
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
  newline(): void;
  /** Erases the bar; the next text takes its place. */
  clear(): void;
}

/**
 * In two parts: tmux takes a row and the next for one line until the whole row is erased, and it keeps a
 * screen in its history if it is erased from the first column on.
 */
const erase = "\r\u001b[2K \u001b[J\r";
const cutLines = "\u001b[?7l";
const breakLines = "\u001b[?7h";

/**
 * A terminal for a bar of several lines. In that of cli-progress, the cursor rests at the end of the bar,
 * and the number of rows above it changes when a resized terminal wraps lines anew, which a program may
 * notice late. Here it rests at the beginning of the first line.
 */
function createBarTerminal(stream: OutputStream): BarTerminal {
  let linesBelow = 0;
  return {
    isTTY: () => true,
    getWidth: () => stream.columns || 80,
    write(text) {
      linesBelow = text.split("\n").length - 1;
      const up = linesBelow > 0 ? `\u001b[${linesBelow}A` : "";
      stream.write(`${erase}${cutLines}${text}${breakLines}\r${up}`);
    },
    newline() {
      stream.write("\n".repeat(linesBelow + 1));
      linesBelow = 0;
    },
    clear() {
      stream.write(erase);
      linesBelow = 0;
    },
    // `write` does all of this at once, so that nothing flickers; and other lines may have moved the place
    // where the bar began.
    cursorTo() {},
    clearRight() {},
    cursorSave() {},
    cursorRestore() {},
  };
}

const longestBar = 20;
const shortestBar = 6;

/** The progress in lines of at most this width. The bar takes the room that remains. */
export function fitProgressLines(description: ProgressDescription, width: number): string[] {
  const { phase, share, parts, below } = description;
  const named = `${phase} `;
  const text = fitParts(parts, width);
  const head = named.length + text.length <= width && text !== "" ? named : "";
  const first = `${head}${barOf(share, width - head.length - text.length)}${text}`;
  const second = fitParts(below, width);
  if (second === "") return [first];
  const isUnderPhase = head !== "" && named.length + second.length <= width;
  return [first, isUnderPhase ? " ".repeat(named.length) + second : second];
}

/** Without the least important ones, if there is no room for all. */
function fitParts(parts: readonly ProgressPart[], width: number): string {
  const text = parts.map((part) => part.text).join(", ");
  if (text.length <= width) return text;
  const lowest = Math.min(...parts.map(({ rank }) => rank));
  return fitParts(
    parts.filter(({ rank }) => rank > lowest),
    width,
  );
}

function barOf(share: number | undefined, room: number): string {
  const length = Math.min(longestBar, room - "[] ".length);
  if (share === undefined || length < shortestBar) return "";
  const done = Math.round(share * length);
  return `[${"=".repeat(done)}${" ".repeat(length - done)}] `;
}
