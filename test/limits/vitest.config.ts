import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/limits/*.limits.ts"],
    globalSetup: "test/surroundings.ts",
    testTimeout: 8 * 60_000,
    hookTimeout: 2 * 60_000,
    // Each sends some hundred requests a second at most.
    maxConcurrency: 4,
  },
});
