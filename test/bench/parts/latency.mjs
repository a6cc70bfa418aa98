import { inTurn, medianOf } from "../in-turn.mjs";
import { startSink } from "../start-sink.mjs";

const latencyMs = 50;
const concurrency = 200;

/** Where the service takes its time, the rows a second that so many at a time can be at most. */
export async function measureLatency({ input, importRows }) {
  const sink = await startSink({ latencyMs });
  console.error("Latency:");
  const { eventload } = await inTurn(
    {
      eventload: async () => {
        const args = ["--concurrency", String(concurrency)];
        const { summary } = await importRows(input, sink.url, {}, args);
        return { rows_per_second: summary.succeeded / (summary.elapsed_ms / 1000) };
      },
    },
    2,
  );
  await sink.stop();
  const ideal = concurrency / (latencyMs / 1000);
  return [
    {
      what: `rows/s with ${latencyMs} ms of latency, ${concurrency} at a time / the ideal`,
      atLeast: 0.95,
      ratio: medianOf(eventload, "rows_per_second") / ideal,
    },
  ];
}
