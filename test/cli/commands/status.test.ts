import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { type Reply, startService } from "../../delivery/service-under-test.ts";
import { openWorkspace } from "../../run/import-under-test.ts";
import { accepted } from "../../run/planned-people.ts";
import { eventload, interruptibleHost } from "../fake-host.ts";

const mapping = `version: 1
resource: users
event: e
members: { key: key, n: { column: n, type: integer } }
`;

/** A folder with runs of twelve people, of whom one has no number. */
async function folderOfRuns() {
  const people = Array.from({ length: 12 }, (_, at) => [`p${at}`, at === 4 ? "x" : "1"]);
  const workspace = await openWorkspace([["key", "n"], ...people], mapping);
  onTestFinished(workspace.remove);
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
    const shape = lines.map((line) => line.replace(/ +/g, " ").replace(/ [^ ]+ [\d.]+ s ago$/, ""));
    expect(shape).toEqual([
      "people people.csv complete, retried by people.retry-1 12 of 12 rows 11 succeeded 1 not",
      "people.retry-1 people.failed.csv complete 1 of 1 row 0 succeeded 1 not",
      "s people.csv complete, merged from 2 shards 12 of 12 rows 11 succeeded 1 not",
      "s.1-of-2 people.csv complete 6 of 6 rows 5 succeeded 1 not",
      "s.2-of-2 people.csv complete 6 of 6 rows 6 succeeded 0 not",
    ]);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });

  test("says of a run that stopped why, and of one that was killed that it is unfinished", async () => {
    const { workspace, send, status, answer, service } = await folderOfRuns();
    let requests = 0;
    answer(() => ({ status: ++requests > 5 ? 401 : 202 }));
    await send("people");
    const [stopped] = JSON.parse(await status("--json")).runs;
    expect(stopped).toMatchObject({
      ...{ state: "stopped", reason: "unauthorized", rows_total: 12, succeeded: 5, shard: null },
    });

    answer(() => accepted);
    requests = service.receipts.length;
    const running = send("people", { resume: "must", concurrency: 1 });
    await service.received(requests + 3);
    const killed = workspace.afterKill();
    onTestFinished(killed.remove);
    await running;
    const now = JSON.parse((await eventload(["status", killed.folder, "--json"])).stdout).runs[0];
    expect(now).toMatchObject({ state: "running", reason: null, rows_total: 12, per_second: null });
    expect(now.rows_settled).toBeGreaterThanOrEqual(5);
    const before = new Date(Date.parse(now.wrote_at) - 120_000);
    await utimes(killed.path("people.results.csv.journal"), before, before);
    const { stdout } = await eventload(["status", killed.folder]);
    expect(stdout).toMatch(/^people {2}people\.csv {2}unfinished .* 2 min \d+ s ago\n$/);
    expect(killed.has("people.results.csv.journal")).toBe(true);

    const journal = killed.path("people.results.csv.journal");
    const whole = await readFile(journal);
    const torn = Buffer.from(whole);
    torn.fill("\0", 20, 30);
    await writeFile(journal, torn);
    const seen = eventload(["status", killed.folder]);
    // As a reader may see a batch while it is written.
    await new Promise((resolve) => setTimeout(resolve, 40));
    await writeFile(journal, whole);
    expect((await seen).stdout).toContain("running");
    await writeFile(journal, torn);
    expect((await eventload(["status", killed.folder])).stdout).toContain("journal_damaged");
  });

  test("the rate is that of the lines whose times are known, as a killed part leaves none", async () => {
    const { send, status, path } = await folderOfRuns();
    await send("people");
    const [before] = JSON.parse(await status("--json")).runs;
    const manifest = JSON.parse(await readFile(path("people.run.json"), "utf8"));
    manifest.reconciliation.lines *= 100;
    await writeFile(path("people.run.json"), JSON.stringify(manifest));
    const [now] = JSON.parse(await status("--json")).runs;
    expect(before.per_second).toBeGreaterThan(0);
    expect(now.per_second).toBe(before.per_second);
  });

  test("what cannot be read is said, and hides nothing else", async () => {
    const { send, status, path, folder } = await folderOfRuns();
    await send("people");
    await writeFile(path("bent.run.json"), "{");
    await writeFile(path("broken.results.csv.journal"), '{"version":99}\n');
    const { runs } = JSON.parse(await status("--json"));
    expect(runs.map(({ state }: { state: string }) => state)).toContain("complete");
    expect(await status()).toContain("damaged (manifest: it is not a manifest of eventload)");
    expect((await eventload(["status", join(folder, "nowhere")])).status).toBe(2);
    expect((await eventload(["status", path("people.csv")])).stderr).toContain(
      "it is a file; give its folder.",
    );
  });

  test("docs/monitoring.md names every member of --json", async () => {
    const { send, status } = await folderOfRuns();
    await send("people");
    const page = await readFile("docs/monitoring.md", "utf8");
    const [, section = ""] = /## The status of runs as JSON\n(.*?)\n## /s.exec(page) ?? [];
    const named = section.split("\n").flatMap((line) => {
      const [, cell = ""] = line.split("|");
      return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    });
    expect(named).toEqual(Object.keys(JSON.parse(await status("--json")).runs[0]));
  });

  test("an empty folder has no runs", async () => {
    const { status, folder } = await folderOfRuns();
    expect(await status()).toBe(`No run was found in ${folder}.\n`);
    expect(JSON.parse(await status("--json"))).toEqual({ runs: [] });
  });

  test("--watch shows it again until an interrupt, and is not for programs", async () => {
    const { folder, send } = await folderOfRuns();
    await send("people");
    const { host, stdout, interrupt, listening } = interruptibleHost(["status", folder, "--watch"]);
    const ended = main(host);
    while (stdout() === "") await new Promise((resolve) => setTimeout(resolve, 5));
    interrupt("SIGINT");
    expect(await ended).toBe(0);
    expect(listening()).toBe(0);
    expect((await eventload(["status", folder, "--watch", "--json"])).status).toBe(2);
  });

  test("--watch stays in place on a narrow screen, and shows what is unfinished where that is short", async () => {
    const { folder, send, path } = await folderOfRuns();
    for (const name of ["a", "b", "c"]) await send(name);
    await writeFile(path("z.run.json"), "{");
    const { host, stdout, interrupt } = interruptibleHost(["status", folder, "--watch"]);
    Object.assign(host.stdout, { isTTY: true, columns: 40, rows: 8 });
    const ended = main(host);
    while (!stdout().includes("\x1b[")) await new Promise((resolve) => setTimeout(resolve, 20));
    interrupt("SIGTERM");
    await ended;
    const [first = "", again = ""] = stdout().split("\x1b[J");
    const lines = first.slice(0, first.lastIndexOf("\x1b")).trimEnd().split("\n");
    expect(lines.length).toBeLessThan(8);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    expect(lines[0]).toMatch(/^z {2}– {2}damaged/);
    expect(lines.at(-1)).toBe("and 3 other runs; 3 complete runs in all");
    expect(first).toContain(`\x1b[${lines.length}A`);
    expect(again).toMatch(/^z /);
  });
});
