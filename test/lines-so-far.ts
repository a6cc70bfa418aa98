import { parse } from "csv-parse/sync";
import { journalLines } from "../src/journal/read-journal.ts";
import { nodeDisk } from "../src/model/disk/node-disk.ts";
import { linesInOrder } from "../src/results/lines-in-order.ts";
import { readPartRecord } from "../src/run/send/part-record.ts";

/** The lines of an unfinished part, as far as all rows before them are done: what its results would begin with. */
export async function linesSoFar(results: string): Promise<Record<string, string>[]> {
  const journal = `${results}.journal`;
  const { run, record } = (await readPartRecord(nodeDisk, journal)) ?? {};
  async function* done() {
    for await (const lines of journalLines(nodeDisk, journal)) {
      yield lines.filter(({ rowOfRun }) => rowOfRun <= (record?.rows.upTo ?? 0));
    }
  }
  let text = "";
  for await (const piece of linesInOrder(run?.columns ?? [], done())) text += piece.toString();
  return parse(text, { columns: true });
}
