import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

// SOAK_SECONDS and SOAK_SEED choose how long, and read an input again.
const seconds = process.env.SOAK_SECONDS ?? "60";
const firstSeed = process.env.SOAK_SEED ?? `${Math.floor(Math.random() * 2 ** 31)}`;

/** What an input may take at most before it counts as one on which reading hangs. */
const longestMs = 30_000;

/** Reading has to make do with what does not grow with the input. */
const heapMb = 200;
const mostRssMb = 500;

it(`whatever bytes it is given, a source reads or refuses them, from seed ${firstSeed}`, async () => {
  const program = fileURLToPath(new URL("fuzz-inputs.mjs", import.meta.url));
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, program, firstSeed, seconds],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exit = once(child, "exit");
  let last = "";
  let watch: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    clearTimeout(watch);
    watch = setTimeout(() => child.kill("SIGKILL"), longestMs);
  }
  clearTimeout(watch);
  expect(await exit, `hung or died on seed ${last}`).toEqual([0, null]);
  console.log(last);
  const { failures, peakRssMb, read, damaged, refused } = JSON.parse(last);
  expect(failures).toEqual([]);
  expect(peakRssMb).toBeLessThan(mostRssMb);
  for (const count of [read, damaged, refused]) expect(count).toBeGreaterThan(0);
});
