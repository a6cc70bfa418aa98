import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

it("too many errors end with 3, and the run continues more allowed", async () => {
  const service = await startService(({ n }) => (n === 0 ? { status: 202 } : { status: 422 }));
  const { eventload, folder, read, records } = await scenario("plain");
  const [header, ...people] = (await read("people.csv")).trimEnd().split("\n");
  const rows = 10 * people.length;
  const lines = [header, ...Array.from({ length: 10 }, () => people).flat()];
  await writeFile(join(folder, "people.csv"), `${lines.join("\n")}\n`);
  await writeFile(join(folder, "eventload.yaml"), "max_errors: 1%\n");
  const to = ["--mapping", "people.yaml", "--base-url", service.url, "--concurrency", "1"];
  const stopped = await eventload(["import", "people.csv", ...to, "--max-errors", "0", "--json"]);
  expect(stopped.status).toBe(3);
  const { exit_reason, rejected } = JSON.parse(stopped.stdout);
  expect(exit_reason).toBe("too_many_errors");
  // The next one may be leaving at the moment when the first error is counted.
  expect(rejected).toBe(service.receipts.length - 1);
  expect(rejected).toBeLessThanOrEqual(2);
  expect(stopped.stderr).toContain("1 of 2 lines did not succeed, more than --max-errors 0");
  expect(stopped.stderr).toContain("Next: resume it: eventload resume");

  const resumed = await eventload("resume people.results.csv --max-errors 50");
  expect(resumed.status).toBe(1);
  expect(service.receipts).toHaveLength(rows);
  expect((await records("people.failed.csv")).map((line) => line.import_row)).toEqual(
    Array.from({ length: rows - 1 }, (_, at) => `${at + 2}`),
  );

  const wrong = await eventload("retry people.failed.csv --max-errors some");
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain(
    '--max-errors: "some" is not a whole number such as 100 or a share such as 5%, 100% at most',
  );
});
