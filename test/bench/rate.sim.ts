// `npm run bench:rate`: how much of a hidden limit eventload uses, and how much it has refused, beside a fixed
// number at a time. It is simulated, on a virtual clock and without sockets, so it takes half a minute.
// Environment: ONLY and CONTENDER (names, with commas), SECONDS, SEED; TRACE shows each second.
import { it } from "vitest";
import { simulateSending } from "../delivery/hidden-limits.ts";
import { type RateRow, rateTable, rateTrace } from "../hidden-limits/rate-figures.ts";
import { contenders, scenariosOf } from "../hidden-limits/scenarios.ts";

const { env } = process;
const seconds = Number(env.SECONDS ?? 40);
const seed = Number(env.SEED ?? 1);
const isWanted = (names: string | undefined, name: string) =>
  names === undefined || names.split(",").includes(name);

it("shows how much of each hidden limit is used", async () => {
  const rows: RateRow[] = [];
  for (const scenario of scenariosOf(seconds)) {
    if (!isWanted(env.ONLY, scenario.name)) continue;
    for (const contender of contenders) {
      if (!isWanted(env.CONTENDER, contender.name)) continue;
      const { figures, slices, stopped } = await simulateSending(scenario, contender, seconds, {
        seed,
      });
      rows.push({ scenario, contender, figures, stopped });
      if (env.TRACE) console.log(`\n${scenario.name} ${contender.name}\n${rateTrace(slices)}`);
    }
  }
  console.log(`\n${rateTable(rows)}`);
});
