import { collector } from "../fake-host.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a program tells a terminal
const pieces = /\u001b\[(\??\d*)([A-Za-z])|([\r\n])|([^\u001b\r\n]+)/g;

/** A terminal that shows what is written to it, as far as the program writes to one. */
export function virtualScreen(columns: number) {
  const width = columns;
  /** Lines as they were meant, each of which may take several rows. */
  let lines = [""];
  /** In which line the cursor is, in which row of it, and in which column of that row. */
  let line = 0;
  let row = 0;
  let column = 0;
  let breaksLines = true;

  const rowsOf = (text: string) => Math.max(1, Math.ceil(text.length / width));
  const current = () => lines[line] ?? "";
  const put = (text: string) => {
    const at = row * width + column;
    const before = current();
    const room = width - column;
    const put = breaksLines ? text : text.slice(0, room);
    lines[line] = before.slice(0, at).padEnd(at) + put + before.slice(at + put.length);
    const end = at + put.length;
    // Behind the last character of a row it stays in that row.
    row = Math.max(row, Math.ceil(end / width) - 1);
    column = end - row * width;
  };
  const clear = () => {
    lines[line] = current().slice(0, row * width + column);
  };
  const up = (rows: number) => {
    for (let left = rows; left > 0; left--) {
      if (row > 0) row--;
      else if (line > 0) {
        line--;
        row = rowsOf(current()) - 1;
      }
    }
  };
  const obey = (code: string, amount: number) => {
    switch (code) {
      case "h":
        breaksLines = true;
        return;
      case "l":
        breaksLines = false;
        return;
      case "K":
        // Of 0 what is right of the cursor, of 2 the whole line.
        if (amount === 2) lines[line] = current().slice(0, row * width);
        else clear();
        return;
      case "J":
        clear();
        lines = lines.slice(0, line + 1);
        return;
      case "A":
        return up(amount);
      case "G":
        row = 0;
        column = amount - 1;
        return;
      case "m":
        return; // colours take no room
      default:
        throw new Error(`nothing is known of ${code}`);
    }
  };
  const write = (text: string) => {
    for (const [, digits, code, control, plain] of text.matchAll(pieces)) {
      if (code !== undefined) obey(code, Number(digits) || 1);
      else if (control === "\r") {
        column = 0;
      } else if (control === "\n") {
        line++;
        if (line === lines.length) lines.push("");
        row = 0;
        column = 0;
      } else if (plain !== undefined) put(plain);
    }
  };
  const stream = Object.assign(collector().stream, { isTTY: true, columns });
  return {
    stderr: Object.assign(stream, {
      write(text: string) {
        write(text);
        return true;
      },
    }),
    get lines(): readonly string[] {
      return lines.map((line) => line.trimEnd());
    },
  };
}
