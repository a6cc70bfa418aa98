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
    return { cpuSeconds: told.cpuSeconds };
  };
  const sendChanged = async (changed, events) => {
    await writeFile(input, changed);
    const told = await send(events, state(nights));
    await writeFile(input, text);
    return told;
  };
  const state = (name) => join(folder, `${name}.state`);
  console.error("Nights:");
  let nights = 0;
  const measured = await inTurn(
    {
      check: async () => {
        const { cpuSeconds } = await runMeasured(["check", input, "--mapping", mapping], {});
        return { cpuSeconds };
      },
      import: () => send(rows),
      first: () => send(rows, state(++nights)),
      unchanged: () => send(0, state(nights)),
      one: () => sendChanged(text.replace(/^1000,Anna/m, "1000,Berta"), 1),
      // All but row 1, and row 1000 becomes what it was.
      hundredth: () => sendChanged(text.replaceAll(/^(\d*01),Anna/gm, "$1,Berta"), rows / 100),
    },
    rounds,
  );
  await sink.stop();
  await rm(input);
  const ratio = (name, beside) => ratioOf(measured[name], measured[beside], "cpuSeconds");
  const of = `of ${rows} rows`;
  return [
    { what: `first night ${of} / import`, atMost: 1.1, ...ratio("first", "import") },
    { what: `night ${of}, unchanged / check`, atMost: 2, ...ratio("unchanged", "check") },
    { what: `night ${of}, 1 key changed / check`, atMost: 2.3, ...ratio("one", "check") },
    { what: `night ${of}, 1 % changed / check`, atMost: 2.8, ...ratio("hundredth", "check") },
  ];
}
