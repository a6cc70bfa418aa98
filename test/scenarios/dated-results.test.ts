import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

/** It is always an earlier date in the first of them than in the other. */
const yesterday = { env: { TZ: "Etc/GMT+12" } };
const today = { env: { TZ: "Pacific/Kiritimati" } };

/**
 * The files of runs in a folder, with the dates taken for letters in their order. The lock that a killed
 * run leaves is not among them: the next run removes it.
 */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => /\.\w+$/.test(name) && !name.endsWith(".lock"),
  );
  const dates = [...new Set(names.flatMap((name) => name.match(/\d{4}-\d\d-\d\d/g) ?? []))].sort();
  return names
    .map((name) => dates.reduce((text, date, at) => text.replaceAll(date, `<${at + 1}>`), name))
    .map((name) => name.replace(/\d{6}/, "<time>"))
    .sort();
}

/** The command of a job, and a first run of it that was killed while it sent. */
async function killedYesterday(name: string) {
  const service = await sandboxUnderTest({ latencyMs: 10 });
  const place = await scenario("ordering-key");
  const command = (input = "steps.csv") => [
    ...["import", input, "--mapping", "steps.yaml", "--base-url", service.url],
    ...["--results", name, "--resume"],
  ];
  const run = place.start([...command(), "--concurrency", "2"], yesterday);
  while (service.counts().requests < 10) await new Promise((resolve) => setTimeout(resolve, 2));
  run.child.kill("SIGKILL");
  await run.ended;
  return { service, place, command, out: join(place.folder, "out") };
}

it("another date is an import of its own, also after a kill, with a report and a log of its own", async () => {
  const name = "out/{date}/{input} {date} {time}.results.csv";
  const { place, command, out } = await killedYesterday(name);
  const besides = ["--report", "out/{input}.{date}.html", "--log-file", "out/{input}.{date}.log"];
  expect((await place.program([...command(), ...besides], today)).status).toBe(0);
  expect(await filesIn(out)).toEqual([
    ...["<1>/steps <1> <time>.results.csv.journal.1", "<1>/steps <1> <time>.run.json"],
    ...["<2>/steps <2> <time>.results.csv", "<2>/steps <2> <time>.run.json"],
    ...["steps.<2>.html", "steps.<2>.log"],
  ]);
});
