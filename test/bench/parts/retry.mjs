import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { answerAll } from "../answer-all.mjs";
import { medianOf } from "../in-turn.mjs";
import { mapping, runMeasured } from "../run-measured.mjs";
import { writeRows } from "../write-rows.mjs";

const refused = 10;

/** A retry of ten rows of a large account, beside a `check` of its input; memory beside that of the import. */
export async function measureRetry({ folder, env, rounds, isQuick }) {
  const rows = isQuick ? 200_000 : 2_000_000;
  const input = join(folder, "retried.csv");
  const account = ["results.csv", "failed.csv", "run.json"].map((kind) =>
    join(folder, `retried.${kind}`),
  );
  const [results, failed] = account;
  await writeRows(input, rows);
  console.error("Retry:");
  const service = await answerAll({ refused });
  const sending = ["--mapping", mapping, "--base-url", service.url];
  const imported = await runMeasured(["import", input, ...sending, "--results", results], { env });
  for (const path of account) await copyFile(path, `${path}.kept`);
  const measured = { check: [], retry: [] };
  for (let round = 0; round < rounds; round++) {
    measured.check.push(await runMeasured(["check", input, "--mapping", mapping], {}));
    measured.retry.push(await runMeasured(["retry", failed, "--base-url", service.url], { env }));
    const { counts } = JSON.parse(await readFile(account[2], "utf8"));
    if (counts.succeeded !== rows) throw new Error(`${counts.succeeded} of ${rows} succeeded`);
    for (const path of account) await copyFile(`${path}.kept`, path);
    const [check, retry] = [measured.check.at(-1), measured.retry.at(-1)];
    console.error(`  check ${check.seconds} s, retry ${retry.seconds} s, ${retry.peakRssMb} MB`);
  }
  service.close();
  for (const path of [input, ...account]) await rm(path, { force: true });
  const ratio = (figure, ones) => medianOf(measured.retry, figure) / medianOf(ones, figure);
  const what = `retry of ${refused} of ${rows} rows`;
  return [
    { what: `${what} / check`, atMost: 1.5, ratio: ratio("seconds", measured.check) },
    { what: `${what}, memory / import`, atMost: 1, ratio: ratio("peakRssMb", [imported]) },
  ];
}
