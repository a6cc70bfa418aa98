import { expect, it } from "vitest";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

it("an event that is unknown under at-most-once stays so through retries, until it may arrive twice", async () => {
  const answers: Record<string, Reply> = { "Person 1": "cut", "Person 5": "silence" };
  const nameOf = (body: string): string => JSON.parse(body).name;
  const service = await startService(({ body }) => answers[nameOf(body)] ?? { status: 202 });
  const receivedOf = (name: string) =>
    service.receipts.filter(({ body }) => nameOf(body) === name).length;
  const people = await scenario("fix-and-retry");
  const first = await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv", "--delivery", "at-most-once", "--timeout", "1s"],
  ]);
  expect(first.status).toBe(1);

  const unknownOf = async (file: string) =>
    (await people.records(file)).flatMap((line) => {
      const { import_status: status, import_unanswered: unanswered } = line;
      const { import_error_code: code, import_event_id: id, import_error: error } = line;
      return status === "unknown" ? { name: line.Name, unanswered, code, id, error } : [];
    });
  const unknown = await unknownOf("out/people.results.csv");
  expect(unknown).toMatchObject([
    { name: "Person 1", unanswered: "1", code: "UND_ERR_SOCKET" },
    { name: "Person 5", unanswered: "1", code: "timeout" },
  ]);

  // The service answers from now on.
  for (const name of Object.keys(answers)) delete answers[name];
  let file = "out/people.failed.csv";
  for (const number of [1, 2]) {
    const retried = await people.eventload(["retry", file, "--json"]);
    expect(retried.status).toBe(1);
    expect(JSON.parse(retried.stdout)).toMatchObject({ unknown: 2, invalid: 3, attempts: 0 });
    expect(await unknownOf(`out/people.retry-${number}.results.csv`)).toEqual(unknown);
    file = `out/people.retry-${number}.failed.csv`;
    expect(await unknownOf(file)).toEqual(unknown);
  }
  const check = await people.eventload(["check", file, "--mapping", "people.yaml", "--json"]);
  expect(JSON.parse(check.stdout)).toMatchObject({ events: 0, skipped_rows: 2 });
  const manifest = JSON.parse(await people.read("out/people.retry-2.run.json"));
  expect(manifest).toMatchObject({ options: { delivery: "at-most-once" }, unanswered: 0 });
  expect([receivedOf("Person 1"), receivedOf("Person 5")]).toEqual([1, 1]);

  const last = await people.eventload(["retry", file, "--json", "--delivery", "at-least-once"]);
  expect(JSON.parse(last.stdout)).toMatchObject({ succeeded: 2, unknown: 0, attempts: 2 });
  expect([receivedOf("Person 1"), receivedOf("Person 5")]).toEqual([2, 2]);
  const delivered = (await people.records("out/people.retry-3.results.csv")).filter(
    (line) => line.import_status === "succeeded",
  );
  expect(delivered.map((line) => [line.import_event_id, line.import_unanswered])).toEqual(
    unknown.map(({ id }) => [id, "1"]),
  );

  // Even at-most-once, and from the file that says unknown, what has been delivered since is known.
  const again = await people.eventload(["retry", "out/people.failed.csv", "--json"]);
  expect(again.stderr).toContain(
    "2 events were delivered by people.retry-3.results.csv and are left out.",
  );
  expect(JSON.parse(again.stdout)).toMatchObject({ skipped: 2, unknown: 0, attempts: 0 });
});
