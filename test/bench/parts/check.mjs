import { fileURLToPath } from "node:url";
import { inTurn, ratioOf } from "../in-turn.mjs";
import { mapping, runMeasured, runNode } from "../run-measured.mjs";

const csvParse = fileURLToPath(new URL("../contenders/bare-csv-parse.mjs", import.meta.url));

/** `check` beside a loop over the records of csv-parse; rows a second. */
export async function measureChecking({ input, rows, rounds }) {
  const figures = [];
  for (const { cores, core, atLeast } of [
    { cores: "one core", core: 0, atLeast: 0.8 },
    { cores: "two cores", core: undefined, atLeast: 1.3 },
  ]) {
    console.error(`Checking, ${cores}:`);
    const measured = await inTurn(
      {
        check: async () => {
          const told = await runMeasured(["check", input, "--mapping", mapping], { core });
          if (told.summary.events !== rows) throw new Error(`${told.summary.events} events`);
          return { rows_per_second: rows / told.seconds, peak_rss_mb: told.peakRssMb };
        },
        csv_parse: async () => {
          const told = await runNode([csvParse, input], { core });
          if (Number(told.stdout) !== rows + 1) throw new Error(`${told.stdout} records`);
          return { rows_per_second: rows / told.seconds };
        },
      },
      rounds,
    );
    const ratio = ratioOf(measured.check, measured.csv_parse, "rows_per_second");
    figures.push({ what: `check / bare csv-parse loop, ${cores}`, atLeast, ...ratio });
  }
  return figures;
}
