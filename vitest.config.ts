import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/surroundings.ts",
    setupFiles: "test/properties.ts",
    // A test that repeats more (`RUNS=10`) takes as much longer.
    testTimeout: 120_000 * Math.max(1, Number(process.env.RUNS ?? 1)),
    reporters: ["default", "./test/count-reporter.ts"],
    // Scenarios change the working directory, which a thread cannot.
    pool: "forks",
    // Loading what they test would take each file longer than its tests do.
    isolate: false,
    // Twice the two cores, as some tests wait for a while.
    maxWorkers: 4,
  },
});
