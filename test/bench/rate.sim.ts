// `npm run bench:rate`: how much of a hidden limit eventload uses, and how much it has refused, beside a fixed
// number at a time. It is simulated, on a virtual clock and without sockets, so it takes half a minute.
// Environment: ONLY and CONTENDER (names, with commas), SECONDS, SEED.
import { it } from "vitest";
import { simulateSending } from "../delivery/hidden-limits.ts";
import { contenders, scenariosOf } from "../hidden-limits/scenarios.ts";

const { env } = process;
const seconds = Number(env.SECONDS ?? 40);
const seed = Number(env.SEED ?? 1);
const isWanted = (names: string | undefined, name: string) =>
  names === undefined || names.split(",").includes(name);

it("shows how much of each hidden limit is used", async () => {
  const percent = (share?: number) => (share === undefined ? "" : `${(share * 100).toFixed(1)} %`);
  const rows: object[] = [];
  for (const scenario of scenariosOf(seconds)) {
    if (!isWanted(env.ONLY, scenario.name)) continue;
    for (const contender of contenders) {
      if (!isWanted(env.CONTENDER, contender.name)) continue;
      const { figures, stopped } = await simulateSending(scenario, contender, seconds, { seed });
      rows.push({
        "hidden limit": scenario.title,
        "sent by": contender.title,
        used: percent(figures.used),
        "used after change": percent(figures.used_after_change),
        "used from start": percent(figures.used_from_start),
        refused: percent(figures.refused),
        "refused from start": percent(figures.refused_from_start),
        "latency, ms": Number(figures.latency_ms.toFixed(1)),
        "most in flight": figures.most_in_flight,
        stopped,
      });
    }
  }
  console.table(rows);
});
