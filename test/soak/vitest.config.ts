import { defineConfig, mergeConfig } from "vitest/config";
import tests from "../../vitest.config.ts";

// All tests, with random seeds and ten times as many runs, and those that only the soak has.
const { RUNS = "10", FC_SEED = "random" } = process.env;

export default mergeConfig(
  tests,
  defineConfig({
    test: {
      env: { RUNS, FC_SEED },
      include: ["test/soak/**/*.soak.ts"],
      testTimeout: 60 * 60_000,
    },
  }),
);
