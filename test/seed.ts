import fc from "fast-check";

/** One seed for all properties, so that a run of the tests is like any other. `FC_SEED=random` takes a new one. */
const seed = process.env.FC_SEED ?? "20261124";

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(seed === "random" ? {} : { seed: Number(seed) }),
});
