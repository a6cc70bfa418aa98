import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

/** An import of 150 rows that has begun to send. */
async function atWork(...more: string[]) {
  const service = await sandboxUnderTest({ latencyMs: 30 });
  const place = await scenario("ordering-key");
  const command = [
    ...["import", "steps.csv", "--mapping", "steps.yaml", "--base-url", service.url],
    ...["--results", "out/steps.results.csv", "--concurrency", "2"],
    ...more,
  ];
  const run = place.start(command);
  while (service.counts().requests < 5) await new Promise((resolve) => setTimeout(resolve, 2));
  return { service, place, command, run };
}

it("a second run on the same results ends with 2, and sends nothing, also if the first is stopped", async () => {
  const { place, command, run } = await atWork();
  run.child.kill("SIGSTOP");
  const service = await sandboxUnderTest();
  const elsewhere = command.map((arg) => (arg.startsWith("http:") ? service.url : arg));
  for (const second of [
    elsewhere,
    [...elsewhere, "--resume"],
    ["resume", "out/steps.results.csv"],
  ]) {
    const { status, stderr } = await place.eventload(second);
    expect(status).toBe(2);
    expect(stderr).toContain("Another eventload is running on out/steps.results.csv");
  }
  expect(service.counts().requests).toBe(0);
  run.child.kill("SIGCONT");
  expect((await run.ended).status).toBe(0);
});

it("a second run leaves the metrics to the run that is in progress", async () => {
  const { place, command, run } = await atWork("--metrics-file", "steps.prom", "--rate", "20/s");
  const before = await place.read("steps.prom");
  expect(before).toContain('eventload_running{run="steps"} 1\n');
  for (const second of [
    command,
    [...command, "--resume"],
    ["resume", "out/steps.results.csv", "--metrics-file", "steps.prom"],
  ]) {
    expect((await place.eventload(second)).status).toBe(2);
    expect(await place.read("steps.prom")).toBe(before);
  }
  run.child.kill("SIGTERM");
  expect((await run.ended).status).toBe(143);
  expect(await place.read("steps.prom")).toContain('exit_reason="interrupted"');
});

it("what killed processes have left goes with the next run that has the lock, and nothing else", async () => {
  const { place, run, command } = await atWork();
  const out = join(place.folder, "out");
  run.child.kill("SIGKILL");
  await run.ended;
  const ours = ["night.run.json.0123456789ab.part", "night.results.csv.journal.1"];
  const others = [
    "steps.run.json.0123456789ab.part",
    "notes.csv.0123456789ab.part",
    "night.run.json.part",
    ".eventload-0123456789ab-0123456789ab.lock",
  ];
  for (const name of [...ours, ...others]) await writeFile(join(out, name), "");
  await mkdir(join(out, "night.run.json.ffffffffffff.part"));
  const service = await sandboxUnderTest();
  const night = command.map((word) =>
    word.startsWith("http:") ? service.url : word.replace("out/steps", "out/night"),
  );
  expect((await place.eventload(night)).status).toBe(0);
  const left = await readdir(out);
  expect(left).toEqual(expect.arrayContaining([...others, "night.run.json.ffffffffffff.part"]));
  expect(left.filter((name) => ours.includes(name))).toEqual([]);
});
