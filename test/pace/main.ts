import { parseArgs } from "node:util";
import { faultsOf, type Measured, measurePace, type PaceModel } from "./measure-pace.ts";
import { paceRows } from "./pace-rows.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, seed: { type: "string", default: "1" } },
});
const seed = Number(values.seed);
let misses = 0;

/** The one whose use is the median. */
async function median(model: PaceModel, seeds: number): Promise<Measured> {
  const all: Measured[] = [];
  for (let at = 0; at < seeds; at++) all.push(await measurePace(model, seed + at));
  return all.sort((one, other) => one.used - other.used)[all.length >> 1] as Measured;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
for (const row of paceRows) {
  const chosen = row.models.filter(
    ({ name }) =>
      positionals.length === 0 ||
      positionals.some((part) => name.includes(part) || row.name === part),
  );
  if (chosen.length === 0) continue;
  const targets = [
    ...(row.used === undefined ? [] : [`used ${percent(row.used)}`]),
    ...(row.refused === undefined ? [] : [`refused ${percent(row.refused)}`]),
  ];
  console.log(`\n${row.name}${targets.length > 0 ? ` (${targets.join(", ")})` : ""}`);
  for (const model of chosen) {
    const begun = performance.now();
    const measured = await median(model, row.seeds ?? 1);
    const faults = faultsOf(row, measured);
    if (faults.length > 0) misses++;
    const { noticedMs, overMs, gapMs, pauses, slowness, tailMs } = measured;
    const outage = Number.isFinite(noticedMs)
      ? `noticed ${seconds(noticedMs)} over ${seconds(overMs)} gap ${seconds(gapMs)} `
      : "";
    console.log(
      `  ${model.name.padEnd(52)}${percent(measured.used).padStart(8)}${percent(measured.refused).padStart(8)}` +
        `${String(measured.bad).padStart(6)}${String(pauses).padStart(5)}${slowness.toFixed(1).padStart(6)}${seconds(tailMs).padStart(9)}  ${outage}${
          faults.length > 0 ? `MISS: ${faults.join(", ")}` : ""
        }${process.env.TIMES ? `  (${Math.round(performance.now() - begun)} ms)` : ""}`,
    );
  }
}
console.log(misses === 0 ? "\nAll targets are met." : `\n${misses} models miss their targets.`);
process.exitCode = misses === 0 ? 0 : 1;
