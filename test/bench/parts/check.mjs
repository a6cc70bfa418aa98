import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurn, ratioOf } from "../in-turn.mjs";
import { mapping, runMeasured, runNode } from "../run-measured.mjs";
import { writeRows } from "../write-rows.mjs";

const csvParse = fileURLToPath(new URL("../contenders/bare-csv-parse.mjs", import.meta.url));

/** `check` beside a loop over the records of csv-parse; rows a second. */
export async function measureChecking({ folder, rounds, isQuick }) {
  // As many as make the start of the program a small part of the whole.
  const rows = isQuick ? 400_000 : 1_000_000;
  const input = join(folder, "checked.csv");
  await writeRows(input, rows);
  console.error("Checking, one core:");
  const measured = await inTurn(
    {
      check: async () => {
        const told = await runMeasured(["check", input, "--mapping", mapping], { core: 0 });
        if (told.summary.events !== rows) throw new Error(`${told.summary.events} events`);
        return { rows_per_second: rows / told.seconds, peak_rss_mb: told.peakRssMb };
      },
      csv_parse: async () => {
        const told = await runNode([csvParse, input], { core: 0 });
        if (Number(told.stdout) !== rows + 1) throw new Error(`${told.stdout} records`);
        return { rows_per_second: rows / told.seconds };
      },
    },
    rounds,
  );
  const ratio = ratioOf(measured.check, measured.csv_parse, "rows_per_second");
  await rm(input);
  return [{ what: "check / bare csv-parse loop, one core", atLeast: 0.8, ...ratio }];
}
