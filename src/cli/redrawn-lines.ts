import type { OutputStream } from "./host.ts";

/** The last lines of a terminal, drawn anew in their place. */
export interface RedrawnLines {
  draw(): void;
  /** Takes them away, so that what is written next stands in their place. */
  clear(): void;
  /** Leaves them as they are; the next are drawn below. */
  leave(): void;
  /** Follows the width of the terminal no more. */
  end(): void;
}

/** Free at the end of a line: `^C` stands there when it is typed, and may not begin another. */
const marginColumns = 3;

/** @param linesFor as they are to be, none longer than so many columns */
export function createRedrawnLines(
  stream: OutputStream,
  linesFor: (columns: number) => readonly string[],
): RedrawnLines {
  let drawn: readonly string[] = [];
  let isNoticing = false;

  const columns = () => stream.columns || 80;
  /** A narrower terminal breaks what is drawn into more rows, and the cursor is in the last of them. */
  const toBeginning = () => {
    const rows = drawn.reduce((sum, line) => sum + rowsOf(line, columns()), 0);
    return rows > 1 ? `\u001b[${rows - 1}A\r` : "\r";
  };
  const noticeSize = () => {
    isNoticing = true;
    stream._refreshSize?.();
    isNoticing = false;
  };
  const erase = () => {
    if (drawn.length === 0) return;
    stream.write(`${toBeginning()}\u001b[J`);
    drawn = [];
  };
  const draw = () => {
    noticeSize();
    const lines = linesFor(columns() - marginColumns);
    const text = lines.join("\u001b[K\n");
    stream.write(`${toBeginning()}${text}\u001b[J`);
    drawn = lines;
  };
  const resized = () => {
    if (drawn.length === 0) return;
    erase();
    if (!isNoticing) draw();
  };
  stream.on("resize", resized);

  return {
    draw,
    clear() {
      noticeSize();
      erase();
    },
    leave() {
      stream.write("\n");
      drawn = [];
    },
    end: () => stream.off("resize", resized),
  };
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(line.length / columns));
}
