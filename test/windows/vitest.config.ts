import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/windows/*.windows.ts"],
    globalSetup: ["test/surroundings.ts", "test/windows/prepare.mjs"],
    reporters: ["default", "./test/count-reporter.ts"],
    // Scenarios change the working directory, which a thread cannot.
    pool: "forks",
    // To start a program under Wine takes a second, and ten on a busy machine.
    testTimeout: 10 * 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
