import { expect, test } from "vitest";
import { findAccounts } from "../../../src/run/account/find-accounts.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { accepted, startService } from "../../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "../import-under-test.ts";

const mapping = `version: 1
resource: users
event: noted
ordering_key: [Id]
gone: { event: gone, members: { id: Id } }
members: { id: Id, age: { column: Age, type: integer } }
`;
const header = ["Id", "Age"];
const rowsOf = (ids: readonly number[], age: string) => ids.map((id) => [String(id), age]);
const ids = Array.from({ length: 600 }, (_, at) => at + 1);

/** A service that takes so many events, and then none. */
async function startTaking() {
  let left = 0;
  const { url } = await startService(() => (left-- > 0 ? accepted : { status: 503 }));
  return {
    url,
    takes(events: number) {
      left = events;
    },
  };
}

/** A night that an outage stops, unless the service takes all. */
function runNight(workspace: Workspace, url: string, results: string) {
  const state = workspace.path("people.state.jsonl");
  const night = { results: workspace.path(results), state, maxOutageMs: 2000, maxGone: "50%" };
  return workspace.import(url, night as Parameters<Workspace["import"]>[1]);
}

test.each([
  ["a first night with an invalid row", rowsOf(ids, "1").with(50, ["51", "old"]), 600],
  ["one with two rows of a key, at least so many", [...rowsOf(ids, "1"), ["1", "2"]], 601],
])("%s that stops says how many rows are left", async (_, rows, all) => {
  const workspace = await openWorkspace([header, ...rows], mapping);
  const service = await startTaking();
  service.takes(10);
  const {
    exitReason,
    rows: told,
    counts,
  } = await runNight(workspace, service.url, "one.results.csv");
  expect(exitReason).toBe("outage");
  expect(told).toBe(all);
  expect(counts.succeeded).toBe(10);
  // The invalid row may have been read.
  expect(counts.invalid + counts.not_sent).toBe(all - 10);
  const account = await readAccount(workspace.path("one.results.csv"));
  expect(account).toMatchObject({ kind: "unfinished" });
});

test("a night that stops counts changed and gone keys, and none that is as it was", async () => {
  const workspace = await openWorkspace([header, ...rowsOf(ids, "1")], mapping);
  const service = await startTaking();
  service.takes(600);
  const first = await runNight(workspace, service.url, "one.results.csv");
  expect(first.exitReason).toBe("complete");
  const changed = [...rowsOf(ids.slice(0, 100), "1"), ...rowsOf(ids.slice(100, 590), "2")];
  await workspace.write("people.csv", [header, ...changed]);
  service.takes(5);
  const second = await runNight(workspace, service.url, "two.results.csv");
  expect(second).toMatchObject({ exitReason: "outage", rows: 500, counts: { succeeded: 5 } });
  expect(second.counts.not_sent).toBe(495);
  const [found] = await findAccounts(workspace.path("two.results.csv"));
  expect(found).toMatchObject({ rows_total: 500, succeeded: 5 });
});
