import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTurn, ratioOf } from "../in-turn.mjs";
import { mapping, runMeasured } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";
import { writeRows } from "../write-rows.mjs";

/** Nights with a state: the first beside an import without one, later ones beside a `check`. */
export async function measureNights({ folder, env, rounds, isQuick }) {
  const rows = isQuick ? 100_000 : 200_000;
  const input = join(folder, "night.csv");
  await writeRows(input, rows, 1);
  const text = await readFile(input, "utf8");
  const sink = await startSink();
  let count = 0;
  const send = async (events, state) => {
    const results = join(folder, `night-${count++}.results.csv`);
    const kept = state === undefined ? [] : ["--state", state];
    const args = [input, "--mapping", mapping, "--base-url", sink.url, "--results", results];
    const told = await runMeasured(["import", ...args, ...kept], { env });
    if (told.summary.events !== events) throw new Error(`${told.summary.events} events`);
    for (const kind of ["results.csv", "run.json"]) {
      await rm(results.replace("results.csv", kind), { force: true });
    }
    return { seconds: told.seconds };
  };
  const state = (name) => join(folder, `${name}.state`);
  console.error("Nights:");
  let nights = 0;
  const measured = await inTurn(
    {
      check: async () => {
        const { seconds } = await runMeasured(["check", input, "--mapping", mapping], {});
        return { seconds };
      },
      import: () => send(rows),
      first: () => send(rows, state(++nights)),
      unchanged: () => send(0, state(nights)),
      changed: async () => {
        // One row of a hundred.
        await writeFile(input, text.replaceAll(/^(\d*00),Anna/gm, "$1,Berta"));
        const told = await send(rows / 100, state(nights));
        await writeFile(input, text);
        return told;
      },
    },
    rounds,
  );
  await sink.stop();
  await rm(input);
  const ratio = (name, beside) => ratioOf(measured[name], measured[beside], "seconds");
  const of = `of ${rows} rows`;
  return [
    { what: `first night ${of} / import`, atMost: 1.1, ...ratio("first", "import") },
    { what: `night ${of}, unchanged / check`, atMost: 2, ...ratio("unchanged", "check") },
    { what: `night ${of}, 1 % changed / check`, atMost: 3, ...ratio("changed", "check") },
  ];
}
