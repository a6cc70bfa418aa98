import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Reply, startService } from "../../delivery/service-under-test.ts";
import { openWorkspace } from "../../run/import-under-test.ts";
import { accepted } from "../../run/planned-people.ts";
import { eventload } from "../fake-host.ts";

const mapping = `version: 1
resource: users
event: e
members: { key: key, n: { column: n, type: integer } }
`;

/** A folder with runs of twelve people, of whom one has no number. */
async function folderOfRuns() {
  const people = Array.from({ length: 12 }, (_, at) => [`p${at}`, at === 4 ? "x" : "1"]);
  const workspace = await openWorkspace([["key", "n"], ...people], mapping);
  let reply: () => Reply = () => accepted;
  const service = await startService(() => reply());
  const { path, folder } = workspace;
  return {
    ...{ workspace, service, path, folder },
    send: (name: string, more: object = {}) =>
      workspace.import(service.url, {
        results: path(`${name}.results.csv`),
        concurrency: 1,
        ...more,
      }),
    answer(next: typeof reply) {
      reply = next;
    },
    async status(...more: string[]) {
      const { status, stdout } = await eventload(["status", folder, ...more]);
      expect(status).toBe(0);
      return stdout;
    },
  };
}

describe("status", () => {
  test("has a line of each run: complete with its retries, shards and what was merged of them", async () => {
    const { workspace, service, path, send, status } = await folderOfRuns();
    await send("people");
    await workspace.retry(service.url, "people.failed.csv");
    for (const index of [1, 2]) await send(`s.${index}-of-2`, { shard: { index, count: 2 } });
    const shards = [1, 2].map((index) => path(`s.${index}-of-2.results.csv`));
    await eventload(["merge", ...shards, "--results", path("s.results.csv")]);
    const lines = (await status()).trimEnd().split("\n");
    const shape = lines.map((line) => line.trim().replace(/ +/g, " "));
    expect(shape).toEqual([
      "people.results.csv complete, retry 1 12 rows 11 succeeded 1 open",
      `eventload retry ${path("people.failed.csv")}`,
      "s.results.csv complete 12 rows 11 succeeded 1 open",
      `eventload retry ${path("s.failed.csv")}`,
      "s.1-of-2.results.csv complete (merged into s.results.csv) 6 rows 5 succeeded 1 open",
      "s.2-of-2.results.csv complete (merged into s.results.csv) 6 rows 6 succeeded 0 open",
    ]);
    const places = lines.map((line) => line.search(/\d+ succeeded/)).filter((at) => at > 0);
    expect(new Set(places).size).toBe(1);
  });

  test("says of a run that stopped why, and of one that was killed that it is unfinished", async () => {
    const { workspace, send, status, answer, service, path } = await folderOfRuns();
    let requests = 0;
    answer(() => ({ status: ++requests > 5 ? 401 : 202 }));
    await send("people");
    const [stopped] = JSON.parse(await status("--json")).accounts;
    expect(stopped).toMatchObject({
      ...{ state: "unfinished", reason: "unauthorized", rows_total: 12, succeeded: 5, part: 1 },
      next: `eventload resume ${path("people.results.csv")}`,
    });

    answer(() => accepted);
    requests = service.receipts.length;
    const running = send("people", { resume: "must", concurrency: 1 });
    await service.received(requests + 3);
    const killed = workspace.afterKill();
    const [now] = JSON.parse(await status("--json")).accounts;
    expect(now).toMatchObject({ state: "running", reason: null, rows_total: 12, next: null });
    expect(now.rows_settled).toBeGreaterThanOrEqual(5);
    await running;
    const { stdout } = await eventload(`status ${killed.folder}`);
    expect(stdout).toMatch(
      /^people\.results\.csv {2}unfinished .* open\n {2}eventload resume .*people\.results\.csv\n$/,
    );
    expect(killed.has("people.results.csv.journal.1")).toBe(true);

    const journal = killed.path("people.results.csv.journal.1");
    const torn = await readFile(journal);
    torn.fill("\0", 20, 30);
    await writeFile(journal, torn);
    await writeFile(journal, torn);
    expect((await eventload(`status ${killed.folder}`)).stdout).toContain(
      "is damaged at offset 0, so it does not say what was sent.",
    );
  });

  test("what cannot be read is said, and hides nothing else", async () => {
    const { send, status, path, folder } = await folderOfRuns();
    await send("people");
    await writeFile(path("bent.run.json"), "{");
    await writeFile(path("broken.results.csv.journal.1"), '{"version":99}\n');
    const { accounts } = JSON.parse(await status("--json"));
    expect(accounts.map(({ state }: { state: string }) => state)).toContain("complete");
    expect(await status()).toContain("cannot be used (it is not a manifest of eventload)");
    expect((await eventload(`status ${join(folder, "nowhere")}`)).status).toBe(2);
    // Of any file of the import, its account is meant.
    expect((await eventload(`status ${path("people.csv")}`)).stdout).toContain("12 rows");
    const none = await eventload(`status ${path("nobody.csv")}`);
    expect(none.stderr).toContain("nobody.csv");
    expect(none.status).toBe(2);
  });

  test("docs/json.md names every member of --json", async () => {
    const { send, status } = await folderOfRuns();
    await send("people");
    const page = await readFile("docs/json.md", "utf8");
    const [, section = ""] = /## The status of runs as JSON\n(.*)/s.exec(page) ?? [];
    const named = section.split("\n").flatMap((line) => {
      const [, cell = ""] = line.split("|");
      return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    });
    expect(named).toEqual(Object.keys(JSON.parse(await status("--json")).accounts[0]));
  });
});
