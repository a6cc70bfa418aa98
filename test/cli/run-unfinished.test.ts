import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { situation } from "./situation.ts";

/** Results of a run that has stopped after one event, and can be resumed. */
async function stoppedRun(name: string) {
  const { url } = await startService(({ n }) => ({ status: n === 0 ? 202 : 401 }));
  const { path, run, import: send } = await situation();
  const results = path(name);
  await mkdir(dirname(results), { recursive: true });
  const typed = ["--base-url", url, "--results", results, "--concurrency", "1"];
  expect((await send(typed)).status).toBe(3);
  return { path, run, results, send: () => send(typed) };
}

it.each([
  ["oz/plain.results.csv", ["oz/plain.results.csv", "oz/plain.failed.csv"]],
  ["ok 9/it's.results.csv", ["ok 9/it's.results.csv"]],
])("names the results of an unfinished run, %j, as they can be typed", async (name, given) => {
  const { path, run, results, send } = await stoppedRun(name);
  const goOn = results.includes("'")
    ? "eventload resume FILE, where FILE is its path, quoted as your shell needs it"
    : `eventload resume ${results}`;
  expect((await send()).stderr).toContain(goOn);
  for (const file of given) {
    for (const argv of [["retry"], ["export"]]) {
      const { status, stderr } = await run([...argv, path(file)]);
      expect(status).toBe(2);
      expect(stderr).toBe(
        `eventload: ${results} belongs to an unfinished run: resume it with ${goOn}\n`,
      );
    }
  }
  // The journal of an import says all that its manifest does.
  await rm(results.replace(/\.results\.csv$/, ".run.json"));
  expect((await run(["retry", path(given[0] ?? "")])).stderr).toContain(goOn);
});
