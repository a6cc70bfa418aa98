import { join } from "node:path";
import { answerAll } from "../answer-all.mjs";
import { inTurn, medianOf } from "../in-turn.mjs";
import { runNode } from "../run-measured.mjs";
import { writeRows } from "../write-rows.mjs";

/** From the start of the program to its first request, less what Node takes to do nothing. */
export async function measureStartUp({ folder, importRows, rounds }) {
  const input = join(folder, "hundred.csv");
  await writeRows(input, 100);
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
      node: async () => ({ ms: 1000 * (await runNode(["-e", "0"])).seconds }),
    },
    rounds,
  );
  service.close();
  const ms = medianOf(measured.eventload, "ms") - medianOf(measured.node, "ms");
  return [{ what: "start to first request, over node -e 0, ms", atMost: 300, ratio: ms }];
}
