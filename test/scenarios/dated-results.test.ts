import { appendFile, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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

describe("results with the date in their name", () => {
  it.each([
    [
      "out/{input}.{date}.results.csv",
      ["steps.<1>.results.csv", "steps.<1>.run.json"],
      ["steps.<2>.results.csv", "steps.<2>.run.json"],
    ],
    [
      "out/{date}/{input} {date} {time}.csv",
      ["<1>/steps <1> <time>.csv", "<1>/steps <1> <time>.run.json"],
      ["<2>/steps <2> <time>.csv", "<2>/steps <2> <time>.run.json"],
    ],
  ])(
    "%s: the run of an earlier date is resumed, and then there are new ones",
    async (name, first, second) => {
      const { place, command, out } = await killedYesterday(name);
      const resumed = await place.program(command(), today);
      expect(resumed.stderr).toMatch(/The run of out.* is unfinished, so this continues it\.\n/);
      expect(resumed.stderr).toContain("Complete: 150 rows");
      expect(resumed.status).toBe(0);
      expect(await filesIn(out)).toEqual(first);

      expect((await place.program(command(), today)).status).toBe(0);
      expect(await filesIn(out)).toEqual([...first, ...second]);
    },
  );

  it("is not begun twice while it runs, whatever the date", async () => {
    const service = await sandboxUnderTest();
    const place = await scenario("ordering-key");
    const command = [
      ...["import", "steps.csv", "--mapping", "steps.yaml", "--base-url", service.url],
      ...["--results", "out/{input}.{date}.results.csv", "--resume"],
    ];
    const run = place.start([...command, "--rate", "1/s"], yesterday);
    while (service.counts().requests === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const { status, stderr } = await place.program(command, today);
    expect(stderr).toContain("Another eventload is running on out");
    expect(status).toBe(2);
    run.child.kill("SIGKILL");
    await run.ended;
  });

  it("is not resumed once the input has changed: that is reported, and nothing is sent", async () => {
    const { service, place, command } = await killedYesterday("out/{input}.{date}.results.csv");
    await appendFile(join(place.folder, "steps.csv"), "z@x,1\n");
    const before = service.counts().requests;
    const { status, stderr } = await place.program(command(), today);
    expect(stderr).toMatch(/The unfinished run of out.steps\.\d{4}-.*cannot be resumed: the input/);
    expect(status).toBe(2);
    expect(service.counts().requests).toBe(before);
  });

  it("is warned of where it read another file", async () => {
    const { place, command, out } = await killedYesterday("out/{date}.results.csv");
    await cp(join(place.folder, "steps.csv"), join(place.folder, "more.csv"));
    const { status, stderr } = await place.program(command("more.csv"), today);
    expect(stderr).toMatch(
      /^warning: out.*\.results\.csv belongs to an unfinished run: .*resume out/,
    );
    expect(status).toBe(0);
    expect(await filesIn(out)).toEqual([
      ...["<1>.results.csv", "<1>.results.csv.journal"],
      ...["<2>.results.csv", "<2>.run.json"],
    ]);
  });

  it("without --resume a new run is begun beside it; then the older is resumed first", async () => {
    const { service, place, command, out } = await killedYesterday(
      "out/{input}.{date}.results.csv",
    );
    const before = service.counts().requests;
    const slow = place.start([...command().slice(0, -1), "--rate", "1/s"], today);
    while (service.counts().requests === before) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    slow.child.kill("SIGKILL");
    await slow.ended;
    const resumed = await place.program(command(), today);
    expect(resumed.stderr).toContain("warning: out");
    expect(resumed.status).toBe(0);
    expect(await filesIn(out)).toEqual([
      ...["steps.<1>.results.csv", "steps.<1>.run.json"],
      ...["steps.<2>.results.csv", "steps.<2>.results.csv.journal"],
    ]);
  });
});

it("report and log are named as the results are: a report by the run, a log by the start", async () => {
  const { place, command, out } = await killedYesterday("out/{input}.{date}.results.csv");
  const besides = ["--report", "out/{input}.{date}.html", "--log-file", "out/{input}.{date}.log"];
  expect((await place.program([...command(), ...besides], today)).status).toBe(0);
  expect(await filesIn(out)).toEqual([
    ...["steps.<1>.html", "steps.<1>.results.csv", "steps.<1>.run.json", "steps.<2>.log"],
  ]);
  for (const option of ["--report", "--log-file"]) {
    const { status, stderr } = await place.eventload([...command(), option, "{day}"]);
    expect(stderr).toContain(`eventload: ${option}: {day} stands for nothing; use {input}`);
    expect(status).toBe(2);
  }
});

it("a name of results that cannot be filled in is refused", async () => {
  const { program } = await scenario("plain");
  const command = [
    "import",
    "people.csv",
    "--mapping",
    "people.yaml",
    "--base-url",
    "http://[::1]:9",
  ];
  const { status, stderr } = await program([...command, "--results", "{day}.csv"]);
  expect(stderr).toBe(
    "eventload: --results: {day} stands for nothing; use {input}, {date}, {time}, {target}, {shard}.\n",
  );
  expect(status).toBe(2);
});
