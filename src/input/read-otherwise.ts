import { quote } from "../model/row.ts";
import { createDecoder } from "./create-decoder.ts";

/** What may end a cell, whatever the dialect is. */
const cellEnd = /[,;|\t\r\n"]/;

/** No text of any encoding holds these, so that it would be the wrong one. */
const control = /[^\P{Cc}\t]/u;

/** What is shown of a cell at most. */
export const longestCellBytes = 200;

/**
 * What a cell that is not UTF-8 would be in windows-1252, the encoding that is meant most often.
 *
 * @param before all that is at hand of what stands before the damage
 * @param after what is at hand from the damage on; more is read where the cell goes on
 * @returns the cell as a message shows it, or nothing where it cannot be that encoding either
 */
export async function readOtherwise(
  before: Buffer,
  after: Buffer,
  rest: AsyncIterator<Buffer>,
): Promise<string | undefined> {
  const decode = createDecoder("windows-1252");
  const start = before.subarray(-longestCellBytes).toString("latin1");
  let end = after;
  while (end.length < longestCellBytes && !cellEnd.test(end.toString("latin1"))) {
    const next = await rest.next().catch(() => undefined);
    if (next === undefined || next.done === true) break;
    end = Buffer.concat([end, next.value]);
  }
  const cell =
    (start.split(cellEnd).at(-1) ?? "") +
    (end.subarray(0, longestCellBytes).toString("latin1").split(cellEnd)[0] ?? "");
  const text = decode(Buffer.from(cell, "latin1"), false);
  return text === undefined || text === "" || control.test(text) ? undefined : quote(text);
}
