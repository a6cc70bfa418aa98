import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import { resultsColumns } from "../../src/model/results-columns.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

it("results without their import_ columns are the input, cell for cell, in input order", async () => {
  const service = await sandboxUnderTest({ latencyMs: 5, failRate: 0.2, seed: 3 });
  const { eventload, folder } = await scenario("awkward-cells");
  const { status } = await eventload(
    `import people.csv --mapping people.yaml --base-url ${service.url} --max-attempts 20`,
  );
  expect(status).toBe(0);
  const cells = async (file: string): Promise<string[][]> =>
    parse(await readFile(join(folder, file)), { bom: true, record_delimiter: ["\r\n", "\n"] });
  const input = await cells("people.csv");
  const results = await cells("people.results.csv");
  expect(results.map((line) => line.slice(0, -13))).toEqual(input);
  expect(results[0]?.slice(-13)).toEqual(resultsColumns);
  // Row 1 spans lines 2 and 3.
  expect(results.slice(1).map((line) => line.at(-12))).toEqual(["2", "4", "5", "6"]);
});

it("events of one person arrive in file order, though others fail and are retried", async () => {
  const record = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({
    recordFile: record,
    latencyMs: 3,
    failRate: 0.15,
    seed: 9,
  });
  const { eventload, records } = await scenario("ordering-key");
  const { status } = await eventload(
    `import steps.csv --mapping steps.yaml --base-url ${service.url} --max-attempts 50`,
  );
  expect(status).toBe(0);

  const received = new Map<unknown, unknown[]>();
  for (const { body } of await readRecord(record)) {
    const person = body.person ?? "";
    received.set(person, [...(received.get(person) ?? []), body.step]);
  }
  for (const [person, steps] of received) {
    const inOrder = [...steps.keys()].map((at) => at + 1);
    // Rows without a person are nobody's: they go as they come.
    if (person !== "") expect(steps).toEqual(inOrder);
    else expect(steps.toSorted((a, b) => Number(a) - Number(b))).toEqual(inOrder);
  }
  expect(await records("steps.results.csv")).toHaveLength(150);
});
