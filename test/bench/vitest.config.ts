import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/bench/*.sim.ts"],
    testTimeout: 10 * 60_000,
    disableConsoleIntercept: true,
  },
});
