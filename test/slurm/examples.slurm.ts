import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario, testToken } from "../scenarios/scenario.ts";
import { type Slurm, startSlurm, until } from "./start-slurm.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const people = 40;
const stepsOfEach = 10;

/** States of a job that has not ended. */
const active = /PENDING|RUNNING|COMPLETING|REQUEUED/;

let slurm: Slurm | undefined;
beforeAll(async () => {
  slurm = await startSlurm();
});
afterAll(() => slurm?.stop());

test("a task that is killed and one that is requeued are resumed, and the merge follows", async () => {
  const { place, submit, isSending, ended, log, expectMerged } = await importToSubmit();
  const { array, merge } = await submit();
  await isSending(1);
  // The step is eventload; for a whole task, scancel sends SIGTERM first.
  await slurm?.run("scancel", "--signal=KILL", `${array}_1.0`);
  await isSending(2);
  await slurm?.run("scontrol", "requeue", `${array}_2`);

  expect(await ended(merge)).toMatchObject([{ state: "FAILED", exitCode: "1:0" }]);
  const tasks = await ended(array);
  expect(tasks.map(({ state, exitCode }) => [state, exitCode])).toEqual(
    Array(4).fill(["COMPLETED", "0:0"]),
  );
  const restarts = Object.fromEntries(tasks.map((one) => [one.task, one.restarts]));
  expect(restarts).toEqual({ 1: 0, 2: 1, 3: 0, 4: 0 });
  expect(await log("eventload-1")).toContain("task 0: Killed");
  expect(await log("eventload-2")).toContain("Interrupted: what was in flight is recorded.");
  expect(await log("eventload-merge")).toContain("401 rows, 400 events by 4 shards in ");

  const unanswered = await expectMerged();
  const { unanswered: counted } = JSON.parse(await place.read("out/steps.run.json"));
  expect(counted).toBe(unanswered);
});

test("scancel lets eventload drain, and what is submitted again sends only the rest", async () => {
  const { service, submit, isSending, ended, log, expectMerged } = await importToSubmit();
  const first = await submit();
  await ended(first.array, "1");
  await isSending(3);
  await slurm?.run("scancel", first.array);
  const tasks = await ended(first.array);
  const [complete, cancelled] = ["1", "3"].map((task) => tasks.find((one) => one.task === task));
  expect(complete).toMatchObject({ state: "COMPLETED", exitCode: "0:0" });
  expect(cancelled).toMatchObject({ state: "CANCELLED", exitCode: "143:0" });
  expect(await log("eventload-3")).toContain("Interrupted: what was in flight is recorded.");
  expect(await ended(first.merge)).toMatchObject([{ state: "CANCELLED" }]);

  const second = await submit();
  expect(await ended(second.merge)).toMatchObject([{ state: "FAILED", exitCode: "1:0" }]);
  expect(await expectMerged()).toBe(0);
  expect(service.counts().requests).toBe(people * stepsOfEach);
});

/** An import that takes each shard some seconds, with one odd row, and examples/slurm to submit it. */
async function importToSubmit() {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record, latencyMs: 20 });
  const place = await scenario("ordering-key");
  const { folder } = place;
  const steps = Array.from({ length: stepsOfEach }, (_, at) => at + 1);
  const rows = steps.flatMap((step) =>
    Array.from({ length: people }, (_, person) => `p${person}@example.com,${step}\n`),
  );
  await writeFile(join(folder, "steps.csv"), `Person,Step\n${rows.join("")}z@x,no number\n`);
  await writeFile(join(folder, "token"), `${testToken}\n`, { mode: 0o600 });
  await cp(pathOf("examples/slurm"), join(folder, "slurm"), { recursive: true });
  const bin = join(folder, "bin");
  await mkdir(bin);
  const program = `#!/bin/sh\nexec "${process.execPath}" "${pathOf("dist/cli/bin.js")}" "$@"\n`;
  await writeFile(join(bin, "eventload"), program, { mode: 0o755 });

  const stateOf = async (shard: number) => {
    const { stdout } = await place.eventload("status out --json");
    const { accounts } = JSON.parse(stdout);
    return accounts.find((one: { results: string }) => one.results.includes(`${shard}-of-`));
  };
  const logs = async () => {
    const names = (await readdir(join(folder, "out"))).filter((name) => name.endsWith(".log"));
    const texts = names.map((name) => place.read(`out/${name}`));
    return (await Promise.all(texts)).map((text, at) => `${names[at]}:\n${text}`).join("\n");
  };
  const waitUntil = (what: string, isSo: () => Promise<boolean>) =>
    until(what, isSo, 90_000).catch(async (error: unknown) => {
      const known = [await slurm?.run("squeue"), await logs(), await slurm?.logs()];
      throw new Error([String(error), ...known].join("\n"));
    });

  return {
    place,
    service,
    /** Submits the array and the merge. */
    async submit() {
      const path = `${bin}${delimiter}${process.env.PATH}`;
      const said = await slurm?.run(
        ...(["env", `--chdir=${folder}`, `PATH=${path}`, "slurm/submit.sh"] as const),
        ...["4", "steps.csv", service.url, "--token-file", "token", "--rate", "60/s"],
      );
      const [, array = "", merge = ""] = /^Job (\d+) imports, job (\d+) /.exec(said ?? "") ?? [];
      expect([array, merge]).not.toContain("");
      return { array, merge };
    },
    /** Waits until a shard has sent some of its rows, and has more to send. */
    isSending: (shard: number) =>
      waitUntil(`shard ${shard} sends`, async () => {
        const { state, rows_settled: settled = 0 } = (await stateOf(shard)) ?? {};
        expect(state).not.toBe("complete");
        return settled >= 5;
      }),
    /** Waits until a job has ended, each task if it is an array; or a task of an array. */
    async ended(id: string, task?: string) {
      const jobs = async () => {
        const all = (await slurm?.jobs(id)) ?? [];
        return task === undefined ? all : all.filter((one) => one.task === task);
      };
      await waitUntil(`job ${id} ends`, async () => {
        const found = await jobs();
        return found.length > 0 && found.every(({ state }) => !active.test(state));
      });
      return jobs();
    },
    log: (name: string) => place.read(`out/${name}.log`),
    /**
     * Compares the merged results with those of one run; no event arrived twice without a line that says so.
     *
     * @returns how many attempts were unanswered
     */
    async expectMerged() {
      const other = await sandboxUnderTest();
      await place.program(`import steps.csv --base-url ${other.url} --results whole.results.csv`);
      const [merged = [], whole = []] = await Promise.all(
        ["out/steps.results.csv", "whole.results.csv"].map(place.records),
      );
      const kept = (lines: Record<string, string>[]) =>
        lines.map((line) => [line.import_row, line.import_event_id, line.import_status, line.Step]);
      expect(kept(merged)).toEqual(kept(whole));
      expect(merged).toHaveLength(people * stepsOfEach + 1);
      expect(await place.records("out/steps.failed.csv")).toHaveLength(1);
      const unanswered = merged.reduce((sum, line) => sum + Number(line.import_unanswered), 0);
      expect(service.counts().repeats).toBeLessThanOrEqual(unanswered);
      const arrived = (await readRecord(record)).map(({ body }) => `${body.person} ${body.step}`);
      expect(new Set(arrived).size).toBe(people * stepsOfEach);
      return unanswered;
    },
  };
}
