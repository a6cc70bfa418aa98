import { readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import { sum } from "../../src/model/quantities.ts";
import { runCheck } from "../../src/run/check.ts";
import { findBaseline } from "../../src/run/find-baseline.ts";
import type { ImportProgress } from "../../src/run/import-options.ts";
import { eventload } from "../cli/fake-host.ts";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import { accepted } from "./planned-people.ts";

const mapping = `version: 1
resource: users
event: e
ordering_key: [key]
members: { key: key, n: { column: n, type: integer }, id: { meta: event_id } }
`;

/** Three people and the results of a first night. */
async function firstNight(yaml = mapping) {
  const people = [["key", "n"], ...["a", "b", "c"].map((key) => [key, "1"])];
  const workspace = await openWorkspace(people, yaml);
  onTestFinished(workspace.remove);
  let reply: (text: string) => Reply | Promise<Reply> = () => accepted;
  const service = await startService(({ body }) => reply(body));
  const { path } = workspace;
  const send = (night: string, baseline: string | string[], more: object = {}) =>
    workspace.import(service.url, {
      results: path(`${night}.results.csv`),
      baseline: [baseline].flat().map((name) => path(`${name}.results.csv`)),
      ...more,
    });
  await send("one", []);
  const edit = async (name: string, change: (text: string) => string) =>
    writeFile(path(name), change(await readFile(path(name), "utf8")));
  return {
    ...{ workspace, service, path, send, edit },
    answer(next: typeof reply) {
      reply = next;
    },
    warnings: () =>
      workspace.notices.flatMap((notice) => (notice.kind === "warning" ? [notice.message] : [])),
  };
}

test("what is left out as unchanged stands in the figures too, so that no part seems to be missing", async () => {
  const { workspace, send, path } = await firstNight();
  await send("two", "one", { limit: 2 });
  const manifest = JSON.parse(await workspace.text("two.run.json"));
  expect(manifest.counts.skipped).toBe(2);
  expect(sum(manifest.figures.series.skipped)).toBe(2);
  const page = path("two.html");
  await eventload(["report", path("two.results.csv"), "--output", page]);
  expect(await readFile(page, "utf8")).not.toContain("killed");
});

describe("what is not known to be the same is sent", () => {
  test("all, where the mapping has changed since; the same for what was read before", async () => {
    const { workspace, send, warnings } = await firstNight();
    expect(await send("two", "one")).toMatchObject({ unchanged: 3, attempts: 0 });
    await workspace.write("people.yaml", `${mapping}# another\n`);
    expect(await send("three", ["one", "two"])).toMatchObject({ unchanged: 0, attempts: 3 });
    expect(warnings()).toContainEqual(
      expect.stringContaining("people.yaml is not the mapping of two.results.csv"),
    );
    expect(await send("four", ["two", "three"])).toMatchObject({ unchanged: 3, attempts: 0 });
    // What the other mapping sent came after what this one did.
    await workspace.write("people.yaml", mapping);
    expect(await send("five", ["two", "four"])).toMatchObject({ unchanged: 0, attempts: 3 });
  });

  test("a line that somebody has edited, as it is not what was sent", async () => {
    const { workspace, send, edit } = await firstNight();
    await edit("one.results.csv", (text) => text.replace("\nb,1,", "\nb,2,"));
    await workspace.write("people.csv", "key,n\na,1\nb,2\nc,1\n");
    expect(await send("two", "one")).toMatchObject({ unchanged: 2, attempts: 1 });
    await edit("one.results.csv", (text) => text.replace("\nb,2,", "\nb,1,"));
    await edit("two.results.csv", (text) => text.replace("\nb,2,", "\nb,1,"));
    await workspace.write("people.csv", "key,n\na,1\nb,1\nc,1\n");
    const both = ["one", "two"];
    expect(await send("three", both)).toMatchObject({ unchanged: 2, attempts: 1 });
  });

  test.each<[string, Reply, string]>([
    ["rejected", { status: 422 }, "at-least-once"],
    ["failed", { status: 500 }, "at-least-once"],
    ["unknown", "cut", "at-most-once"],
  ])("what was %s", async (status, bad, delivery) => {
    const { workspace, send, answer } = await firstNight();
    answer((body) => (body.includes('"key":"b"') ? bad : accepted));
    await workspace.write("people.csv", "key,n\na,2\nb,2\nc,1\n");
    const second = await send("two", "one", { delivery, maxAttempts: 1, maxOutageMs: 0 });
    expect(second).toMatchObject({ unchanged: 1, counts: { [status]: 1, succeeded: 1 } });
    answer(() => accepted);
    // The service may have either state of b, so neither is left out.
    for (const [night, n] of [
      ["three", 1],
      ["four", 2],
    ]) {
      await workspace.write("people.csv", `key,n\na,2\nb,${n}\nc,1\n`);
      expect(await send(`${night}`, ["one", "two"])).toMatchObject({ unchanged: 2, attempts: 1 });
    }
  });

  test("what succeeded before a retry of all, unless the results before it are given too", async () => {
    const { workspace, service, send, path, answer, warnings } = await firstNight();
    answer((body) => (body.includes('"key":"b"') ? { status: 422 } : accepted));
    await workspace.write("people.csv", "key,n\na,2\nb,2\nc,2\n");
    await send("two", "one");
    answer(() => accepted);
    await workspace.retry(service.url, "two.results.csv");
    expect(await send("three", "two.retry-1")).toMatchObject({ unchanged: 1, attempts: 2 });
    expect(warnings()).toContainEqual(
      expect.stringContaining("two.retry-1.results.csv says of 2 events that they succeeded"),
    );
    const both = ["two", "two.retry-1"];
    expect(await send("four", both)).toMatchObject({ unchanged: 3, attempts: 0 });
    expect(path("x")).toContain(workspace.folder);
  });

  describe("without a key", () => {
    const plain = mapping.replace("ordering_key: [key]\n", "");

    test.each(["one.failed.csv", "one.results.csv"])(
      "a retry of %s counts with what it is of, and goes on to count",
      async (retried) => {
        const { workspace, service, send, answer, warnings } = await firstNight(plain);
        await workspace.write("people.csv", "key,n\na,1\nb,2\nc,x\n");
        answer((body) => (body.includes('"key":"b"') ? { status: 422 } : accepted));
        await send("two", "one");
        answer(() => accepted);
        await workspace.retry(service.url, retried.replace("one", "two"));
        const both = ["two", "two.retry-1"];
        expect(await send("three", both)).toMatchObject({ unchanged: 2, attempts: 0 });
        // What went back since is sent again.
        await workspace.write("people.csv", "key,n\na,3\nb,2\nc,x\n");
        expect(await send("four", both)).toMatchObject({ unchanged: 1, attempts: 1 });
        await workspace.write("people.csv", "key,n\na,1\nb,2\nc,x\n");
        const all = ["two", "two.retry-1", "four"];
        expect(await send("five", all)).toMatchObject({ unchanged: 1, attempts: 1 });
        expect(warnings().filter((warning) => warning.includes("retry"))).toEqual([]);
      },
    );

    test("a retry of an older import does not, and a warning says so", async () => {
      const { workspace, service, send, answer, warnings } = await firstNight(plain);
      await workspace.write("people.csv", "key,n\na,1\nb,2\nc,1\n");
      answer((body) => (body.includes('"key":"b"') ? { status: 422 } : accepted));
      await send("two", "one");
      answer(() => accepted);
      await workspace.write("people.csv", "key,n\na,1\nb,3\nc,1\n");
      await send("three", "two");
      await workspace.retry(service.url, "two.failed.csv");
      expect(await send("four", ["three", "two.retry-1"])).toMatchObject({ unchanged: 0 });
      expect(warnings()).toContainEqual(
        expect.stringContaining(
          "two.retry-1.results.csv is of a retry that sent events of another",
        ),
      );
    });
  });

  test("an invalid row stays invalid, and changes nothing for its neighbours", async () => {
    const { workspace, send } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\na,x\nb,1\nc,1\n");
    const invalid = { unchanged: 3, counts: { skipped: 3, invalid: 1 } };
    expect(await send("two", "one")).toMatchObject(invalid);
    expect(await send("three", "two")).toMatchObject(invalid);
    await workspace.write("people.csv", "key,n\na,1\na,2\nb,1\nc,1\n");
    expect(await send("four", "three")).toMatchObject({ unchanged: 2, attempts: 2 });
  });

  test("columns may come in another order, and under another name of the file", async () => {
    const { workspace, path, send } = await firstNight();
    await writeFile(path("other.csv"), "n,more,key\n1,x,a\n1,,b\n2,,c\n");
    const summary = await send("two", "one", { input: path("other.csv"), check: false });
    expect(summary).toMatchObject({ unchanged: 2, attempts: 1 });
    expect((await workspace.lines("two.results.csv")).map((line) => line.more)).toEqual([
      "x",
      "",
      "",
    ]);
  });
});

describe("a baseline remembers", () => {
  const people = (count: number, from = 0) =>
    `key,n\n${Array.from({ length: count }, (_, at) => `k${from + at},1\n`).join("")}`;

  async function hundredPeople() {
    const night = await firstNight();
    await night.workspace.write("people.csv", people(100));
    await night.send("two", []);
    return night;
  }

  test("what a short export did not have, for as many nights as there are", async () => {
    const { workspace, send } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\n");
    const short = await send("two", "one");
    expect(short).toMatchObject({
      compared: { newRows: 0, changedRows: 0, unchangedRows: 1, gone: 2 },
      goneRows: workspace.path("two.gone.csv"),
    });
    const gone = await workspace.lines("two.gone.csv");
    const since = JSON.parse(await workspace.text("two.run.json")).started_at;
    expect(gone).toEqual(
      (await workspace.lines("one.results.csv"))
        .slice(1)
        .map((line) => ({ ...line, import_gone_since: since })),
    );
    // Nothing is newly gone, and the same lines are kept on.
    expect(await send("three", "two")).toMatchObject({ compared: { gone: 0 } });
    expect(await workspace.lines("three.gone.csv")).toEqual(gone);
    await workspace.write("people.csv", "key,n\na,1\nb,1\nc,2\nd,1\n");
    expect(await send("four", "three")).toMatchObject({
      unchanged: 2,
      attempts: 2,
      compared: { newRows: 1, changedRows: 1, unchangedRows: 2, gone: 0 },
    });
    await expect(workspace.text("four.gone.csv")).rejects.toThrow("ENOENT");
    expect(JSON.parse(await workspace.text("four.run.json"))).toMatchObject({
      compared: { new_rows: 1, changed_rows: 1, unchanged_rows: 2, gone_keys: 0, gone_events: 0 },
      gone: null,
    });
  });

  test("what was delivered of a row that is invalid for a night, or left out", async () => {
    const yaml = mapping.replace("members", "when: { column: n, not_in: ['0'] }\nmembers");
    const { workspace, send } = await firstNight(yaml);
    await workspace.write("people.csv", "key,n\na,1\nb,x\nc,0\n");
    expect(await send("two", "one")).toMatchObject({ compared: { gone: 0 } });
    await workspace.write("people.csv", "key,n\na,1\nb,1\nc,1\n");
    expect(await send("three", "two")).toMatchObject({ unchanged: 3, attempts: 0 });
  });

  test("nothing wrong of rows that another mapping has sent since they were gone", async () => {
    const { workspace, send } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\n");
    await workspace.write("people.yaml", mapping.replace("users", "contacts"));
    expect(await send("two", "one")).toMatchObject({ attempts: 1, compared: { gone: 2 } });
    await workspace.write("people.csv", "key,n\na,1\nb,1\n");
    expect(await send("three", "two")).toMatchObject({ unchanged: 1, attempts: 1 });
  });

  test("all keys where only some rows are sent, and calls none of them gone", async () => {
    const { workspace, send } = await hundredPeople();
    const some = await send("three", "two", { limit: 3 });
    expect(some.compared).toEqual({ newRows: 0, changedRows: 0, unchangedRows: 3, goneEvents: 0 });
    expect(await workspace.lines("three.gone.csv")).toHaveLength(97);
    expect(await send("four", "three")).toMatchObject({ unchanged: 100, attempts: 0 });
  });

  test("rows without a key by their data, so nothing is gone", async () => {
    const { workspace, send } = await firstNight(mapping.replace("ordering_key: [key]\n", ""));
    await workspace.write("people.csv", "key,n\na,1\nd,1\n");
    const { compared, goneRows } = await send("two", "one");
    expect(compared).toEqual({ newRows: 1, unchangedRows: 1, goneEvents: 0 });
    expect(goneRows).toBeUndefined();
  });

  test("and sends nothing where more than a tenth of its keys are gone, unless that is meant", async () => {
    const { workspace, service, send } = await hundredPeople();
    const before = service.receipts.length;
    await workspace.write("people.csv", people(89));
    await expect(send("three", "two")).rejects.toThrow(
      "11 of the 100 keys (ordering_key) in two.results.csv are gone from people.csv, 11 %, more than --max-gone 10% allows: nothing was sent. Check whether the export is complete; if it is, type --max-gone 11%.",
    );
    await expect(send("three", "two", { maxGone: 10 })).rejects.toThrow("type --max-gone 11.");
    await expect(workspace.text("three.results.csv")).rejects.toThrow("ENOENT");
    expect(service.receipts.length).toBe(before);
    expect(await send("three", "two", { maxGone: "11%" })).toMatchObject({ unchanged: 89 });
    // What is gone already does not count again.
    await workspace.write("people.csv", people(81));
    expect(await send("four", "three")).toMatchObject({ unchanged: 81, compared: { gone: 8 } });
  });

  test("how many keys may be gone also after a night of some rows, or of invalid ones", async () => {
    const { workspace, send } = await hundredPeople();
    await send("three", "two", { limit: 3 });
    await workspace.write("people.csv", people(10));
    await expect(send("four", "three")).rejects.toThrow("90 of the 100 keys");
    await workspace.write("people.csv", people(100).replaceAll(",1", ",x"));
    expect(await send("four", "three")).toMatchObject({ compared: { gone: 0 } });
    await workspace.write("people.csv", people(10));
    await expect(send("five", "four")).rejects.toThrow("90 of the 100 keys");
  });

  test("how many rows there were where they have no key, also after a retry of one", async () => {
    const { workspace, service, send, answer } = await firstNight(
      mapping.replace("ordering_key: [key]\n", ""),
    );
    await workspace.write("people.csv", people(100));
    answer((body) => ({ status: body.includes('"key":"k7"') ? 422 : 202 }));
    await send("two", []);
    answer(() => accepted);
    await workspace.retry(service.url, "two.failed.csv", {
      mapping: workspace.path("people.yaml"),
    });
    const runs = ["two", "two.retry-1"];
    await workspace.write("people.csv", "key,n\n");
    await expect(send("three", runs, { maxGone: 5 })).rejects.toThrow(
      "people.csv has no rows, and two.results.csv has 100 rows",
    );
    await workspace.write("people.csv", people(19));
    await expect(send("three", runs)).rejects.toThrow(
      "81 of the 100 rows in two.results.csv are gone from people.csv, 81 %",
    );
  });

  test("not what two runs at the same time have sent of a key: it is sent again", async () => {
    const { workspace, service, send, answer } = await firstNight();
    answer((body) => ({ status: body.includes('"key":"a"') ? 422 : 202 }));
    await workspace.write("people.csv", "key,n\na,2\nb,1\nc,1\n");
    await send("two", "one");
    answer(() => accepted);
    // This one is interrupted, the failed rows are retried, and then it is resumed.
    await workspace.write("people.csv", "key,n\na,3\nb,2\nc,1\n");
    const interrupt = new AbortController();
    answer((body) => {
      if (body.includes('"key":"a"')) interrupt.abort();
      return accepted;
    });
    await send("three", "two", { concurrency: 1, signal: interrupt.signal });
    answer(() => accepted);
    workspace.clock.advance(1000);
    await workspace.retry(service.url, "two.failed.csv", {
      mapping: workspace.path("people.yaml"),
    });
    workspace.clock.advance(1000);
    await send("three", "two", { resume: "must" });
    const night = await send("four", ["two.retry-1", "three"]);
    expect(night).toMatchObject({ attempts: 1, unchanged: 2 });
    expect(JSON.parse(service.receipts.at(-1)?.body ?? "")).toMatchObject({ key: "a", n: 3 });
  });

  test("what went without an answer, and at-most-once does not send again", async () => {
    for (const yaml of [mapping, mapping.replace("ordering_key: [key]\n", "")]) {
      const { workspace, service, send, answer } = await firstNight(yaml);
      await workspace.write("people.csv", "key,n\na,2\nb,2\nc,1\n");
      answer((body) => (body.includes('"key":"b"') ? "cut" : accepted));
      const once = { delivery: "at-most-once" } as const;
      expect(await send("two", "one", once)).toMatchObject({ counts: { unknown: 1 } });
      answer(() => accepted);
      const before = service.receipts.length;
      expect(await send("three", "two", once)).toMatchObject({
        counts: { unknown: 1, skipped: 2, succeeded: 0 },
      });
      expect(await send("four", "three", once)).toMatchObject({ counts: { unknown: 1 } });
      const [line] = await workspace.lines("four.failed.csv");
      expect(line).toMatchObject({
        import_status: "unknown",
        import_error: "unanswered in three.results.csv, and at-most-once does not send it again",
      });
      expect(service.receipts.length).toBe(before);
      // Another state of the row is another event.
      await workspace.write("people.csv", "key,n\na,2\nb,3\nc,1\n");
      expect(await send("five", "four", once)).toMatchObject({ counts: { succeeded: 1 } });
      await workspace.write("people.csv", "key,n\na,2\nb,2\nc,1\n");
      expect(await send("six", "four")).toMatchObject({ counts: { succeeded: 1 } });
    }
  });

  test("and sends nothing of an input without rows, though there are few keys", async () => {
    const { workspace, path, send } = await firstNight();
    await workspace.write("people.csv", "key,n\n");
    await expect(send("two", "one")).rejects.toThrow(
      "people.csv has no rows, and one.results.csv has 3 keys, of which --max-gone 10% may be gone: nothing was sent. Check the export; if it is meant to be empty, type --max-gone 100%.",
    );
    const options = { input: path("people.csv"), mapping: path("people.yaml") };
    const check = runCheck({ ...options, baseline: path("one.results.csv") });
    await expect(check).rejects.toThrow("type --max-gone 100%.");
    const meant = await send("two", "one", { maxGone: "100%" });
    expect(meant).toMatchObject({ rows: 0, compared: { gone: 3 } });
    await workspace.write("people.csv", people(0));
    expect(await send("three", "two")).toMatchObject({ rows: 0 });
    await workspace.write("people.csv", "key,n\na,1\nb,1\nc,1\n");
    expect(await send("four", "three")).toMatchObject({ unchanged: 3, attempts: 0 });
  });
});

describe("with gone: in the mapping, a key that is gone from the input", () => {
  const mirror = `${mapping}gone: { event: gone, resource: contacts, members: { key: key, was: n } }\n`;
  const rest = (lines: readonly Record<string, string>[]) =>
    lines.map((line) => [
      ...[line.key, line.import_row, line.import_line, line.import_event, line.import_status],
    ]);

  test("gives an event of its last cells, after all others, and once", async () => {
    const { workspace, service, send, answer } = await firstNight(mirror);
    let answered = 0;
    answer(() => {
      answered++;
      return accepted;
    });
    await workspace.write("people.csv", "n,key\n2,b\n1,d\n");
    const before = service.receipts.length;
    const night = await send("two", "one");
    expect(night).toMatchObject({ rows: 4, events: 4, compared: { newRows: 1, gone: 2 } });
    expect(answered).toBe(4);
    const sent = service.receipts.slice(before).map(({ path, body }) => [path, JSON.parse(body)]);
    expect(sent.slice(2)).toEqual([
      ["/v1/contacts/events", { event: "gone", key: "a", was: "1" }],
      ["/v1/contacts/events", { event: "gone", key: "c", was: "1" }],
    ]);
    expect(rest(await workspace.lines("two.results.csv"))).toEqual([
      ["b", "1", "2", "1", "succeeded"],
      ["d", "2", "3", "1", "succeeded"],
      ["a", "3", "", "gone", "succeeded"],
      ["c", "5", "", "gone", "succeeded"],
    ]);
    expect(await workspace.lines("two.gone.csv")).toHaveLength(2);
    expect(await send("three", "two")).toMatchObject({ attempts: 0, compared: { gone: 0 } });
    // It comes back as it was, and is another now.
    await workspace.write("people.csv", "n,key\n2,b\n1,d\n1,a\n");
    const back = await send("four", "three");
    expect(back).toMatchObject({ attempts: 1, compared: { newRows: 1, unchangedRows: 2 } });
  });

  test("waits until everything else has its outcome", async () => {
    const { workspace, service, send, answer } = await firstNight(mirror);
    const rows = Array.from({ length: 40 }, (_, at) => `k${at},1\n`).join("");
    await workspace.write("people.csv", `key,n\na,1\nb,1\n${rows}`);
    let underWay = 0;
    const before = service.receipts.length;
    let others = -1;
    answer((body) => {
      if (body.includes('"gone"')) others = underWay;
      underWay++;
      return new Promise((resolve) => {
        setTimeout(() => {
          underWay--;
          resolve(accepted);
        }, 5);
      });
    });
    await send("two", "one", { clock: systemClock });
    expect(service.receipts.length - before).toBe(41);
    expect(others).toBe(0);
  });

  test("is retried and told again until the service has taken it", async () => {
    const { workspace, service, path, send, answer } = await firstNight(mirror);
    await workspace.write("people.csv", "key,n\na,1\n");
    answer((body) => ({ status: body.includes('"key":"b"') ? 422 : 202 }));
    expect(await send("two", "one")).toMatchObject({ counts: { rejected: 1, succeeded: 1 } });
    expect(rest(await workspace.lines("two.failed.csv"))).toEqual([
      ["b", "3", "", "gone", "rejected"],
    ]);
    expect(await send("three", "two")).toMatchObject({ counts: { rejected: 1, skipped: 1 } });
    answer(() => accepted);
    const retried = await workspace.retry(service.url, "three.failed.csv", {
      mapping: path("people.yaml"),
    });
    expect(retried).toMatchObject({ counts: { succeeded: 1 } });
    expect(JSON.parse(service.receipts.at(-1)?.body ?? "")).toEqual({
      ...{ event: "gone", key: "b", was: "1" },
    });
    const ids = ["three.failed.csv", "three.retry-1.results.csv"].map(async (name) =>
      (await workspace.lines(name)).map((line) => line.import_event_id),
    );
    const [failed, ofRetry] = await Promise.all(ids);
    expect(failed).toEqual(ofRetry);
    const night = await send("four", ["three", "three.retry-1"]);
    expect(night).toMatchObject({ attempts: 0, compared: { gone: 0 } });
  });

  test("stays gone in the failed rows where its event is invalid: a retry does not bring it back", async () => {
    const { workspace, service, path, send, edit } = await firstNight(
      mirror.replace("was: n", 'was: { column: n, map: { "2": two } }'),
    );
    await workspace.write("people.csv", "key,n\na,1\nb,1\n");
    const invalid = await send("two", "one");
    expect(invalid).toMatchObject({ events: 2, attempts: 0, counts: { invalid: 1 } });
    expect(rest(await workspace.lines("two.failed.csv"))).toEqual([
      ["c", "5", "", "gone", "invalid"],
    ]);
    await edit("two.failed.csv", (text) => text.replace("c,1,", "c,2,"));
    const before = service.receipts.length;
    await workspace.retry(service.url, "two.failed.csv", { mapping: path("people.yaml") });
    expect(service.receipts.slice(before).map(({ body }) => JSON.parse(body))).toEqual([
      { event: "gone", key: "c", was: "two" },
    ]);
    const night = await send("three", ["two", "two.retry-1"]);
    expect(night).toMatchObject({ attempts: 0, compared: { gone: 0 } });
  });

  test("stays unknown under at-most-once, until its key comes back", async () => {
    const { workspace, service, send, answer } = await firstNight(mirror);
    const once = { delivery: "at-most-once" };
    await workspace.write("people.csv", "key,n\na,2\nb,1\n");
    answer((body) => (body.includes('"gone"') ? "cut" : accepted));
    expect(await send("two", "one", once)).toMatchObject({ attempts: 2, counts: { unknown: 1 } });
    answer(() => accepted);
    for (const [night, before] of [
      ["three", "two"],
      ["four", "three"],
    ] as const) {
      const kept = await send(night, before, once);
      expect(kept).toMatchObject({ attempts: 0, counts: { unknown: 1 }, exitReason: "complete" });
      const last = (await workspace.lines(`${night}.results.csv`)).at(-1);
      expect(last).toMatchObject({ import_event: "gone", import_error_code: "unknown_before" });
    }
    expect(await send("five", "four")).toMatchObject({ attempts: 1, counts: { unknown: 0 } });
    await workspace.write("people.csv", "key,n\na,2\nb,1\nc,1\n");
    expect(await send("six", "four", once)).toMatchObject({ attempts: 1, counts: { unknown: 0 } });
    expect(JSON.parse(service.receipts.at(-1)?.body ?? "")).toMatchObject({ event: "e", key: "c" });
  });

  test("gives none if nothing was ever sent of it, also after a change of the mapping", async () => {
    const { workspace, send } = await firstNight(`${mirror}when: { column: n, not_in: ["9"] }\n`);
    await workspace.write("people.csv", "key,n\na,1\nleft-out,9\ninvalid,x\nb,9\n");
    await send("two", "one", { maxGone: "100%" });
    const yaml = await workspace.text("people.yaml");
    await workspace.write("people.yaml", `${yaml}# changed\n`);
    await workspace.write("people.csv", "key,n\na,1\n");
    await send("three", "two");
    const lines = rest(await workspace.lines("three.results.csv"));
    expect(lines.map(([key, , , event]) => [key, event])).toEqual([
      ["a", "1"],
      ["b", "gone"],
      ["c", "gone"],
    ]);
  });

  test("is known from an import and its retry, where another mapping made both", async () => {
    const { workspace, service, path, send, answer } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\nb,2\nc,1\n");
    answer((body) => ({ status: body.includes('"key":"b"') ? 422 : 202 }));
    await send("two", "one");
    answer(() => accepted);
    await workspace.retry(service.url, "two.failed.csv", { mapping: path("people.yaml") });
    await workspace.write("people.yaml", mirror);
    await workspace.write("people.csv", "key,n\na,1\nb,2\n");
    const night = await send("three", ["two", "two.retry-1"]);
    expect(night).toMatchObject({ attempts: 3, compared: { changedRows: 2, gone: 1 } });
    expect(JSON.parse(service.receipts.at(-1)?.body ?? "")).toMatchObject({ event: "gone" });
  });

  test("is resumed where it was", async () => {
    const { workspace, service, send, answer } = await firstNight(mirror);
    await workspace.write("people.csv", "key,n\na,2\n");
    const before = service.receipts.length;
    const interrupt = new AbortController();
    answer((body) => {
      if (body.includes('"key":"b"')) interrupt.abort();
      return accepted;
    });
    const first = await send("two", "one", { concurrency: 1, signal: interrupt.signal });
    expect(first).toMatchObject({ exitReason: "interrupted" });
    const all = await send("two", "one", { resume: "must" });
    expect(all).toMatchObject({ exitReason: "complete", rows: 3, counts: { succeeded: 3 } });
    expect(service.receipts.slice(before).map(({ body }) => JSON.parse(body).key)).toEqual([
      ...["a", "b", "c"],
    ]);
    expect(rest(await workspace.lines("two.results.csv"))).toEqual([
      ["a", "1", "2", "1", "succeeded"],
      ["b", "3", "", "gone", "succeeded"],
      ["c", "4", "", "gone", "succeeded"],
    ]);
  });

  test("is not missed again where the input stays empty", async () => {
    const { workspace, send } = await firstNight(mirror);
    await workspace.write("people.csv", "key,n\n");
    await expect(send("two", "one")).rejects.toThrow("has 3 keys");
    const meant = await send("two", "one", { maxGone: "100%" });
    expect(meant).toMatchObject({ rows: 3, attempts: 3, compared: { gone: 3, goneEvents: 3 } });
    expect(await send("three", "two")).toMatchObject({
      rows: 0,
      attempts: 0,
      compared: { gone: 0 },
    });
  });

  test("is resumed where it was behind an input of many rows", async () => {
    const { workspace, service, send, answer } = await firstNight(mirror);
    const people = Array.from({ length: 5000 }, (_, at) => `person-${at},1\n`).join("");
    await workspace.write("people.csv", `key,n\n${people}x,1\ny,1\nz,1\n`);
    await send("two", []);
    await workspace.write("people.csv", `key,n\n${people}`);
    const before = service.receipts.length;
    const interrupt = new AbortController();
    answer((body) => {
      if (body.includes('"key":"y"')) interrupt.abort();
      return accepted;
    });
    await send("three", "two", { concurrency: 1, signal: interrupt.signal });
    const all = await send("three", "two", { resume: "must" });
    expect(all).toMatchObject({ exitReason: "complete", rows: 5003, counts: { succeeded: 3 } });
    expect(service.receipts.slice(before).map(({ body }) => JSON.parse(body).key)).toEqual([
      ...["x", "y", "z"],
    ]);
    const lines = await workspace.lines("three.results.csv");
    const numbers = lines.map((line) => Number(line.import_row));
    expect(numbers.slice(0, 5000)).toEqual(Array.from({ length: 5000 }, (_, at) => at + 1));
    expect(numbers.slice(5000)).toEqual([10_001, 10_002, 10_003]);
  });

  test("gives one event of its last row, if it had several", async () => {
    const { workspace, service, send } = await firstNight(mirror);
    await workspace.write("people.csv", "key,n\na,1\na,2\nb,1\na,3\n");
    await send("two", []);
    await workspace.write("people.csv", "key,n\nb,1\n");
    expect(await send("three", "two")).toMatchObject({ attempts: 1 });
    const sent = JSON.parse(service.receipts.at(-1)?.body ?? "");
    expect(sent).toEqual({ event: "gone", key: "a", was: "3" });
    expect(await workspace.lines("three.gone.csv")).toHaveLength(3);
  });

  test("counts in a check, and for the guard also where it was gone before", async () => {
    const { workspace, path, send } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\nb,1\n");
    await send("two", "one");
    await workspace.write("people.yaml", mirror);
    const report = await runCheck({
      ...{ input: path("people.csv"), mapping: path("people.yaml") },
      baseline: path("two.results.csv"),
    });
    expect(report).toMatchObject({ rows: 3, events: 3, compared: { changedRows: 2, gone: 1 } });
    const kinds = report.eventKinds.map(({ event, index, count }) => [event, index, count]);
    expect(kinds).toEqual([
      ["e", 1, 2],
      ["gone", 0, 1],
    ]);
  });

  test("needs a key, and columns that the input has", async () => {
    const { workspace, send } = await firstNight(mirror);
    const withoutKey = mirror.replace("ordering_key: [key]\n", "");
    for (const [yaml, problem] of [
      [withoutKey, "gone: has no effect without ordering_key: add that, or remove this"],
      [mirror.replace("was: n", "was: m"), 'gone.members.was: the input has no column "m"'],
      [mirror.replace("was: n", "was: n, event: x"), "gone.members.event"],
    ] as const) {
      await workspace.write("people.yaml", yaml);
      const error = await send("two", "one").catch((thrown: unknown) => thrown);
      expect((error as { details: string[] }).details.join("\n")).toContain(problem);
    }
  });
});

describe("a baseline is refused, and nothing is sent,", () => {
  async function refusal(
    change: (night: Awaited<ReturnType<typeof firstNight>>) => unknown,
    baseline: string | string[] = "one",
    more: object = {},
  ) {
    const night = await firstNight();
    await change(night);
    const before = night.service.receipts.length;
    const error = await night.send("two", baseline, more).catch((thrown: Error) => thrown);
    expect(night.service.receipts.length).toBe(before);
    return (error as Error).message.replaceAll(night.workspace.folder, "");
  }

  test("where it is not clear what it is", async () => {
    expect(await refusal(() => {}, "none")).toBe("There is no file /none.results.csv.");
    const away = await refusal(({ path }) => rename(path("one.run.json"), path("away.json")));
    expect(away).toContain("there is no one.run.json beside it");
    const broken = await refusal(({ edit }) => edit("one.run.json", () => "{}"));
    expect(broken).toContain("its manifest one.run.json cannot be read");
    const input = await refusal(({ edit }) => edit("one.results.csv", () => "key,n\na,1\n"));
    expect(input).toContain(
      "one.results.csv cannot be used as --baseline: it is not a results file",
    );
  });

  test("where it is not what its run wrote", async () => {
    const shorter = await refusal(({ edit }) =>
      edit("one.results.csv", (text) => text.replace(/\nb,.*/, "")),
    );
    expect(shorter).toContain("it has 2 lines, and its run wrote 3; give the results as");
    const torn = await refusal(({ edit }) =>
      edit("one.results.csv", (text) => text.replace(/\nb,.*/, "\nb,1")),
    );
    expect(torn).toContain("line 3 cannot be read: it has 2 cells");
    const fewer = await refusal(({ edit }) =>
      edit("one.results.csv", (text) => text.replace("import_event_id", "id")),
    );
    expect(fewer).toContain("it has lost the columns import_event_id");
  });

  test("where it holds the failed rows only", async () => {
    const { path, send, answer } = await firstNight();
    answer((body) => (body.includes('"key":"b"') ? { status: 422 } : accepted));
    await send("two", []);
    const failed = send("three", [], { baseline: path("two.failed.csv") });
    await expect(failed).rejects.toThrow(
      "it holds the failed rows only: it has 1 line, and its run wrote 3",
    );
  });

  test("where it was sent elsewhere, stopped early, or is newer than the next", async () => {
    const elsewhere = await refusal(({ edit }) =>
      edit("one.run.json", (text) =>
        text.replace(/"base_url": "[^"]*"/, '"base_url": "https://x"'),
      ),
    );
    expect(elsewhere).toMatch(/it was sent to https:\/\/x, and this run sends to http:/);
    const stopped = await refusal(({ edit }) =>
      edit("one.run.json", (text) => text.replace('"complete"', '"outage"')),
    );
    expect(stopped).toContain("its run stopped early (outage)");
    const older = await refusal(
      async ({ send, edit }) => {
        await send("three", []);
        await edit("one.run.json", (text) => text.replace(/("finished_at": ")20/, "$130"));
      },
      ["one", "three"],
    );
    expect(older).toContain("it is older than one.results.csv, which is given before it");
  });

  test("where it is only the keys that were gone", async () => {
    const { path, workspace, send } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\nb,1\n");
    await send("two", "one");
    const alone = send("three", [], { baseline: path("two.gone.csv") });
    await expect(alone).rejects.toThrow("it has only the keys that were gone");
  });

  test("where the keys that were gone are not what its run wrote, or not there", async () => {
    const { path, workspace, send, edit } = await firstNight();
    await workspace.write("people.csv", "key,n\na,1\nb,1\n");
    await send("two", "one");
    await edit("two.gone.csv", (text) => text.replace("c,1", "d,1"));
    await expect(send("three", "two")).rejects.toThrow(
      "two.results.csv cannot be used as --baseline: two.gone.csv, which holds the keys that were gone, was changed; put it there as its run wrote it, or leave out --baseline once, to send everything.",
    );
    await rm(path("two.gone.csv"));
    await expect(send("three", "two")).rejects.toThrow("is not beside it; put it there");
  });

  test("where it is the run itself, or the input can be read only once", async () => {
    const { path, send, service } = await firstNight();
    const itself = send("one", "one", { resume: "if-unfinished" });
    await expect(itself).rejects.toThrow("exists already");
    const failed = send("two", [], { baseline: path("two.failed.csv") });
    await expect(failed).rejects.toThrow("it belongs to this run itself");
    async function* stream() {
      yield Buffer.from("key,n\na,1\n");
    }
    await expect(send("two", "one", { input: stream() })).rejects.toThrow("standard input");
    expect(service.receipts).toHaveLength(3);
  });
});

test("an interrupt while it is compared sends nothing, and leaves nothing behind", async () => {
  const { workspace, send, service } = await firstNight();
  await workspace.write("people.csv", "key,n\na,2\nb,2\nc,2\n");
  const interrupt = new AbortController();
  const phases: string[] = [];
  const onProgress = ({ phase }: ImportProgress) => {
    phases.push(phase);
    interrupt.abort();
  };
  const summary = await send("two", "one", { signal: interrupt.signal, onProgress });
  expect(summary).toMatchObject({ exitReason: "interrupted", attempts: 0, unchanged: 0 });
  expect(phases[0]).toBe("baseline");
  expect(service.receipts).toHaveLength(3);
  expect(workspace.has("two.results.csv")).toBe(false);
});

describe("check --baseline", () => {
  test("tells of the service, of a retry and of --row that they do not go with it", async () => {
    const { path, service } = await firstNight();
    const baseline = ["--baseline", path("one.results.csv")];
    const check = ["check", path("people.csv"), "--mapping", path("people.yaml"), ...baseline];
    const same = await eventload([...check, "--base-url", `${service.url}/`, "--json"]);
    expect(JSON.parse(same.stdout)).toMatchObject({ events: 0, unchanged_rows: 3 });
    const other = await eventload([...check, "--base-url", "https://example.com"]);
    expect(other.stderr).toContain("and this run sends to https://example.com");
    expect((await eventload([...check, "--row", "1"])).stderr).toContain("--baseline: it compares");
    const results = check.map((arg) =>
      arg === path("people.csv") ? path("one.results.csv") : arg,
    );
    const retry = await eventload(results);
    expect(retry.stderr).toContain("--baseline is for import");
    expect([same, other, retry].map(({ status }) => status)).toEqual([0, 2, 2]);
  });

  test("takes a list of the configuration file", async () => {
    const { workspace, path, send } = await firstNight();
    await send("two", "one");
    await workspace.write(
      "eventload.yaml",
      `baseline: [${path("one.results.csv")}, ${path("two.results.csv")}]\n`,
    );
    const check = ["check", path("people.csv"), "--mapping", path("people.yaml")];
    const { stderr } = await eventload(check, { cwd: workspace.folder });
    expect(stderr).toContain("3 unchanged");
    const report = await runCheck({
      ...{ input: path("people.csv"), mapping: path("people.yaml") },
      baseline: path("two.results.csv"),
    });
    expect(report.unchangedRows).toBe(3);
  });
});

describe("a pattern for --baseline means the last complete import, and", () => {
  test("no results older than it, though their manifest and journal are lost", async () => {
    const { path, send } = await firstNight();
    await send("two", []);
    await rm(path("one.run.json"));
    const old = new Date("2020-01-01");
    await utimes(path("one.results.csv"), old, old);
    const found = async () => (await findBaseline([path("*.results.csv")], undefined)).paths;
    expect(await found()).toEqual([path("two.results.csv")]);
    await utimes(path("one.results.csv"), new Date(), new Date("2100-01-01"));
    expect(await found()).toEqual([path("two.results.csv"), path("one.results.csv")]);
  });

  test("what another run sent while it was interrupted", async () => {
    const { workspace, service, path, send, answer } = await firstNight();
    answer((body) => ({ status: body.includes('"key":"a"') ? 422 : 202 }));
    await send("two", []);
    const interrupt = new AbortController();
    answer(() => {
      interrupt.abort();
      return accepted;
    });
    workspace.clock.advance(1000);
    await send("three", "two", { signal: interrupt.signal });
    answer(() => accepted);
    workspace.clock.advance(1000);
    await workspace.retry(service.url, "two.failed.csv", { mapping: path("people.yaml") });
    workspace.clock.advance(1000);
    await send("three", "two", { resume: "must" });
    const { paths } = await findBaseline([path("*.results.csv")], undefined);
    expect(paths).toEqual([path("two.retry-1.results.csv"), path("three.results.csv")]);
  });
});
