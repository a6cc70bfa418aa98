import { vi } from "vitest";
import { runs } from "./runs.ts";

/*
 * The seed and the number of runs of all properties, in one place. One seed, so that a run of the tests is like any
 * other; a property that fails prints it, with the path to its counterexample. `FC_SEED=random` takes new ones.
 * `RUNS=10` takes ten times as many runs as each property says.
 */
const seed = process.env.FC_SEED ?? "20261124";

vi.mock("fast-check", async (load) => {
  const real = await load<typeof import("fast-check")>();
  const fc = real.default;
  fc.configureGlobal({
    ...fc.readConfigureGlobal(),
    ...(seed === "random" ? {} : { seed: Number(seed) }),
  });
  const assert = (
    property: Parameters<typeof fc.assert>[0],
    { numRuns = 100, ...others }: Parameters<typeof fc.assert>[1] = {},
  ) => fc.assert(property, { ...others, numRuns: runs(numRuns) });
  return { ...real, default: { ...fc, assert } };
});
