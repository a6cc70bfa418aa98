import { join } from "node:path";
import { answerAll } from "../answer-all.mjs";
import { inTurn, leastOf, medianOf } from "../in-turn.mjs";
import { mapping, program, runNode } from "../run-measured.mjs";
import { writeRows } from "../write-rows.mjs";

/**
 * From the start of the program to its first request, less what Node takes to do nothing; and what a check of ten rows
 * takes of a processor, as Node to do nothing is 1.
 */
export async function measureStartUp({ folder, importRows, rounds }) {
  const input = join(folder, "hundred.csv");
  await writeRows(input, 100);
  const ten = join(folder, "ten.csv");
  await writeRows(ten, 10);
  let firstAt;
  const service = await answerAll({
    onRequest() {
      firstAt ??= performance.now();
    },
  });
  console.error("Start-up:");
  const measured = await inTurn(
    {
      eventload: async () => {
        firstAt = undefined;
        const start = performance.now();
        await importRows(input, service.url, {});
        return { ms: firstAt - start };
      },
      check: () => runNode([program, "check", ten, "--mapping", mapping, "--quiet"]),
      node: async () => {
        const { seconds, cpuSeconds } = await runNode(["-e", "0"]);
        return { ms: 1000 * seconds, cpuSeconds };
      },
    },
    rounds,
  );
  service.close();
  const ms = medianOf(measured.eventload, "ms") - medianOf(measured.node, "ms");
  const [check, node] = [measured.check, measured.node].map((runs) => leastOf(runs, "cpuSeconds"));
  return [
    { what: "start to first request, over node -e 0, ms", atMost: 300, ratio: ms },
    { what: "check of ten rows / node -e 0, processor time", atMost: 2.8, ratio: check / node },
  ];
}
