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
  const results = "out/people.results.csv";
  const first = await people.eventload(`
    import people.csv --mapping people.yaml --base-url ${service.url} --results ${results}
    --delivery at-most-once --timeout 1s
  `);
  expect(first.status).toBe(1);
  const unknownOf = async () =>
    (await people.records(results)).filter((line) => line.import_status === "unknown");
  const unknown = await unknownOf();
  expect(unknown).toMatchObject([
    { Name: "Person 1", import_unanswered: "1", import_error_code: "UND_ERR_SOCKET" },
    { Name: "Person 5", import_unanswered: "1", import_error_code: "timeout" },
  ]);

  // The service answers from now on.
  for (const name of Object.keys(answers)) delete answers[name];
  for (const number of [2, 3]) {
    const retried = await people.eventload("retry out/people.failed.csv --json");
    expect(retried.stderr).toContain("2 lines not sent: unknown, and not sent again, under");
    expect(retried.status).toBe(1);
    const summary = JSON.parse(retried.stdout);
    expect(summary).toMatchObject({ unknown: 2, invalid: 3, part: { number, unknown: 0 } });
    expect(await unknownOf()).toEqual(unknown);
  }
  expect([receivedOf("Person 1"), receivedOf("Person 5")]).toEqual([1, 1]);

  const twice = ["retry", "out/people.failed.csv", "--json", "--delivery", "at-least-once"];
  const last = await people.eventload(twice);
  expect(JSON.parse(last.stdout)).toMatchObject({ succeeded: 10, unknown: 0, unanswered: 2 });
  expect([receivedOf("Person 1"), receivedOf("Person 5")]).toEqual([2, 2]);
  const lines = (await people.records(results)).filter((line) => line.import_part === "4");
  const sent = lines.filter((line) => line.import_status === "succeeded");
  expect(
    sent.map((line) => [line.import_event_id, line.import_attempts, line.import_unanswered]),
  ).toEqual(unknown.map((line) => [line.import_event_id, "2", "1"]));
});
