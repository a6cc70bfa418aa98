import { inTurn, medianOf } from "../in-turn.mjs";
import { startSink } from "../start-sink.mjs";

const latencyMs = 50;
const concurrency = 200;
/** It is detected in this time how many at a time the service copes with. */
const rampMs = 2000;

/** Where the service takes its time, the rows a second that so many at a time can be at most. */
export async function measureLatency({ input, importRows }) {
  const sink = await startSink({ latencyMs });
  console.error("Latency:");
  const { eventload } = await inTurn(
    {
      eventload: async () => {
        const args = ["--concurrency", String(concurrency)];
        const { manifest } = await importRows(input, sink.url, {}, args);
        return { rows_per_second: rateAfter(rampMs, manifest.figures.series) };
      },
    },
    2,
  );
  await sink.stop();
  const ideal = concurrency / (latencyMs / 1000);
  return [
    {
      what: `rows/s with ${latencyMs} ms of latency, ${concurrency} at a time, after two seconds / the ideal`,
      atLeast: 0.95,
      ratio: medianOf(eventload, "rows_per_second") / ideal,
    },
  ];
}

/** Answers a second after some time, the last stretch left out, which may end early. */
function rateAfter(fromMs, { bucket_ms: bucketMs, answered }) {
  const whole = answered.slice(Math.ceil(fromMs / bucketMs), -1);
  return whole.reduce((sum, count) => sum + count, 0) / ((whole.length * bucketMs) / 1000);
}
