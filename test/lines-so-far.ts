import { parse } from "csv-parse/sync";
import { nodeDisk } from "../src/model/disk/node-disk.ts";
import { linesInOrder } from "../src/results/lines-in-order.ts";
import { linesOf } from "../src/run/account/render-account.ts";
import { readPartRecord } from "../src/run/options/part-record.ts";

/** The lines of an unfinished part, as far as all rows before them are done: what its results would begin with. */
export async function linesSoFar(results: string): Promise<Record<string, string>[]> {
  const journal = `${results}.journal`;
  const { run } = (await readPartRecord(nodeDisk, journal)) ?? {};
  let text = "";
  for await (const piece of linesInOrder(run?.columns ?? [], linesOf(nodeDisk, journal))) {
    text += piece.toString();
  }
  return parse(text, { columns: true });
}
