import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type CrashMachine, crashRound } from "../crash/crash-round.ts";
import { describeOnWindows, startThere } from "./on-windows.ts";

const windows: CrashMachine = {
  kills: [1, 2],
  rows: [150, 250],
  concurrency: [4, 8],
  longestMs: [10, 30],
  receivedBytes: 10_000,
  start(place, line) {
    const { ended, kill } = startThere(place, line);
    const hold = join(place.folder, "disturbed.log.hold");
    return {
      ended,
      kill() {
        // It takes a moment, and the import has to be there then.
        writeFileSync(hold, "");
        kill();
        rmSync(hold);
      },
    };
  },
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
