import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**"],
    testTimeout: 60_000,
    // Many tests wait for processes and disks; one worker would leave a core idle.
    maxWorkers: 2,
    reporters: ["default", "./test/count-reporter.ts"],
  },
});
