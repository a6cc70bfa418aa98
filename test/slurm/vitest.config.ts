import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/slurm/*.slurm.ts"],
    globalSetup: "test/surroundings.ts",
    testTimeout: 5 * 60_000,
    hookTimeout: 2 * 60_000,
  },
});
