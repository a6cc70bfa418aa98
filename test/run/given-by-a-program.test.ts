import { expect, test } from "vitest";
import { type ImportProgress, runImport, runResume, runRetry } from "../../src/index.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { hurry } from "../hurry.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping = {
  version: 1,
  resource: "users",
  event: "user.updated",
  members: { name: { column: "name", required: true }, note: "note" },
};

async function* people(count: number): AsyncGenerator<Record<string, string>> {
  for (let at = 1; at <= count; at++) yield { name: at === 2 ? "" : `n ${at}`, note: 'a "b",\nc' };
}

async function given() {
  const workspace = await openWorkspace([["name"], ["x"]], "version: 1\n");
  await workspace.write("rows.json", JSON.stringify(mapping));
  const service = await startService(() => accepted);
  const options = {
    mapping: workspace.path("rows.json"),
    baseUrl: service.url,
    token: "a-token",
  };
  return {
    workspace,
    service,
    options: { ...options, results: workspace.path("rows.results.csv") },
  };
}

test("rows may be objects, and what did not succeed can be retried", async () => {
  const { workspace, service, options } = await given();
  const summary = await runImport({ ...options, input: people(4) });
  expect(summary).toMatchObject({ exitReason: "complete", counts: { succeeded: 3, invalid: 1 } });
  const bodies = service.receipts.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ name }) => name).toSorted()).toEqual(["n 1", "n 3", "n 4"]);
  expect(bodies[0]).toMatchObject({ event: "user.updated", note: 'a "b",\nc' });

  const failed = workspace.path("rows.failed.csv");
  await workspace.write(
    "rows.failed.csv",
    (await workspace.text("rows.failed.csv")).replace(/^,/m, "n 2,"),
  );
  const retried = await runRetry({ input: failed, token: "a-token" });
  expect(retried).toMatchObject({ exitReason: "complete", counts: { succeeded: 4, invalid: 0 } });
});

test("a run of a program is resumed", async () => {
  const { workspace, options } = await given();
  const stop = new AbortController();
  const onProgress = (progress: ImportProgress) => {
    if (progress.phase === "send" && progress.rowsEnded > 3) stop.abort();
  };
  await workspace.write("many.csv", [["name", "note"], ...Array(500).fill(["n", "x"])]);
  const input = workspace.path("many.csv");
  const run = { ...options, input, check: false, concurrency: 1, ratePerSecond: 200 };
  const first = await runImport({ ...run, signal: stop.signal, onProgress });
  expect(first.exitReason).toBe("interrupted");
  hurry(10); // its rate is that of the run
  const resumed = await runResume({ results: options.results, token: "a-token" });
  expect(resumed).toMatchObject({ exitReason: "complete", counts: { succeeded: 500 } });
});

test("of rows with a column that the first does not have, none is sent", async () => {
  const { options, service } = await given();
  async function* rows() {
    yield { name: "n 1", note: "" };
    yield { name: "n 2", other: "x" };
  }
  const input = rows() as AsyncIterable<Record<string, string>>;
  await expect(runImport({ ...options, input })).rejects.toMatchObject({
    code: "input_damaged",
    message: expect.stringContaining("row 2 has a column that the first row does not have: other"),
  });
  expect(service.receipts).toEqual([]);
});

test("a mapping that is no path is refused", async () => {
  const { options } = await given();
  for (const none of [undefined, { version: 1 }]) {
    const mapping = none as unknown as string;
    await expect(runImport({ ...options, input: people(1), mapping })).rejects.toMatchObject({
      code: "option_invalid",
    });
  }
});

test("the summary has names in camel case; only words of the results and the manifest are as they are there", async () => {
  const { options } = await given();
  const summary = await runImport({ ...options, input: people(4) });
  const namesIn = (value: unknown): string[] =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([name, inside]) => [name, ...namesIn(inside)]);
  const { counts: _, part, sending, ...rest } = summary;
  const { latency, ...others } = sending ?? {};
  expect(namesIn(part).filter((name) => name.includes("_"))).toEqual(["not_sent"]);
  expect(latency).toMatchObject({ p50_ms: expect.any(Number) });
  expect(namesIn({ rest, others }).filter((name) => name.includes("_"))).toEqual([]);
});
