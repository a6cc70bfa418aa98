import { appendFile, copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventload } from "../cli/fake-host.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { expectNoSilentRepeat, idsIn, type Scenario, scenario } from "./scenario.ts";

const three = ["north.csv", "south/people.csv", "east.csv"];

/** Imports three files, of which two have a bad row, into a service that records what it takes. */
async function imported() {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile: record });
  const place = await scenario("several-files");
  const ended = await place.eventload([
    ...["import", ...three, "--mapping", "people.yaml", "--base-url", service.url],
  ]);
  return { place, record, service, ended };
}

const bodies = async (record: string) => (await readRecord(record)).map(({ body }) => body);
const text = async (place: Scenario, name: string) =>
  (await place.records(name)).map((line) => [
    ...[line.import_row, line.import_line, line.import_source, line.import_status],
    ...[line.Email, line.Age, line.Note],
  ]);

it("several files in one run each row has its file, its line there, and a number of its own", async () => {
  const { place, record, ended } = await imported();
  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain('"eighty" in row 2 (line 4 of north.csv)\n');
  expect(ended.stderr).toContain('"nine" in row 5 (line 3 of people.csv)\n');
  expect(ended.stderr).toContain("Results:     north.results.csv");

  const [header] = (await place.read("north.results.csv")).split("\n");
  expect(header).toMatch(/^Email,Age,Note,import_row,import_line,import_source,import_event,/);
  expect(await text(place, "north.results.csv")).toEqual([
    ["1", "2", "north.csv", "succeeded", "ada@example.com", "36", "two\nlines"],
    ["2", "4", "north.csv", "invalid", "grace@example.com", "eighty", ""],
    ["3", "6", "north.csv", "succeeded", "edsger@example.com", "72", " kept "],
    ["4", "2", "people.csv", "succeeded", "barbara@example.com", "41", "=1+1"],
    ["5", "3", "people.csv", "invalid", "alan@example.com", "nine", ""],
    ["6", "2", "east.csv", "succeeded", "tony@example.com", "90", ""],
  ]);
  const places = (await bodies(record)).map(({ from, row, line }) => ({ from, row, line }));
  expect(places.toSorted((a, b) => Number(a.row) - Number(b.row))).toEqual([
    { from: "north.csv", row: 1, line: 2 },
    { from: "north.csv", row: 3, line: 6 },
    { from: "people.csv", row: 4, line: 2 },
    { from: "east.csv", row: 6, line: 2 },
  ]);

  const manifest = JSON.parse(await place.read("north.run.json"));
  const lines = await place.records("north.results.csv");
  expect(manifest.input).toMatchObject({ path: null, name: "north.csv and 2 more" });
  expect(lines.map((line) => line.import_input)).toEqual(Array(6).fill(manifest.input.id));
  expect(manifest.inputs).toMatchObject(
    three.map((path) => ({ path: join(place.folder, path), sha256: expect.any(String) })),
  );
  const sizes: number[] = manifest.inputs.map(({ bytes }: { bytes: number }) => bytes);
  expect(manifest.input.bytes).toBe(sizes.reduce((sum, bytes) => sum + bytes));
});

describe("after kill -9", () => {
  const parts = ["one.csv", "two.csv", "three.csv"];
  const results = "out/steps.results.csv";

  /** Starts an import of 150 rows in three files, and kills it when so many requests have come. */
  async function killedAfter(requests: number) {
    const record = await temporaryPath("received.jsonl");
    const service = await sandboxUnderTest({ recordFile: record, latencyMs: 10 });
    const place = await scenario("ordering-key");
    const [header, ...rows] = (await place.read("steps.csv")).trimEnd().split("\n");
    for (const [at, name] of parts.entries()) {
      const own = rows.slice(50 * at, 50 * at + 50);
      await writeFile(join(place.folder, name), `${[header, ...own].join("\n")}\n`);
    }
    const command = [
      ...["import", ...parts, "--mapping", "steps.yaml", "--base-url", service.url],
      ...["--results", results, "--concurrency", "4", "--idempotency-header", "Idempotency-Key"],
    ];
    const run = place.start(command);
    while (service.counts().requests < requests) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    run.child.kill("SIGKILL");
    await run.ended;
    return { place, service, record, command };
  }

  it.each([30, 90])("at %i requests, resume goes on through the other files", async (requests) => {
    const { place, record, command } = await killedAfter(requests);
    const other = command.map((arg) => (arg === "two.csv" ? join(place.folder, arg) : arg));
    const args = requests < 50 ? ["resume", results] : [...other, "--resume"];
    const { status, stderr } = await place.eventload(args);
    expect(stderr).toContain("Complete: 150 rows, 150 events");
    expect(status).toBe(0);
    const lines = await place.records(results);
    expect(lines.map((line) => [line.import_row, line.import_source, line.import_line])).toEqual(
      Array.from({ length: 150 }, (_, at) => [
        ...[`${at + 1}`, parts[Math.floor(at / 50)], `${(at % 50) + 2}`],
      ]),
    );
    expectNoSilentRepeat(lines, await idsIn(record));
  });

  it("not with a file that has changed, one less, one more, or in another order", async () => {
    const { place, command, service } = await killedAfter(60);
    const before = service.counts().requests;
    const path = (name: string) => join(place.folder, name);
    const files = new Set([...parts, "steps.yaml", results]);
    const whole = command.map((arg) => (files.has(arg) ? path(arg) : arg));
    await copyFile(path("three.csv"), path("four.csv"));
    const [word = "", one = "", two = "", three = "", ...rest] = whole;
    for (const inputs of [
      [one, three],
      [one, two, three, path("four.csv")],
      [two, one, three],
      [one],
    ]) {
      const { status, stderr } = await eventload([word, ...inputs, ...rest, "--resume"]);
      expect(status).toBe(2);
      expect(stderr).toContain("it read one.csv, two.csv, three.csv in this order");
    }
    await appendFile(path("two.csv"), "\n");
    const { status, stderr } = await eventload(`resume ${path(results)}`);
    expect(status).toBe(2);
    expect(stderr).toContain(`the input ${path("two.csv")} has changed`);
    expect(stderr).not.toContain("three.csv");
    await rm(path("two.csv"));
    const gone = await eventload(`resume ${path(results)}`);
    expect(gone.stderr).toContain(`There is no file ${path("two.csv")}.`);
    expect(service.counts().requests).toBe(before);
  });
});
