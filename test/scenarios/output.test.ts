import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario, testToken } from "./scenario.ts";

const importPeople = ["import", "people.csv", "--mapping", "people.yaml"];

/** A service that repeats what it was sent, the token too, in its refusals. */
async function indiscreetService(status: number): Promise<string> {
  const { url } = await startService(({ headers }) => ({
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: `bad header ${headers.authorization}` }),
  }));
  return url;
}

describe("the token appears nowhere", () => {
  it.each([401, 500])("though the service repeats it in a %i", async (answer) => {
    const url = await indiscreetService(answer);
    const { program, folder, read } = await scenario("plain");
    const { stdout, stderr } = await program([
      ...[...importPeople, "--base-url", url, "--json", "--max-attempts", "2"],
      ...["--log-file", "run.log", "--max-outage", "0"],
    ]);
    expect(stderr + stdout).not.toContain(testToken);
    const files = await readdir(folder);
    expect(files).toContain("run.log");
    for (const file of files) expect(await read(file)).not.toContain(testToken);
    const told =
      stderr + (files.includes("people.results.csv") ? await read("people.results.csv") : "");
    expect(told).toContain("bad header Bearer ********");
  });

  it("nor when it comes from a file or a command", async () => {
    const service = await sandboxUnderTest({ token: "from-elsewhere" });
    const { program, folder, read } = await scenario("plain");
    await writeFile(join(folder, "token"), "from-elsewhere\n");
    const env = { EVENTLOAD_TOKEN: "" };
    const to = [...importPeople, "--base-url", service.url, "--log-file", "run.log"];
    const one = await program([...to, "--token-file", "token", "--results", "1.results.csv"], {
      env,
    });
    expect(one.status).toBe(0);
    const command = "cat token; cat token >&2";
    const two = await program([...to, "--token-command", command, "--results", "2.results.csv"], {
      env,
    });
    expect(two.status).toBe(0);
    expect(two.stderr).not.toContain("from-elsewhere");
    for (const file of ["1.results.csv", "1.run.json", "2.results.csv", "2.run.json", "run.log"]) {
      expect(await read(file)).not.toContain("from-elsewhere");
    }
  });
});

describe("standard output is data", () => {
  it("holds exactly one JSON object with --json", async () => {
    const service = await sandboxUnderTest();
    const { program } = await scenario("fix-and-retry");
    const { status, stdout } = await program([
      ...importPeople,
      "--base-url",
      service.url,
      "--json",
    ]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ rows: 13, events: 10, succeeded: 10, invalid: 3, not_sent: 0, attempts: 10, retries: 0 },
      latency: { answers: 10, p99_ms: expect.any(Number) },
      ...{ results: "people.results.csv", failed_rows: "people.failed.csv" },
      problem_groups: expect.arrayContaining([
        expect.objectContaining({ status: "invalid", count: 1 }),
      ]),
      part: { number: 1, rows: 13, succeeded: 10, invalid: 3 },
      next: {
        ...{ resume: null, retry: "eventload retry people.failed.csv" },
        ...{ merge: null, report: "eventload report people.results.csv" },
      },
    });
  });

  it("is empty without it, and with --quiet there is only what went wrong and what to do", async () => {
    const service = await sandboxUnderTest();
    const { program } = await scenario("fix-and-retry");
    const quiet = await program([...importPeople, "--base-url", service.url, "--quiet"]);
    expect(quiet).toEqual({ status: 1, stdout: "", stderr: expect.any(String) });
    expect(quiet.stderr).toMatch(
      /^Complete: 13 rows[\s\S]*\nNext: fix people\.failed\.csv, then run: .*\n/,
    );
  });

  it("is the exact request for check --row, with the token masked", async () => {
    const { program } = await scenario("plain");
    const { status, stdout } = await program(`
      check people.csv --mapping people.yaml --row 2 --base-url https://example.com/tenant/
      --idempotency-header Idempotency-Key
    `);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^POST https:\/\/example\.com\/tenant\/v1\/users\/events\nauthorization: Bearer \*{8}\ncontent-type: application\/json\nuser-agent: eventload\nidempotency-key: [0-9a-f-]{36}\n\n\{\n {2}"event": "user\.imported",\n {2}"email": "grace@example\.com",\n {2}"first_name": "Grace",\n {2}"code": "00420"\n\}\n\nHow each value is made:\n/,
    );
  });
});
