import { expect, it } from "vitest";
import { crashRound } from "./crash-round.ts";

/** Further ones are in the soak (`npm run test:soak`). */
const rounds = 2;
/** One with five kills. */
const firstSeed = 20261126;

it(`${rounds} imports killed at random moments reconcile`, async () => {
  let kills = 0;
  let mostPerhapsSent = 0;
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    const figures = await crashRound(seed);
    console.log(`seed ${seed}: ${JSON.stringify(figures)}`);
    kills += figures.kills;
    mostPerhapsSent = Math.max(mostPerhapsSent, figures.mostPerhapsSent);
  }
  console.log(`${kills} kills; a kill left ${mostPerhapsSent} events in doubt at most`);
  expect(kills).toBeGreaterThan(0);
});
