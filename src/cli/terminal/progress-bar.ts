import cliProgress, { type Options, type Params, SingleBar } from "cli-progress";
import type { Clock } from "../../model/clock.ts";
import type { ImportProgress } from "../../run/import-options.ts";
import type { OutputStream } from "../host.ts";
import {
  describeProgress,
  type ProgressDescription,
  type ProgressPart,
} from "./describe-progress.ts";
import { wrapWords, writeLine } from "./lines.ts";

/** A bar that is drawn anew in its place, with other lines above it. */
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
    bar.start(1, description.share ?? 0, { description } satisfies BarPayload);
  };
  const show = (description: ProgressDescription) => {
    latest = description;
    bar?.update(description.share ?? 0, { description } satisfies BarPayload);
  };
  const stop = () => {
    if (latest !== undefined) {
      show({ ...latest, parts: lasting(latest.parts), below: lasting(latest.below) });
    }
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

interface BarPayload {
  readonly description: ProgressDescription;
}

function barOptions(terminal: BarTerminal): Options & { readonly terminal: BarTerminal } {
  return {
    terminal,
    format: (_options, { maxWidth }: Params, { description }: BarPayload) =>
      fitProgressLines(description, maxWidth).join("\n"),
    linewrap: true,
    // What other lines or another width have done to it is not in what was drawn last.
    forceRedraw: true,
    gracefulExit: false,
  };
}

function lasting(parts: readonly ProgressPart[]): ProgressPart[] {
  return parts.filter(({ isPassing }) => isPassing !== true);
}

/** Shows how far a run is, and lets other lines come between. */
export interface ProgressDisplay {
  update(progress: ImportProgress): void;
  /** Prints a line without breaking the bar. */
  say(line: string): void;
  end(): void;
}

/** What a bar of cli-progress asks of a terminal; its option `terminal` is missing in its types. */
export interface BarTerminal {
  isTTY(): boolean;
  getWidth(): number;
  cursorSave(): void;
  cursorRestore(): void;
  cursorTo(): void;
  write(text: string): void;
  clearRight(): void;
  newline(): void;
  /** Takes the bar away, so that what is written next stands in its place. */
  clear(): void;
}

/**
 * In two parts: tmux holds a row and the next for one line until the whole row is erased, and keeps a
 * screen that is erased from its first column on in its history.
 */
const erase = "\r\u001b[2K \u001b[J\r";
const cutLines = "\u001b[?7l";
const breakLines = "\u001b[?7h";

/**
 * A terminal on which a bar takes several lines. With that of cli-progress the cursor rests at the end
 * of what is drawn, and how many rows are above it changes when a terminal breaks lines anew for another
 * width, of which a program may hear late. Here it rests at the beginning of the first line.
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
    // All of this is done in one write, so that nothing flickers; and the place where the bar began is
    // not where it is after other lines came between.
    cursorTo() {},
    clearRight() {},
    cursorSave() {},
    cursorRestore() {},
  };
}

// Node sees no export named `Format` in it.

const longestBar = 20;
const shortestBar = 6;
const barLook = {
  barCompleteString: "=".repeat(longestBar),
  barIncompleteString: " ".repeat(longestBar),
  barGlue: "",
};

/**
 * The progress as lines of a width at most: with all parts in long, in short where there is less room, and then
 * without those that matter least. The bar takes what room remains.
 */
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

function fitParts(parts: readonly ProgressPart[], width: number): string {
  const long = parts.map((part) => part.long).join(", ");
  if (long.length <= width) return long;
  let left = parts;
  for (;;) {
    const short = left.map((part) => part.short).join(", ");
    if (short.length <= width) return short;
    const lowest = Math.min(...left.map(({ rank }) => rank));
    left = left.filter(({ rank }) => rank > lowest);
  }
}

function barOf(share: number | undefined, room: number): string {
  const length = Math.min(longestBar, room - "[] ".length);
  if (share === undefined || length < shortestBar) return "";
  return `[${cliProgress.Format.BarFormat(share, { ...barLook, barsize: length })}] `;
}
