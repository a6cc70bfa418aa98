import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurn, ratioOf } from "../in-turn.mjs";
import { startSink } from "../start-sink.mjs";

/** With the journal as it is, and without its sync; rows a second. */
export async function measureJournal({ input, importRows, rounds }) {
  const sink = await startSink({ core: 1 });
  const sending = (args) => async () => {
    const { summary } = await importRows(input, sink.url, { core: 0 }, args);
    return { rows_per_second: summary.succeeded / (summary.elapsed_ms / 1000) };
  };
  const config = join(await mkdtemp(join(tmpdir(), "eventload-bench-")), "process.yaml");
  await writeFile(config, "durability: process\n");
  console.error("Journal:");
  const measured = await inTurn(
    {
      on: sending(),
      without_sync: sending(["--config", config]),
    },
    rounds,
  );
  await sink.stop();
  return [
    {
      what: "journal on / journal without its sync",
      atLeast: 0.95,
      ...ratioOf(measured.on, measured.without_sync, "rows_per_second"),
    },
  ];
}
