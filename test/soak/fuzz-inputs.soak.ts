import { expect, it } from "vitest";
import { runFuzzer } from "../linear/run-fuzz.ts";

// SOAK_SECONDS and SOAK_SEED choose how long, and read an input again.
const seconds = process.env.SOAK_SECONDS ?? "60";
const firstSeed = process.env.SOAK_SEED ?? `${Math.floor(Math.random() * 2 ** 31)}`;

/** Reading has to make do with what does not grow with the input. */
const heapMb = 200;
const mostRssMb = 500;

interface Read {
  readonly failures: readonly object[];
  readonly peakRssMb: number;
  readonly read: number;
  readonly damaged: number;
  readonly refused: number;
}

it(`whatever bytes it is given, a source reads or refuses them, from seed ${firstSeed}`, async () => {
  const options = [`--max-old-space-size=${heapMb}`];
  const program = new URL("fuzz-inputs.mjs", import.meta.url);
  const all = await runFuzzer<Read>(options, program, [firstSeed, seconds], 30_000);
  console.log(JSON.stringify(all));
  const { failures, peakRssMb, read, damaged, refused } = all;
  expect(failures).toEqual([]);
  expect(peakRssMb).toBeLessThan(mostRssMb);
  for (const count of [read, damaged, refused]) expect(count).toBeGreaterThan(0);
});
