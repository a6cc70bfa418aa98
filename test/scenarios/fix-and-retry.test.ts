import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

/** Imports the 13 rows of which 3 are bad. */
async function imported(): Promise<{ people: Scenario }> {
  const service = await sandboxUnderTest();
  const people = await scenario("fix-and-retry");
  const { status, stderr } = await people.eventload(`
    import people.csv --mapping people.yaml --base-url ${service.url}
    --results out/people.results.csv
  `);
  expect(status).toBe(1);
  expect(stderr).toContain('"unknown" in row 4 (line 5)\n');
  expect(stderr).toContain("eventload retry out/people.failed.csv");
  return { people };
}

describe("10 good and 3 bad rows", () => {
  it("a retry says where in the file that it reads a row is, and the summary where in the input", async () => {
    const { people } = await imported();
    const place = "row 8 (line 3 of people.failed.csv)";
    const check = await people.eventload("check out/people.failed.csv -m people.yaml");
    expect(check.stderr).toContain(
      "people.failed.csv is a results file: to send only what is open, after a check",
    );
    const page = "out/retry.html";
    const retry = await people.eventload(`retry out/people.failed.csv --report ${page}`);
    expect(retry.stderr).toContain(`${place}, column "Email": is blank`);
    // The summary is that of the import.
    expect(retry.stderr).toContain('    "unknown" in row 4 (line 5), "12.5" in row 12 (line 13)\n');
    expect(retry.stderr).toContain("    row 8 (line 9)\n");
    expect(await people.read(page)).toContain("10 of 13 rows delivered, 3 still open");
  });

  it("a retry says which cells were changed, by column and with examples", async () => {
    const { people } = await imported();
    const long = "x".repeat(500);
    const fixed = (await people.read("out/people.failed.csv"))
      .replace(",unknown,", ",33,")
      .replace("\n,Person 7", `\nfound@example.com,${long}`)
      .replace(",12.5,", ",12,");
    await writeFile(join(people.folder, "out/people.failed.csv"), fixed);
    const log = ["--log-file", "log.jsonl"];
    const { status, stderr } = await people.eventload(["retry", "out/people.failed.csv", ...log]);
    expect(status).toBe(0);
    expect(stderr).toContain(
      `Changed cells:\n  column "Age": 2 rows, such as "unknown" -> "33" in row 4\n  column "Email": 1 row, such as "" -> "found@example.com" in row 8\n  column "Name": 1 row, such as "Person 7" -> "${"x".repeat(40)}…" in row 8\n`,
    );
    expect(stderr.indexOf("Changed since then")).toBeLessThan(stderr.indexOf("Retry complete"));
    // A log holds no cells.
    expect(await people.read("log.jsonl")).not.toContain("found@example.com");
  });
});
