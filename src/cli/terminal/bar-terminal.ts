import type { OutputStream } from "../host.ts";

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
export function createBarTerminal(stream: OutputStream): BarTerminal {
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
