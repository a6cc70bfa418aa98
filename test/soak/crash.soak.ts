import { it } from "vitest";
import { crashRound } from "../crash/crash-round.ts";

// SOAK_ROUNDS and SOAK_SEED choose how long, and play a round again.
const rounds = Number(process.env.SOAK_ROUNDS ?? 200);
const firstSeed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));

for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
  it(`an import killed at random moments reconciles, seed ${seed}`, async () => {
    console.log(`seed ${seed}: ${JSON.stringify(await crashRound(seed))}`);
  });
}
