import { expect, onTestFinished, test, vi } from "vitest";
import { nodeDisk } from "../../../src/model/disk/node-disk.ts";
import type { Manifest } from "../../../src/model/manifest.ts";
import { findAccounts } from "../../../src/run/account/find-accounts.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { closeAccount, runResume } from "../../../src/run/account/resume.ts";
import { readReport } from "../../../src/run/account/write-report.ts";
import { accepted } from "../../delivery/service-under-test.ts";
import { deadlineMs } from "../../fake-clock.ts";
import { all, failedRows, openAccount, results, table } from "./account-under-test.ts";

const mapping = `version: 1
resource: users
event: user.updated
members: { name: { column: name, required: true } }
`;
const names = ["Ann", "Bob", "Cy", "Di", "Ed", "", "Flo", "Gus", "Hal", "Ivy", "Jan"];

/** A part that was killed while the service held these. */
async function killedWhile(...held: readonly string[]) {
  const account = await openAccount([["name", "is"], ...names.map((name) => [name, "a"])], mapping);
  let copied: typeof account.people | undefined;
  account.answer(async ({ name = "" }) => {
    if (!held.includes(name)) return accepted;
    // Those before it are answered, and recorded.
    await new Promise((resolve) => setTimeout(resolve, 300));
    copied ??= account.people.afterKill();
    return accepted;
  });
  return { account, killed: () => copied as typeof account.people };
}

async function close(people: { path(name: string): string }): Promise<Manifest> {
  await closeAccount({ results: people.path(results) });
  const account = await readAccount(people.path(results));
  if (account.kind !== "complete") throw new Error(`it is ${account.kind}`);
  return account.manifest;
}

test("a part that is closed has lines for what was sent, and a count of what was never begun", async () => {
  const { account, killed } = await killedWhile("Cy", "Ed");
  await account.import({ concurrency: 2, adaptive: false });
  const people = killed();
  const manifest = await close(people);
  const lines = await people.lines(results);
  const said = lines.map((one) => `${one.import_row} ${one.name} ${one.import_status}`);
  // The invalid row is known without sending, and is done.
  expect(said.slice(0, 2)).toEqual(["1 Ann succeeded", "2 Bob succeeded"]);
  expect(said).toContain("3  unknown");
  expect(lines.find((one) => one.import_row === "3")).toMatchObject({
    ...{ import_line: "", import_unanswered: "1", import_error_code: "closed" },
  });
  const { rows, never_begun: neverBegun, reconciliation, parts } = manifest;
  const { started_at: begun = "", finished_at: ended, exit_reason } = parts.at(-1) ?? {};
  expect([String(ended) >= begun, exit_reason]).toEqual([true, "closed"]);
  expect(rows + Number(neverBegun)).toBe(names.length);
  expect(neverBegun).toBeGreaterThan(0);
  expect(reconciliation).toMatchObject({ rows_written: rows, lines: lines.length, adds_up: true });
  expect(await readAccount(people.path(results))).toMatchObject({ kind: "complete" });
  expect((await people.lines(failedRows)).map((one) => one.import_status)).toContain("unknown");
  // Nobody can send what has no cells.
  const before = account.service.receipts.length;
  await people.retry(account.url, results, { mapping: people.path("people.yaml") });
  const retried = account.service.receipts.slice(before);
  expect(retried).toEqual([]);
  const [again] = await findAccounts(people.path(results));
  expect(again).toMatchObject({ reason: expect.stringContaining("never begun") });
  const closed = lines.filter((one) => one.import_error_code === "closed").length;
  expect(again?.reason).toContain(`${closed} without their cells: skip them`);
});

test("where nobody knows how many rows were never begun, a close says so", async () => {
  const { account, killed } = await killedWhile("Cy", "Ed");
  await account.import({ concurrency: 2, adaptive: false, check: false });
  const people = killed();
  const manifest = await close(people);
  expect(manifest).toMatchObject({
    never_begun: null,
    message: expect.stringContaining("never begun: nobody knows how many rows"),
  });
  const [found] = await findAccounts(people.path(results));
  expect(found?.reason).toContain("nobody knows how many never begun");
});

test("a close that fails once its end is on record says what to do, and what it has come to", async () => {
  const { account, killed } = await killedWhile("Cy", "Ed");
  await account.import({ concurrency: 2, adaptive: false });
  const path = killed().path(results);
  const { rename } = nodeDisk;
  const failing = vi.spyOn(nodeDisk, "rename").mockImplementation(async (from, to) => {
    if (to === path) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    await rename(from, to);
  });
  onTestFinished(() => failing.mockRestore());
  await expect(closeAccount({ results: path })).rejects.toMatchObject({
    code: "output_not_writable",
    details: ["Give the command again to complete it."],
  });
  const [found] = await findAccounts(path);
  const { figures } = await readReport({ results: path });
  const { rows, exit_reason: reason } = figures;
  expect(found).toMatchObject({ state: "unfinished", rows_total: rows, rows_settled: rows });
  expect([reason, found?.reason]).toEqual([
    "closed",
    expect.stringMatching(/^closed; \d never begun; \d without their cells: skip them$/),
  ]);
  failing.mockRestore();
  await close(killed());
});

test("a retry that is closed leaves rows as they were, but for what may have arrived", async () => {
  const { account } = await killedWhile();
  account.answer(all("Ann", "Cy", "Hal", "Ivy", "Jan"));
  await account.import();
  let people: typeof account.people | undefined;
  account.answer(async ({ name }) => {
    if (name !== "Cy") return accepted;
    await new Promise((resolve) => setTimeout(resolve, 300));
    people ??= account.people.afterKill();
    return accepted;
  });
  await account.retry(failedRows, { concurrency: 1 });
  if (people === undefined) throw new Error("nothing was held");
  const manifest = await close(people);
  const lines = await people.lines(results);
  const said = lines.map((one) => `${one.name} ${one.import_status} ${one.import_part}`);
  expect(said.slice(0, 4)).toEqual([
    "Ann succeeded 2",
    "Bob succeeded 1",
    "Cy unknown 2",
    "Di succeeded 1",
  ]);
  expect(said.at(-1)).toBe("Jan rejected 1");
  expect(manifest.never_begun).toBeUndefined();
  account.answer(() => accepted);
  const given = { mapping: people.path("people.yaml") };
  expect(await people.retry(account.url, failedRows, given)).toMatchObject({
    counts: { succeeded: 10 },
  });
});

test("closing loses no line of a row that was half done, in an import as in a retry", async () => {
  const two = `version: 1
events:
  - { resource: users, event: noted, members: { name: name } }
  - { resource: contacts, event: noted, members: { name: name } }
`;
  const account = await openAccount(table("Ann", "Bob", "Cy"), two);
  let killed: typeof account.people | undefined;
  const stopAt = (n: number, status: number) => {
    let received = 0;
    killed = undefined;
    account.answer(async () => {
      if (++received === n) killed = account.people.afterKill();
      return { status: received % 2 === 0 ? status : 202 };
    });
  };
  const closedLines = async () => {
    if (killed === undefined) throw new Error("nothing was killed");
    await close(killed);
    const lines = await killed.lines(results);
    return lines.map((one) => `${one.import_row}/${one.import_event} ${one.import_status}`);
  };
  stopAt(4, 422);
  await account.import({ concurrency: 1 });
  const imported = await closedLines();
  expect(imported.slice(0, 4)).toEqual(
    expect.arrayContaining(["1/1 succeeded", "2/1 succeeded", "2/2 unknown"]),
  );
  expect(imported.length % 2).toBe(0);

  const whole = await account.people.lines(results);
  stopAt(1, 202);
  await account.retry(results, { concurrency: 1 });
  expect(await closedLines()).toHaveLength(whole.length);
});

test("an event is not sent before one of a row whose cells are lost, which may be of its key", async () => {
  const ordered = mapping.replace("resource: users", "resource: users\nordering_key: [name]");
  const account = await openAccount(table("Ann", "Bob", "Dee", "Cy"), ordered);
  let killed: typeof account.people | undefined;
  account.answer(({ name = "" }) => {
    if (name === "Cy") killed ??= account.people.afterKill();
    return name === "Bob" ? { status: 422 } : accepted;
  });
  await account.import({ concurrency: 1 });
  if (killed === undefined) throw new Error("nothing was killed");
  await close(killed);
  const before = account.service.receipts.length;
  await killed.retry(account.url, results, { mapping: killed.path("people.yaml") });
  expect(account.service.receipts.slice(before)).toEqual([]);
  const [, bob, , cy] = (await killed.lines(results)).map((line) => line.import_error_code);
  expect([bob, cy]).toEqual(["superseded", "closed"]);
});

test("a retry is not resumed beside results that were changed meanwhile", async () => {
  const account = await openAccount(table("Ann", "Bob"), mapping);
  account.answer(all("Bob"));
  await account.import();
  let killed: typeof account.people | undefined;
  account.answer(() => {
    killed ??= account.people.afterKill();
    return accepted;
  });
  await account.retry(failedRows);
  if (killed === undefined) throw new Error("nothing was killed");
  await killed.write(results, (await killed.text(results)).replace("Ann", "Eve"));
  const before = account.service.receipts.length;
  const resumed = runResume({
    ...{ results: killed.path(results), token: "a-token", clock: killed.clock },
    ...{ baseUrl: account.url, mapping: killed.path("people.yaml"), timeoutMs: deadlineMs },
  });
  await expect(resumed).rejects.toMatchObject({ code: "account_damaged" });
  expect(account.service.receipts.slice(before)).toEqual([]);
});
