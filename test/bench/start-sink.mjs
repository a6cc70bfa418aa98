import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { spawnOn } from "./run-measured.mjs";

/** Starts the sink in a process of its own, on one core where `core` names one. */
export async function startSink({ latencyMs = 0, core } = {}) {
  const sink = spawnOn(
    core,
    process.execPath,
    [fileURLToPath(new URL("sink.mjs", import.meta.url)), String(latencyMs)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [url] = await once(createInterface({ input: sink.stdout }), "line");
  return {
    url,
    async stop() {
      sink.kill("SIGTERM");
      await once(sink, "exit");
    },
  };
}
