import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answerAll } from "../answer-all.mjs";
import { mapping, program, runNode } from "../run-measured.mjs";
import { writeRows } from "../write-rows.mjs";

const csvParse = fileURLToPath(new URL("../contenders/bare-csv-parse.mjs", import.meta.url));

/** A run that is killed nine tenths on: from its resume to the first new request, beside a parse of all. */
export async function measureResume({ folder, env, isQuick }) {
  const rows = isQuick ? 100_000 : 1_000_000;
  const input = join(folder, "resumed.csv");
  const results = join(folder, "resumed.results.csv");
  await writeRows(input, rows);
  let requests = 0;
  let onRequest = () => {};
  const service = await answerAll({ onRequest: () => onRequest(++requests) });
  const start = (args) =>
    spawn(process.execPath, [program, ...args, "--quiet"], { env, stdio: "ignore" });
  console.error("Resume:");
  const child = start([
    ...["import", input, "--mapping", mapping],
    ...["--base-url", service.url, "--results", results],
  ]);
  onRequest = (count) => {
    if (count === Math.floor(0.9 * rows)) child.kill("SIGKILL");
  };
  await once(child, "exit");
  if (requests >= rows) throw new Error("the run had ended before it was killed");

  const startedAt = performance.now();
  let firstMs;
  onRequest = () => {
    firstMs ??= performance.now() - startedAt;
  };
  const [status] = await once(start(["resume", results]), "exit");
  service.close();
  if (status !== 0) throw new Error(`the resume ended with ${status}`);
  const parse = await runNode([csvParse, input]);
  console.error(`  first request after ${Math.round(firstMs)} ms, parse ${parse.seconds} s`);
  return [
    {
      what: `resume at 90 % of ${rows} rows, first request / a csv-parse pass`,
      atMost: 0.3,
      ratio: firstMs / 1000 / parse.seconds,
    },
  ];
}
