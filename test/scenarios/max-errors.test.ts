import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

it("too many errors end with 3, and the run goes on with more allowed", async () => {
  const service = await startService(({ n }) => (n === 0 ? { status: 202 } : { status: 422 }));
  const { eventload, folder, records } = await scenario("plain");
  await writeFile(join(folder, "eventload.yaml"), "max_errors: 1%\n");
  const to = ["--mapping", "people.yaml", "--base-url", service.url, "--concurrency", "1"];
  const stopped = await eventload(["import", "people.csv", ...to, "--max-errors", "0", "--json"]);
  expect(stopped.status).toBe(3);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ exit_reason: "too_many_errors", rejected: 1 });
  expect(stopped.stderr).toContain("1 of 2 events did not succeed, more than --max-errors 0");
  expect(stopped.stderr).toContain("Next: go on where it stopped: eventload resume");

  // In the environment, which beats the file.
  const env = { EVENTLOAD_MAX_ERRORS: "5" };
  const resumed = await eventload(["resume", "people.results.csv"], { env });
  expect(resumed.status).toBe(1);
  expect(service.receipts).toHaveLength(3);
  expect((await records("people.failed.csv")).map((line) => line.import_row)).toEqual(["2", "3"]);

  const wrong = await eventload(["retry", "people.failed.csv", "--max-errors", "some"]);
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain(
    '--max-errors: "some" is neither a whole number such as 100 nor a share such as 5%',
  );
});
