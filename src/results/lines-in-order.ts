import type { LineRecord } from "../model/run-record.ts";
import { toCsv } from "./to-csv.ts";

/** Records of lines are given in the order in which events got their outcomes. */
type LineToOrder = Pick<LineRecord, "rowOfRun" | "at" | "text" | "isLast">;

/**
 * The lines of a part in the order of its rows. It holds the lines of rows that are behind one that is not done: no more
 * than the window of the part. Where nothing comes of that, they come at the end.
 *
 * @param columns of the results
 */
export async function* linesInOrder(
  columns: readonly string[],
  batches: AsyncIterable<readonly LineToOrder[]>,
): AsyncGenerator<Buffer> {
  const waiting = new Map<number, { lines: string[]; isDone: boolean }>();
  let next = 1;
  let text = toCsv([columns]);
  const take = ({ rowOfRun, at, text: line, isLast }: LineToOrder) => {
    const row = waiting.get(rowOfRun) ?? { lines: [], isDone: false };
    row.lines[at] ??= line;
    row.isDone ||= isLast === true;
    waiting.set(rowOfRun, row);
  };
  for await (const records of batches) {
    // A line that a killed process had written may come again.
    for (const record of records) if (record.rowOfRun >= next) take(record);
    for (let first = waiting.get(next); first?.isDone; first = waiting.get(next)) {
      text += first.lines.join("");
      waiting.delete(next++);
    }
    if (text.length < linePieceChars) continue;
    yield Buffer.from(text);
    text = "";
  }
  const rest = [...waiting.keys()].toSorted((a, b) => a - b);
  for (const row of rest) text += waiting.get(row)?.lines.join("") ?? "";
  if (text !== "") yield Buffer.from(text);
}

const linePieceChars = 256 * 1024;
