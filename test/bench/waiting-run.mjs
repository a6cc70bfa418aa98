// One import for `waiting.mjs`, with the built library. Arguments: input, mapping, URL, results, and
// attempts a second. Prints the summary, and the peaks of memory and of the journal.
//
// The wait before a next attempt is a matter of chance, up to 100 ms for the first. Here every draw
// is the same odd number, and a wait that comes of it takes 20 s instead. All else is as it is.
import { statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runImport } from "../../dist/library/index.js";

setFlagsFromString("--heap-growing-percent=125"); // as the program does

const [input, mapping, baseUrl, results, rate] = process.argv.slice(2);
const drawn = 0.7310585786300049;
const longestMs = 20_000;

const isBackoff = (delayMs) => {
  const bound = delayMs / drawn;
  return bound >= 100 && bound <= longestMs && Math.abs(bound - Math.round(bound)) < 1e-9;
};
let waits = 0;
const clock = {
  now: () => performance.now(),
  date: () => new Date(),
  random: () => drawn,
  schedule(delayMs, run) {
    const isWait = isBackoff(delayMs);
    if (isWait) waits++;
    const timer = setTimeout(run, isWait ? longestMs : delayMs);
    return () => clearTimeout(timer);
  },
};

let journalBytes = 0;
let pending = 0;
const summary = await runImport({
  ...{ input, mapping, baseUrl, results, clock },
  token: "bench",
  idempotencyHeader: "Idempotency-Key",
  ...(rate === "0" ? {} : { ratePerSecond: Number(rate) }),
  onProgress(progress) {
    if (progress.phase !== "send") return;
    pending = Math.max(pending, progress.pending);
    const { size } = statSync(`${results}.journal`, { throwIfNoEntry: false }) ?? { size: 0 };
    journalBytes = Math.max(journalBytes, size);
  },
});
console.log(
  JSON.stringify({
    exitReason: summary.exitReason,
    succeeded: summary.counts.succeeded,
    waits,
    mostPending: pending,
    peakJournalMb: Math.round(journalBytes / 1e6),
    peakRssMb: Math.round((process.resourceUsage().maxRSS * 1024) / 1e6),
    cpuMs: Math.round(
      (process.resourceUsage().userCPUTime + process.resourceUsage().systemCPUTime) / 1000,
    ),
  }),
);
