import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { type Scenario, scenario } from "../scenarios/scenario.ts";

/** A service that answers all but one event, which it keeps waiting until it is told otherwise. */
async function serviceThatKeepsWaiting(email: string) {
  const receipts = new Map<string, number>();
  let answer = () => {};
  const willing = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { url } = await startService(async ({ headers, body }) => {
    const id = String(headers["idempotency-key"]);
    receipts.set(id, (receipts.get(id) ?? 0) + 1);
    if (body.includes(email)) await willing;
    return { status: body.includes("refuse-me") ? 422 : 202 };
  });
  return { url, receipts, answer };
}

const rows = 5000;
const waitingEmail = "p7@example.com";

async function place(): Promise<Scenario> {
  const made = await scenario("plain");
  const lines = Array.from({ length: rows }, (_, at) =>
    [`p${at}@example.com`, at % 100 === 99 ? "refuse-me" : `"a\n""name"""`, at].join(","),
  );
  const csv = `Email,First Name,Code\n${lines.join("\n")}\n`;
  await writeFile(join(made.folder, "people.csv"), csv);
  return made;
}

const importArgs = (url: string) => [
  ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", url, "--json"],
  ...["--results", "out/people.results.csv", "--idempotency-header", "Idempotency-Key"],
];

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function expectExact({ records, folder }: Scenario, receipts: Map<string, number>) {
  const lines = await records("out/people.results.csv");
  expect(lines.map((line) => line.import_row)).toEqual(lines.map((_, at) => String(at + 1)));
  expect(lines).toHaveLength(rows);
  const refused = lines.filter((line) => line["First Name"] === "refuse-me");
  expect(refused).toHaveLength(rows / 100);
  expect(lines.filter((line) => line.import_status !== "succeeded")).toEqual(refused);
  expect(await records("out/people.failed.csv")).toEqual(refused);
  let twice = 0;
  for (const { import_event_id: id = "", import_unanswered } of lines) {
    const times = receipts.get(id) ?? 0;
    if (times > 1) twice++;
    expect(times).toBeGreaterThan(0);
    expect(times).toBeLessThanOrEqual(1 + Number(import_unanswered));
  }
  expect(receipts.size).toBe(rows);
  expect(readdirSync(join(folder, "out")).toSorted()).toEqual([
    "people.failed.csv",
    "people.results.csv",
    "people.run.json",
  ]);
  return twice;
}

it("a kill while rows wait for one before them loses none of them", async () => {
  const service = await serviceThatKeepsWaiting(waitingEmail);
  const made = await place();
  const { child, ended } = made.start([...importArgs(service.url), "--concurrency", "8"]);
  await until(() => service.receipts.size > rows - 2000);
  child.kill("SIGKILL");
  await ended;
  const received = service.receipts.size;
  service.answer();
  const resumed = await made.eventload("resume out/people.results.csv --json");
  expect(resumed.status).toBe(1);
  expect(received).toBeLessThan(rows);
  // Those that had their outcome are not sent again.
  expect(await expectExact(made, service.receipts)).toBeLessThanOrEqual(2 * 8);
});
