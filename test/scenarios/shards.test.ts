import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { expectNoSilentRepeat, scenario } from "./scenario.ts";

/** What a line says but for its time and its attempts. */
function withoutAttempts({
  import_finished_at: _,
  import_attempts: __,
  import_unanswered: ___,
  ...line
}: Record<string, string>) {
  return line;
}

test("four shards, one of them killed and resumed by the same command, are merged into one run", async () => {
  let isKilled = false;
  // So the shard that is killed cannot have ended by then.
  const service = await startService(({ n }) => (n < 10 || isKilled ? accepted : "silence"));
  const place = await scenario("ordering-key");
  // An odd row for the failed rows.
  await appendFile(join(place.folder, "steps.csv"), "z@x,no number\n");
  const command = (to: string) => [
    ...["import", "steps.csv", "--mapping", "steps.yaml", "--base-url", to],
    ...["--concurrency", "2", "--idempotency-header", "Idempotency-Key"],
  ];
  const shard = (index: number) => [
    ...command(service.url),
    ...["--shard", `${index}/4`, "--results", "out/{input}.{shard}.results.csv", "--resume"],
  ];
  const killed = 2;
  const slow = place.start(shard(killed));
  await service.received(11);
  slow.child.kill("SIGKILL");
  await slow.ended;
  isKilled = true;
  await Promise.all([1, 3, 4].map((index) => place.program(shard(index))));
  expect(existsSync(join(place.folder, `out/steps.${killed}-of-4.results.csv.journal.1`))).toBe(
    true,
  );

  const files = [1, 2, 3, 4].map((index) => `out/steps.${index}-of-4.results.csv`);
  const merge = ["merge", ...files, "--results", "out/steps.results.csv"];
  const early = await place.program(merge);
  expect(early.status).toBe(2);
  expect(early.stderr).toContain(
    `out/steps.${killed}-of-4.results.csv belongs to an unfinished run: resume it with`,
  );
  const { accounts: found } = JSON.parse((await place.program("status out --json")).stdout);
  expect(found).toHaveLength(4);
  expect(
    found.flatMap((one: { state: string }, at: number) =>
      one.state === "complete" ? [at + 1] : [],
    ),
  ).toEqual([1, 2, 3, 4].filter((index) => index !== killed));
  expect(found[killed - 1].rows_settled).toBeLessThan(found[killed - 1].rows_total);
  const again = await place.program(shard(killed));
  expect(again.stderr).toContain("Resumed after ");

  const merged = await place.program([...merge, "--json"]);
  expect(merged.status).toBe(1);
  const summary = JSON.parse(merged.stdout);
  expect(summary).toMatchObject({ rows: 151, succeeded: 150, invalid: 1, not_sent: 0 });

  const other = await startService(() => accepted);
  await place.program([...command(other.url), "--results", "whole.results.csv"]);
  const [lines, whole] = await Promise.all(
    ["out/steps.results.csv", "whole.results.csv"].map(place.records),
  );
  expect(lines?.map(withoutAttempts)).toEqual(whole?.map(withoutAttempts));
  expect(await place.records("out/steps.failed.csv")).toHaveLength(1);

  const succeeded = lines?.filter((line) => line.import_status === "succeeded") ?? [];
  const ids = service.receipts.map(({ headers }) => String(headers["idempotency-key"]));
  expect(expectNoSilentRepeat(succeeded, ids)).toBeLessThanOrEqual(summary.perhaps_twice);
  const steps = service.receipts.map(({ body }) => {
    const { person, step } = JSON.parse(body);
    return `${person} ${step}`;
  });
  const arrived = [...new Set(steps)];
  const wanted = whole?.filter((line) => line.import_status === "succeeded") ?? [];
  for (const person of new Set(wanted.map((line) => line.Person))) {
    // Rows without a key come in any order.
    if (person === "") continue;
    const ofPerson = wanted.flatMap(({ Person, Step }) =>
      Person === person ? [`${Person} ${Step}`] : [],
    );
    expect(arrived.filter((step) => step.startsWith(`${person} `))).toEqual(ofPerson);
  }

  const report = await place.program("report out/steps.results.csv");
  expect(report).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("Report: out/steps.report.html\n"),
  });
  const retry = await place.program("retry out/steps.failed.csv --json");
  expect(JSON.parse(retry.stdout)).toMatchObject({
    ...{ rows: 151, invalid: 1 },
    part: { number: 2, rows: 1, invalid: 1 },
  });
});
