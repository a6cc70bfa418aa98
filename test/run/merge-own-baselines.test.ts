import { rm } from "node:fs/promises";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { mergeShards } from "../../src/run/merge.ts";
import { openService, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import { accepted } from "./planned-people.ts";

const mapping = `version: 1
resource: users
event: e
ordering_key: [key]
gone: { event: g, members: { key: key } }
members: { key: key, n: n }
`;
const shards = [1, 2, 3].map((index) => ({ index, count: 3 }));
const nightOf = (night: string) => (index: number) => `${night}.${index}-of-3.results.csv`;

/** People whose shards were imported in two nights; the second night has other people. */
async function twoNights() {
  const workspace = await openWorkspace([], mapping);
  onTestFinished(workspace.remove);
  const service = await startService(() => accepted);
  const { path } = workspace;
  const send = async (night: string, before?: string) => {
    for (const shard of shards) {
      await workspace.import(service.url, {
        results: path(nightOf(night)(shard.index)),
        shard,
        maxGone: "100%",
        ...(before === undefined ? {} : { baseline: path(nightOf(before)(shard.index)) }),
      });
    }
  };
  const merge = (night: string) =>
    mergeShards({
      shards: [1, 2, 3].map(nightOf(night)).map(path),
      results: path(`${night}.results.csv`),
    });
  const people = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `k${from + at},1\n`).join("");
  await workspace.write("people.csv", `key,n\n${people(0, 30)}`);
  await send("one");
  await workspace.write("people.csv", `key,n\n${people(20, 35)}`);
  await send("two", "one");
  return { workspace, service, path, merge };
}

test("shards that were compared with their own results of the night before are merged", async () => {
  const { workspace, service, path, merge } = await twoNights();
  expect(service.receipts.filter(({ body }) => body.includes('"event":"g"'))).toHaveLength(20);
  const { compared, rows } = await merge("two");
  expect(compared).toMatchObject({ newRows: 5, unchangedRows: 10, gone: 20, goneEvents: 20 });
  expect(rows).toBe(35);
  const lines = await workspace.lines("two.results.csv");
  const numbers = lines.map(({ import_row }) => Number(import_row));
  expect(new Set(numbers).size).toBe(35);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));

  const third = await workspace.import(service.url, {
    results: path("three.results.csv"),
    baseline: path("two.results.csv"),
  });
  expect(third).toMatchObject({ attempts: 0, unchanged: 15 });
});

test("one that was compared with other results than its own is refused", async () => {
  const { workspace, service, path, merge } = await twoNights();
  for (const suffix of ["results.csv", "run.json", "gone.csv"]) {
    await rm(path(`two.2-of-3.${suffix}`));
  }
  await workspace.import(service.url, {
    results: path("two.2-of-3.results.csv"),
    shard: { index: 2, count: 3 },
  });
  await expect(merge("two")).rejects.toThrow(
    "two.2-of-3.results.csv cannot be merged: its run had another --baseline",
  );
});

test("an export cut short is refused also where a shard's own baseline has no keys", async () => {
  const workspace = await openWorkspace([], mapping.replace(/(ordering_key|gone): .*\n/g, ""));
  onTestFinished(workspace.remove);
  const service = await startService(() => accepted);
  const people = (to: number) =>
    `key,n\n${Array.from({ length: to }, (_, at) => `k${at},1\n`).join("")}`;
  const shard = { index: 1, count: 3 };
  await workspace.write("people.csv", people(90));
  await workspace.import(service.url, { results: workspace.path("one.results.csv"), shard });
  await workspace.write("people.csv", people(60));
  const second = workspace.import(service.url, {
    results: workspace.path("two.results.csv"),
    shard,
    baseline: workspace.path("one.results.csv"),
  });
  await expect(second).rejects.toThrow("10 of the 30 rows in one.results.csv are gone");
});

test("rows without a key may change their shard, so that their own results are no good baseline", async () => {
  const workspace = await openWorkspace([], mapping);
  onTestFinished(workspace.remove);
  const service = await startService(() => accepted);
  const baseline = workspace.path("one.results.csv");
  await workspace.write("people.csv", "key,n\na,1\n,2\n,3\n");
  const shard = { index: 1, count: 2 };
  await workspace.import(service.url, { results: baseline, shard });
  const warning = expect.stringMatching(
    /^1 row has no ordering key, .* give the merged results as --baseline\.$/,
  );
  await workspace.import(service.url, {
    results: workspace.path("two.results.csv"),
    shard,
    baseline,
  });
  expect(workspace.notices).toContainEqual({ kind: "warning", message: warning });
});

test("shards send against their own results what one run sends against those of the whole", async () => {
  const people = fc.array(
    fc.tuple(fc.constantFrom("a", "b", "c", "d", "e", "f"), fc.constantFrom("1", "2", "x")),
    { maxLength: 12 },
  );
  const property = fc.asyncProperty(
    people,
    people,
    fc.integer({ min: 1, max: 4 }),
    async (first, second, count) => {
      const yaml = mapping.replace("n: n", "n: { column: n, type: integer }");
      const workspace = await openWorkspace([], yaml);
      const service = await openService(() => accepted);
      const { path } = workspace;
      const night = async (table: typeof first, name: string, before?: string) => {
        await workspace.write("people.csv", `key,n\n${table.map((row) => `${row}\n`).join("")}`);
        const sentBy = async (results: string, baseline: string, more: object) => {
          const at = service.receipts.length;
          await workspace.import(service.url, {
            ...{ results: path(`${name}.${results}`), durability: "process", maxGone: "100%" },
            ...(before === undefined ? {} : { baseline: path(`${before}.${baseline}`) }),
            ...more,
          });
          return service.receipts.slice(at).map(({ body }) => body);
        };
        const whole = await sentBy("results.csv", "results.csv", {});
        const parts: string[] = [];
        for (let index = 1; index <= count; index++) {
          const own = `${index}-of-${count}.results.csv`;
          parts.push(...(await sentBy(own, own, { shard: { index, count } })));
        }
        expect(parts.toSorted()).toEqual(whole.toSorted());
        const merged = await mergeShards({
          shards: [path(`${name}.*-of-${count}.results.csv`)],
          results: path(`${name}.merged.results.csv`),
        });
        expect(merged.events).toBe(JSON.parse(await workspace.text(`${name}.run.json`)).events);
      };
      await night(first, "one");
      await night(second, "two", "one");
      await night(first, "three", "two");
      await service.close();
      await workspace.remove();
    },
  );
  await fc.assert(property, { numRuns: 6 });
}, 120_000);
