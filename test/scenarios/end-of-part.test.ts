import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { isThorough } from "../runs.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Scenario, scenario } from "./scenario.ts";

const preload = new URL("./copy-at-steps.mjs", import.meta.url).href;
const [results, failed] = ["out/people.results.csv", "out/people.failed.csv"];
const shards = ["out/people.1-of-2.results.csv", "out/people.2-of-2.results.csv"];

/** A service that refuses two people, one of them until a retry. */
async function setUp() {
  const refused = new Set(["Person 1", "Person 5"]);
  const service = await startService(({ body }) => ({
    status: refused.has(JSON.parse(body).name) ? 422 : 202,
  }));
  const people = await scenario("fix-and-retry");
  const command = ["import", "people.csv", "--base-url", service.url];
  return {
    ...{ service, people, command },
    accept: (name: string) => refused.delete(name),
    refuse: (name: string) => refused.add(name),
  };
}

/** Everything that an account says, but for times. */
async function accountOf(people: Scenario) {
  const withoutTimes = (lines: Record<string, string>[]) =>
    lines.map(({ import_finished_at: _, ...line }) => line);
  const manifest = JSON.parse(await people.read("out/people.run.json"));
  const { rows, events, counts, attempts, unanswered, exit_reason, reconciliation } = manifest;
  return {
    results: withoutTimes(await people.records(results)),
    failed: withoutTimes(await people.records(failed)),
    manifest: { rows, events, counts, attempts, unanswered, exit_reason, reconciliation },
    parts: new Set(manifest.parts.map(({ part }: { part: number }) => part)),
    shards: manifest.shards?.length,
  };
}

/** What changes what the next command finds. */
const changes = /^(before the record|record|rename .*|rm .*\.journal\.\d+)$/;

/** The steps to be killed at: those that change something, or in the soak all. */
function stepsToKillAt(names: readonly string[]): number[] {
  return [...names.keys()].filter((at) => isThorough || changes.test(names[at] ?? ""));
}

/**
 * Runs a command, and puts what a kill at each of its steps would have left in the place of its account in turn.
 *
 * @param check sees what was left by each kill, and what an undisturbed run gives
 * @param share which half of the steps, where another test has the other half, but for the soak
 */
async function killAtEachStep(
  people: Scenario,
  command: readonly string[],
  check: (account: Awaited<ReturnType<typeof accountOf>>, at: string) => Promise<void>,
  share?: 0 | 1,
) {
  const out = join(people.folder, "out");
  const copies = await temporaryFolder();
  const env = { COPIED: out, COPIES: copies };
  await people.start(command, { node: ["--import", preload], env }).ended;
  const names = (await readFile(join(copies, "steps"), "utf8")).trimEnd().split("\n");
  const whole = await accountOf(people);
  const renamed = names.filter((name) => name.startsWith("rename "));
  const to = renamed.map((name) => name.replace(/^.*\/|\.[0-9a-f]{12}\.part$|\.new$/g, ""));
  expect(names.length, names.join("\n")).toBeGreaterThan(8);
  expect(to.at(-1)).toBe("people.run.json");
  for (const [place, killAt] of stepsToKillAt(names).entries()) {
    if (!isThorough && share !== undefined && place % 2 !== share) continue;
    await rm(out, { recursive: true, force: true });
    await cp(join(copies, String(killAt)), out, { recursive: true, preserveTimestamps: true });
    await check(whole, `killed after step ${killAt}: ${names[killAt]}`);
  }
}

/** What every command says of an account whose last part was killed at its end. */
async function completes(
  people: Scenario,
  whole: Awaited<ReturnType<typeof accountOf>>,
  at: string,
  again: readonly string[] = ["resume", results],
) {
  const status = await people.eventload(`status ${results} --json`);
  const [account] = JSON.parse(status.stdout).accounts;
  expect(["running", "unfinished", "complete"], at).toContain(account.state);
  // Of a merge, all rows have their outcomes.
  if (whole.shards !== undefined) expect(account.rows_settled, at).toBe(account.rows_total);
  if (account.state !== "complete") {
    expect(account.next, at).toBe(`eventload resume ${results}`);
    const refused = await people.eventload(`retry ${results}`);
    expect(refused.stderr, at).toContain(`eventload resume ${results}`);
    expect(refused.status, at).toBe(2);
  }
  const resumed = await people.eventload(again);
  expect(resumed.status, `${at}\n${resumed.stderr}`).toBe(1);
  expect(await accountOf(people), at).toEqual(whole);
  const after = JSON.parse((await people.eventload(`status ${results} --json`)).stdout);
  expect(after.accounts, at).toMatchObject([
    { state: "complete", next: `eventload retry ${failed}`, open: whole.failed.length },
  ]);
}

it("an import that is killed anywhere at its end is completed, and sends nothing again", async () => {
  const { service, people, command } = await setUp();
  await killAtEachStep(people, [...command, "--results", results], async (whole, at) => {
    const sent = service.receipts.length;
    await completes(people, whole, at);
    expect(service.receipts.length, at).toBe(sent);
    const retried = await people.eventload(`retry ${failed} --json`);
    expect(JSON.parse(retried.stdout), at).toMatchObject({ part: { number: 2, rows: 5 } });
    expect(service.receipts.length, at).toBe(sent + 2);
  });
});

it("so is a retry, with the account before it", async () => {
  const { service, people, command, accept } = await setUp();
  await people.eventload([...command, "--results", results]);
  accept("Person 5");
  const edited = (await people.read(failed)).replace(",unknown,", ",33,");
  await writeFile(join(people.folder, failed), edited);
  await killAtEachStep(people, ["retry", failed], async (whole, at) => {
    expect(whole.failed.map((line) => line.import_row)).toEqual(["2", "8", "12"]);
    const sent = service.receipts.length;
    await completes(people, whole, at);
    expect(service.receipts.length, at).toBe(sent);
    const retried = await people.eventload(`retry ${failed} --json`);
    expect(JSON.parse(retried.stdout), at).toMatchObject({ part: { number: 3, rows: 3 } });
  });
});

it.each([
  ["resume", ["resume", results], 0],
  ["the same merge again", ["merge", ...shards, "--results", results], 1],
] as const)("so is a merge, by %s", async (_, again, share) => {
  const { people, command } = await setUp();
  for (const index of [1, 2]) {
    const shard = ["--shard", `${index}/2`, "--results", "out/{input}.{shard}.results.csv"];
    await people.eventload([...command, ...shard]);
  }
  const merge = ["merge", ...shards, "--results", results];
  await killAtEachStep(
    people,
    merge,
    async (whole, at) => {
      expect(whole.shards).toBe(2);
      const isBegun = (await people.eventload(`status ${results}`)).status === 0;
      // Before the record, there is no merged account.
      if (!isBegun) expect(await people.eventload(merge), at).toMatchObject({ status: 1 });
      await completes(people, whole, at, again);
      for (const shard of shards) {
        const refused = await people.eventload(`retry ${shard}`);
        expect(refused.stderr, at).toContain("was merged into");
        expect(refused.status, at).toBe(2);
      }
      expect((await people.eventload(merge)).stderr, at).toContain("Merged already");
      expect((await people.eventload(`retry ${failed}`)).status, at).toBe(1);
    },
    share,
  );
});

it("a shard that is retried after its merge was killed is not sent twice by the next merge", async () => {
  const { people, command, service, accept, refuse } = await setUp();
  const sendShards = async (folder: string) => {
    for (const index of [1, 2]) {
      const name = `${folder}/{input}.{shard}.results.csv`;
      await people.eventload([...command, "--shard", `${index}/2`, "--results", name]);
    }
  };
  await sendShards("out");
  const merge = ["merge", ...shards, "--results", results];
  await killAtEachStep(people, merge, async (_, at) => {
    const sent = service.receipts.length;
    accept("Person 5");
    for (const shard of shards) await people.eventload(`retry ${shard}`);
    const merged = await people.eventload(merge);
    expect(merged.status, `${at}\n${merged.stderr}`).toBe(1);
    await people.eventload(`retry ${failed}`);
    const arrived = service.receipts.slice(sent).map(({ body }) => JSON.parse(body).name);
    expect(
      arrived.filter((name) => name === "Person 5"),
      at,
    ).toHaveLength(1);
    refuse("Person 5");
  });
});
