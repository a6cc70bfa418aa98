import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

async function withFixes() {
  const service = await sandboxUnderTest();
  const people = await scenario("fix-and-retry");
  const { status } = await people.eventload([
    ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
    ...["--results", "out/people.results.csv"],
  ]);
  expect(status).toBe(1);
  const failed = join(people.folder, "out/people.failed.csv");
  const text = await people.read("out/people.failed.csv");
  const long = "x".repeat(500);
  const fixed = text
    .replace(",unknown,", ",33,")
    .replace("\n,Person 7", `\nfound@example.com,${long}`)
    .replace(",12.5,", ",12,");
  expect(fixed).not.toBe(text);
  await writeFile(failed, fixed);
  return people;
}

it("a retry and its check say which cells were changed, by column and with examples", async () => {
  const people = await withFixes();
  const said = `Changed since then: column "Age" in 2 rows (row 4: "unknown" is now "33"), column "Email" in 1 row (row 8: "" is now "found@example.com"), column "Name" in 1 row (row 8: "Person 7" is now "${"x".repeat(40)}…").`;
  const columns = [
    {
      column: "Age",
      rows: 2,
      first: [
        { row: 4, line: 2, results_file: "people.failed.csv", before: "unknown", after: "33" },
        { row: 12, line: 4, results_file: "people.failed.csv", before: "12.5", after: "12" },
      ],
    },
    {
      column: "Email",
      rows: 1,
      first: [expect.objectContaining({ row: 8, before: "", after: "found@example.com" })],
    },
    {
      column: "Name",
      rows: 1,
      first: [expect.objectContaining({ before: "Person 7", after: `${"x".repeat(200)}…` })],
    },
  ];

  const check = ["check", "out/people.failed.csv", "--mapping", "people.yaml"];
  const checked = await people.eventload([...check, "--json"]);
  expect(checked.stderr).toContain(`note: ${said}\n`);
  expect(JSON.parse(checked.stdout).changes).toEqual({ compared: 0, changed: 0, columns });

  const log = ["--log-file", "log.jsonl"];
  const retried = await people.eventload(["retry", "out/people.failed.csv", "--json", ...log]);
  expect(retried.status).toBe(0);
  expect(retried.stderr.match(/Changed since then/g)).toHaveLength(1);
  expect(retried.stderr.indexOf(said)).toBeGreaterThan(-1);
  expect(retried.stderr.indexOf(said)).toBeLessThan(retried.stderr.indexOf("Complete:"));
  expect(JSON.parse(retried.stdout).changes).toEqual({ compared: 0, changed: 0, columns });
  // A log holds no cells.
  expect(await people.read("log.jsonl")).not.toContain("found@example.com");
});

it("says so without a check too, and nothing where nothing was changed or can be compared", async () => {
  const people = await withFixes();
  const retry = ["retry", "out/people.failed.csv", "--no-check"];
  expect((await people.eventload(retry)).stderr).toContain('column "Age" in 2 rows');

  const whole = await people.eventload(["retry", "out/people.retry-1.results.csv", "--json"]);
  expect(whole.stderr).not.toContain("Changed since then");

  const failed = await people.read("out/people.failed.csv");
  await writeFile(join(people.folder, "fixed.csv"), failed);
  const alone = await people.eventload([
    "check",
    "fixed.csv",
    "--mapping",
    "people.yaml",
    "--json",
  ]);
  expect(alone.stderr).not.toContain("Changed since then");
  expect(alone.stderr.match(/there is no fixed.results.csv to compare with/g)).toHaveLength(1);
  expect(JSON.parse(alone.stdout).changes?.columns ?? null).toBeNull();
});
