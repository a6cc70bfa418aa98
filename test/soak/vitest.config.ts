import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/soak/**/*.soak.ts"],
    globalSetup: "test/home-of-tests.ts",
    testTimeout: 60 * 60_000,
    reporters: ["default", "./test/count-reporter.ts"],
  },
});
