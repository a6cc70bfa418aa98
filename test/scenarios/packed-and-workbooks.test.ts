import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { writeXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const inputs: Record<string, (csv: Buffer) => Promise<Uint8Array> | Uint8Array> = {
  "steps.csv.gz": (csv) => gzipSync(csv),
  "steps.xlsx": (csv) => writeXlsx({ sheets: [{ name: "Steps", rows: parse(csv) }] }),
};

describe.each(Object.entries(inputs))("%s", (name, pack) => {
  async function place() {
    const folder = await scenario("ordering-key");
    const csv = await readFile(join(folder.folder, "steps.csv"));
    const packed = Buffer.from(await pack(csv));
    await writeFile(join(folder.folder, name), packed);
    return folder;
  }

  it("a run that was killed goes on from the beginning, and sends what is left", async () => {
    const record = await temporaryPath("received.jsonl");
    const service = await sandboxUnderTest({ recordFile: record, latencyMs: 20 });
    const { start, eventload, read, records } = await place();
    const run = start(`
      import ${name} --mapping steps.yaml --base-url ${service.url}
      --results out/steps.results.csv --concurrency 4 --idempotency-header Idempotency-Key
    `);
    while (service.counts().requests < 40) await new Promise((resolve) => setTimeout(resolve, 2));
    run.child.kill("SIGKILL");
    await run.ended;
    const { status, stdout, stderr } = await eventload("resume out/steps.results.csv --json");
    expect(stderr).toMatch(/Resumed after \d+ rows/);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 150, succeeded: 150, not_sent: 0 });
    expect(status).toBe(0);

    const csv = parse(await read("steps.csv"), { columns: true });
    const lines = await records("out/steps.results.csv");
    expect(lines.map((line) => line.import_row)).toEqual(lines.map((_, at) => String(at + 1)));
    const cells = lines.map((line) =>
      Object.fromEntries(Object.entries(line).filter(([column]) => !column.startsWith("import_"))),
    );
    expect(cells).toEqual(csv);
    const received = (await readRecord(record)).map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(received)).toEqual(new Set(lines.map((line) => line.import_event_id)));
    // A kill leaves at most twice the concurrency in doubt.
    expect(received.length - new Set(received).size).toBeLessThanOrEqual(8);
  });
});

it("a packed CSV file is read from standard input too", async () => {
  const place = await scenario("ordering-key");
  const stdin = gzipSync(await readFile(join(place.folder, "steps.csv")));
  const { status, stdout } = await place.eventload("check - --mapping steps.yaml --json", {
    stdin,
  });
  expect(JSON.parse(stdout)).toMatchObject({ rows: 150, events: 150, invalid_rows: 0 });
  expect(status).toBe(0);
});

it("a check of a workbook from standard input is refused with what to do", async () => {
  const place = await scenario("ordering-key");
  const stdin = Buffer.from(await writeXlsx({ sheets: [{ name: "Steps", rows: [["a"], ["b"]] }] }));
  const { status, stderr } = await place.program("check - --mapping steps.yaml", { stdin });
  expect(stderr).toContain("or from standard input: save it as a file, and give that.");
  expect(status).toBe(2);
});
