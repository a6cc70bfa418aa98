import { expect, it } from "vitest";
import { type CrashMachine, crashRound } from "../crash/crash-round.ts";
import { describeOnWindows, startThere } from "./on-windows.ts";

/** A kill takes a moment there, which the import has to last. */
const windows: CrashMachine = {
  kills: [1, 2],
  rows: [250, 400],
  concurrency: [4, 8],
  longestMs: [40, 60],
  receivedBytes: 10_000,
  start: startThere,
};

describeOnWindows("on Windows", () => {
  it.each(Array.from({ length: 20 }, (_, at) => 20261128 + at))(
    "an import reconciles that taskkill ends at random moments (seed %i)",
    async (seed) => {
      const figures = await crashRound(seed, windows);
      console.log(`seed ${seed}: ${JSON.stringify(figures)}`);
      expect(figures.kills).toBeGreaterThan(0);
    },
  );
});
