import { readdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { acquireLock } from "../../src/journal/lock.ts";
import { mergeShards } from "../../src/run/account/merge.ts";
import { runNextPart } from "../../src/run/account/next-part.ts";
import { thisMachine } from "../../src/run/send/run-context.ts";
import { eventload } from "../cli/fake-host.ts";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import { accepted } from "./planned-people.ts";

const mapping = (more = "") => `version: 1
resource: users
event: e
ordering_key: [key]
${more}members: { key: key, n: { column: n, type: integer } }
`;
const csv = (keys: readonly string[]) => `key,n\n${keys.map((key) => `${key},1\n`).join("")}`;
const someKeys = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** A folder in which an import of eight people can be divided. */
async function divided() {
  const workspace = await openWorkspace([], mapping());
  await workspace.write("people.csv", csv(someKeys));
  let reply: (text: string) => Reply = () => accepted;
  const service = await startService(({ body }) => reply(body));
  const { path } = workspace;
  const name = (index: number, count: number) => `people.${index}-of-${count}.results.csv`;
  const sendShard = (index: number, count = 3, more: object = {}) =>
    workspace.import(service.url, {
      results: path(name(index, count)),
      shard: { index, count },
      ...more,
    });
  const merge = (names: readonly string[], results = "people.results.csv") => {
    const warnings: string[] = [];
    const merged = mergeShards({
      shards: names.map(path),
      results: path(results),
      onWarning: (message) => warnings.push(message),
    });
    return merged.then((summary) => ({ summary, warnings }));
  };
  const all = [1, 2, 3].map((index) => name(index, 3));
  return {
    ...{ workspace, service, path, sendShard, merge, all },
    async sendAll(more: object = {}) {
      for (const index of [1, 2, 3]) await sendShard(index, 3, more);
    },
    async edit(file: string, change: (text: string) => string) {
      await writeFile(path(file), change(await readFile(path(file), "utf8")));
    },
    answer(next: typeof reply) {
      reply = next;
    },
    files: () => readdirSync(workspace.folder),
  };
}

type Divided = Awaited<ReturnType<typeof divided>>;

const cases: Record<
  string,
  [prepare: (place: Divided) => Promise<readonly string[] | undefined>, why: string]
> = {
  "missing shards": [
    async ({ all }) => [all[1] ?? ""],
    "2 of 3 shards are missing, the first of them shard 1: give the results of all.",
  ],
  "a shard twice": [
    async ({ all, sendShard, path }) => {
      await sendShard(2, 3, { results: path("again.results.csv") });
      return [...all, "again.results.csv"];
    },
    "again.results.csv cannot be merged: it is of shard 2 of 3, as people.2-of-3.results.csv is; give one of them.",
  ],
  "an unfinished shard": [
    async ({ sendShard, answer, path }) => {
      for (const name of ["results.csv", "run.json"]) await rm(path(`people.3-of-3.${name}`));
      let requests = 0;
      answer(() => ({ status: ++requests > 1 ? 401 : 202 }));
      await sendShard(3);
      return undefined;
    },
    "people.3-of-3.results.csv belongs to an unfinished run: resume it with eventload resume",
  ],
  "a shard whose journal is lost": [
    async ({ path }) => {
      await rm(path("people.2-of-3.run.json"));
      return undefined;
    },
    "people.2-of-3.results.csv there is neither its manifest people.2-of-3.run.json nor its journal people.2-of-3.results.csv.journal.",
  ],
  "another input": [
    async ({ workspace, sendShard, path }) => {
      await workspace.write("people.csv", csv([...someKeys, "i"]));
      await sendShard(3, 3, { results: path("new.results.csv") });
      return ["people.1-of-3.results.csv", "people.2-of-3.results.csv", "new.results.csv"];
    },
    "people.csv has changed); give the shards of one.",
  ],
  "a whole import": [
    async ({ workspace, service, path, all }) => {
      await workspace.import(service.url, { results: path("whole.results.csv") });
      return [...all, "whole.results.csv"];
    },
    "whole.results.csv cannot be merged: it is of an import without --shard; leave it out.",
  ],
  "shards that stopped early": [
    async ({ workspace, sendShard, path }) => {
      await workspace.write("people.csv", `${csv(someKeys)}"torn,1\n`);
      const names = [1, 2, 3].map((index) => `early.${index}.results.csv`);
      for (const [at, name] of names.entries()) {
        await sendShard(at + 1, 3, { results: path(name), check: false });
      }
      return names;
    },
    "its run stopped early (input_damaged), and a merge needs all of its rows: import shard 1/3 again",
  ],
  "a line that was deleted": [
    async ({ edit, all }) => {
      await edit(all[2] ?? "", (text) => text.replace(/[^\n]*\n$/, ""));
      return undefined;
    },
    "people.3-of-3.results.csv was changed",
  ],
  "a status that was edited": [
    async ({ edit, all }) => {
      await edit(all[0] ?? "", (text) => text.replace(",succeeded,", ",succeedex,"));
      return undefined;
    },
    "people.1-of-3.results.csv cannot be merged:",
  ],
  "a shard into itself": [
    async () => ["people.results.csv"],
    "it is what the shards are merged into; give --results another name",
  ],
  "results that are there": [
    async ({ workspace }) => {
      await workspace.write("people.results.csv", "mine");
      return undefined;
    },
    "people.results.csv",
  ],
};

test.each(Object.entries(cases))(
  "refuses, naming the file, and leaves nothing behind: %s",
  async (_, [prepare, why]) => {
    const place = await divided();
    place.answer((body) => (body.includes('"a"') ? { status: 422 } : accepted));
    await place.sendAll();
    expect(place.files()).toContain("people.1-of-3.failed.csv");
    place.answer(() => accepted);
    const names = (await prepare(place)) ?? place.all;
    const before = place.files();
    await expect(place.merge(names)).rejects.toThrow(why);
    expect(place.files()).toEqual(before);
  },
);

test("a shard that is being retried is not merged", async () => {
  const { sendAll, merge, all, path, files } = await divided();
  await sendAll();
  const lock = await acquireLock(path("people.2-of-3.run.json"));
  const before = files();
  await expect(merge(all)).rejects.toMatchObject({ code: "locked" });
  expect(files()).toEqual(before);
  await lock?.release();
  expect((await merge(all)).summary.counts.succeeded).toBe(8);
});

describe("what was merged is as any other run", () => {
  test("a shard that was merged is not retried by itself, and the message names what is", async () => {
    const { sendAll, merge, all, answer, service, workspace, path } = await divided();
    answer((body) => (/"key":"[ae]"/.test(body) ? { status: 422 } : accepted));
    await sendAll();
    await merge(all, "out/people.results.csv");
    const before = service.receipts.length;
    const failed = all
      .map((name) => name.replace("results", "failed"))
      .filter((name) => workspace.has(name));
    expect(failed).not.toEqual([]);
    for (const name of [...failed, ...all]) {
      await expect(workspace.retry(service.url, name)).rejects.toMatchObject({
        code: "shard_merged",
        message: expect.stringContaining(`eventload retry ${path("out/people.results.csv")}`),
      });
    }
    await expect(merge(all, "twice/people.results.csv")).rejects.toMatchObject({
      code: "merge_impossible",
      message: expect.stringContaining("it was merged into"),
    });
    expect(service.receipts.length).toBe(before);
    await rm(path("out"), { recursive: true });
    expect((await merge(all, "out/people.results.csv")).summary.counts.rejected).toBe(2);
  });

  test("nor is one that is merged between the look of its retry and its lock", async () => {
    const { sendAll, merge, all, answer, service, path } = await divided();
    answer(() => ({ status: 422 }));
    await sendAll();
    const before = service.receipts.length;
    const { acquireLock } = thisMachine;
    let merging: Promise<unknown> | undefined;
    const ports = {
      ...thisMachine,
      async acquireLock(file: string) {
        merging ??= merge(all);
        await merging;
        return acquireLock(file);
      },
    };
    const [results = ""] = all.map(path);
    const options = { input: results, results, given: results, mapping: path("people.yaml") };
    const retrying = runNextPart(
      { ...options, baseUrl: service.url, token: "a-token" },
      "retry",
      ports,
    );
    await expect(retrying).rejects.toMatchObject({ code: "shard_merged" });
    expect(service.receipts.length).toBe(before);
  });

  test("it gets no seal from shards that have none, and says so", async () => {
    const { sendAll, merge, all, edit, path } = await divided();
    await sendAll();
    await edit("people.2-of-3.run.json", (text) =>
      text.replace('"skip": 0', '"skip":  0').replace(/"seal": ".{4}/, '"seal": "0000'),
    );
    const { warnings } = await merge(all);
    expect(warnings).toEqual([
      expect.stringMatching(/^people\.run\.json is not sealed, as people\.2-of-3\.results\.csv/),
    ]);
    const retried = await eventload(`retry ${path("people.results.csv")}`);
    expect(retried.stderr).toContain("people.run.json cannot be verified (it has no seal)");
    expect(retried.status).toBe(2);
  });

  test("its command says how it ended by its status, prints one object, and needs a name", async () => {
    const { sendAll, all, path, workspace, answer } = await divided();
    answer((body) => (body.includes('"a"') ? { status: 422 } : accepted));
    await sendAll();
    const shards = all.map(path);
    const nameless = await eventload(["merge", ...shards]);
    expect(nameless).toMatchObject({
      status: 2,
      stderr: "eventload: merge: give the file for the merged results with --results.\n",
    });
    const to = ["--results", path("out/people.results.csv")];
    const named = (file: string) => eventload(["merge", ...shards, "--results", path(file)]);
    expect((await named("{input}.results.csv")).stderr).toContain(
      "--results: {input} has no value here; use {date}, {time}.",
    );
    expect((await named("dated/{date}.results.csv")).status).toBe(1);
    expect(readdirSync(path("dated")).join()).toMatch(/^\d{4}-\d\d-\d\d\.failed\.csv,/);
    await rm(path("dated"), { recursive: true });
    const unfit = await eventload(["merge", path("people.*-of-9.results.csv"), ...to]);
    expect(unfit.stderr).toContain("There is no account of ");
    const pattern = path("people.?-of-3.results.csv");
    const { status, stdout, stderr } = await eventload(["merge", pattern, ...to, "--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ rows: 8, succeeded: 7, rejected: 1, attempts: 8, exit_reason: "complete" },
      problem_groups: [{ status: "rejected", count: 1 }],
      failed_rows: path("out/people.failed.csv"),
    });
    expect(stderr).toContain("Complete: 8 rows, 8 events by 3 shards in ");
    expect(workspace.has("out/people.run.json")).toBe(true);
  });
});
