import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { startProgram } from "../running-program.ts";
import { situation } from "../situation.ts";

it("a run of standard input that is stopped has an outcome for all that was read, and is retried", async () => {
  const { url, counts } = await sandboxUnderTest();
  const { folder, read, run, path } = await situation();
  const to = [
    "--mapping",
    "people.yaml",
    "--base-url",
    url,
    "--results",
    "out.results.csv",
    "--rate",
    "50/s",
  ];
  const { child, exited, stderr } = startProgram(["import", "-", ...to], folder);
  const people = await read("people.csv");
  child.stdin.write(people + "ada@example.com,Ada,1\n".repeat(20_000));
  while (counts().requests < 3) await sleep(10);
  child.kill("SIGINT");
  expect(await exited).toEqual([130, null]);
  expect(stderr()).toContain("Standard input cannot be read again, so this run cannot be resumed");
  expect(stderr()).not.toContain("eventload resume");

  const again = await run(["resume", path("out.results.csv")]);
  expect(again.stderr).toContain("Complete already, so nothing was sent");
  const retry = `eventload retry ${path("out.failed.csv")}`;
  expect(again.stderr.replaceAll(/\s+/g, " ")).toContain(retry);
  expect(again.status).toBe(130);
  const before = counts().requests;
  expect((await run(retry.split(" ").slice(1).concat("--rate", "100/s"))).status).toBe(0);
  expect(counts().requests).toBeGreaterThan(before);
});
