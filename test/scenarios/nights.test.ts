import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox-options.ts";
import { startService } from "../delivery/service-under-test.ts";
import { readRecord, sandboxUnderTest, temporaryPath } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const mapping = `version: 1
resource: contacts
event: contact.updated
ordering_key: [{ column: Email, transform: [trim, lowercase] }]
members:
  email: { column: Email, transform: [trim, lowercase] }
  age: { column: Age, type: integer }
gone: { event: contact.deleted, members: { email: Email } }
`;

/** A folder with an export, its mapping, and a service that records what it accepts. */
async function nights(options: SandboxOptions = {}) {
  const recordFile = await temporaryPath("received.jsonl");
  const service = await sandboxUnderTest({ recordFile, ...options });
  const place = await scenario("plain");
  const write = (name: string, text: string) => writeFileSync(join(place.folder, name), text);
  for (const name of readdirSync(place.folder)) rmSync(join(place.folder, name));
  write("people.yaml", mapping);
  let number = 0;
  const command = (...more: string[]) => [
    ...["import", "people.csv", ...more],
    ...(more.includes("--base-url") ? [] : ["--base-url", service.url]),
    ...(more.includes("--state") ? [] : ["--state", "people.state.jsonl"]),
    ...(more.includes("--results") ? [] : ["--results", `${++number}.results.csv`]),
  ];
  return {
    ...place,
    service,
    write,
    command,
    /** An export of these people, each with an age. */
    exports(...rows: readonly string[]) {
      write("people.csv", `${["Email,Age", ...rows].join("\n")}\n`);
    },
    async night(...more: string[]) {
      const { status, stdout, stderr } = await place.eventload(command("--json", ...more));
      return { status, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
    },
    received: async () =>
      (await readRecord(recordFile)).map(({ body }) => {
        const { event, email, age } = body;
        return event === "contact.deleted" ? `${email} gone` : `${email} ${age}`;
      }),
    manifest: (of: number) =>
      JSON.parse(readFileSync(join(place.folder, `${of}.run.json`), "utf8")),
    files: () => readdirSync(place.folder),
  };
}

const people = (count: number, age = 1) =>
  Array.from({ length: count }, (_, at) => `p${at}@example.com,${age}`);

describe("night after night", () => {
  it("only what differs is sent, what is gone last, and nothing if nothing differs", async () => {
    const { exports, night, received, records, files } = await nights();
    exports("ann@example.com,1", "Bob@example.com,2", "eve@example.com,3");
    const first = await night();
    expect(first).toMatchObject({ status: 0, json: { rows: 3, differences: { new: 3 } } });
    expect(first.stderr).toContain("this is the first night");

    const second = await night();
    expect(second.stderr).toContain("Nothing differs: 3 rows unchanged");
    expect(second).toMatchObject({ status: 0, json: { unchanged_rows: 3, results: null } });
    expect(files()).not.toContain("2.results.csv");

    exports("zoe@example.com,9", "ann@example.com,1", "bob@example.com,5");
    const third = await night();
    expect(third.stderr).toContain("3 of 4 keys differ: 1 new, 1 changed, 1 gone.");
    expect(third.stderr).toContain("Complete: 2 rows and 1 gone key, 3 events");
    expect(third).toMatchObject({ status: 0, json: { rows: 3, unchanged_rows: 1 } });
    expect((await received()).slice(3).toSorted()).toEqual(
      ["zoe@example.com 9", "bob@example.com 5", "eve@example.com gone"].toSorted(),
    );
    expect((await received()).at(-1)).toBe("eve@example.com gone");
    const lines = await records("3.results.csv");
    expect(
      lines.map(({ import_row, import_line, import_event }) => [
        import_row,
        import_line,
        import_event,
      ]),
    ).toEqual([
      ["1", "2", "1"],
      ["3", "4", "1"],
      ["4", "", "gone"],
    ]);
    expect(await night()).toMatchObject({ status: 0, json: { unchanged_rows: 3 } });
  });

  it("it says by which members keys changed, as check does", async () => {
    const { exports, night, write, eventload, service } = await nights();
    const check = async (...more: string[]) => {
      const given = ["--state", "people.state.jsonl", "--base-url", service.url, ...more];
      return eventload(["check", "people.csv", ...given]);
    };
    exports(...people(4), "joe@example.com,");
    await night();
    exports(...people(2, 2), "p2@example.com,", "p3@example.com,1", "joe@example.com,7");
    const checked = JSON.parse((await check("--json")).stdout);
    expect(checked.differences.changed_by).toEqual([{ member: "age", keys: 4 }]);
    const second = await night();
    expect(second.json.differences).toEqual(checked.differences);
    expect(second.stderr).toContain("\nChanged by age 4\n");
    const report = await eventload(["report", second.json.results, "--json"]);
    const { new: added, changed, open, gone, unchanged, changed_by } = second.json.differences;
    expect(JSON.parse(report.stdout).night).toEqual({
      ...{ new: added, changed, open, gone, unchanged, changed_by },
    });
    // What did not change the night before is known, too.
    write("people.yaml", mapping.replace("gone:", "  profile.source: { value: crm }\ngone:"));
    exports(...people(4, 2), "joe@example.com,7");
    expect((await check()).stderr).toContain("Changed by profile.source 5, age 2.");
    expect((await night()).json.differences.changed_by).toEqual([
      { member: "profile.source", keys: 5 },
      { member: "age", keys: 2 },
    ]);
    expect((await night()).json.differences).toMatchObject({ unchanged: 5, changed_by: [] });
  });

  it("a key with an invalid row keeps what it had", async () => {
    const { exports, night, received, records, eventload, folder } = await nights();
    exports("ann@example.com,1", "bob@example.com,1");
    await night();
    exports("ann@example.com,2", "ann@example.com,?", "bob@example.com,2", ",3");
    expect(await night()).toMatchObject({
      status: 1,
      json: { invalid: 2, blocked: 1, succeeded: 1 },
    });
    const [blocked] = await records("2.results.csv");
    expect(blocked?.import_error).toContain("row 2 of the same ordering key is invalid");
    expect((await received()).slice(2)).toEqual(["bob@example.com 2"]);
    // The next night sends what is left, also after one that was killed before its line was whole.
    const { accounts } = JSON.parse((await eventload("status --json")).stdout);
    expect(accounts.at(-1)).toMatchObject({ open: 3, next: null });
    appendFileSync(join(folder, "people.state.jsonl"), '{"run":"2026-');
    await night();
  });

  it.each([403, 404, "cut"] as const)(
    "a first key that gets %s keeps no other from being sent",
    async (what) => {
      const service = await startService(({ body }) => {
        if (!body.includes('ann@example.com","age":2')) return { status: 202 };
        return what === "cut" ? what : { status: what };
      });
      const { exports, night } = await nights();
      const to = ["--base-url", service.url, "--max-attempts", "2", "--concurrency", "1"];
      exports("ann@example.com,1", "bob@example.com,1", "eve@example.com,1");
      await night(...to);
      exports("ann@example.com,2", "bob@example.com,2", "eve@example.com,2");
      expect(await night(...to)).toMatchObject({ status: 1, json: { succeeded: 2 } });
    },
  );

  it.each([[""], ["1/2", "2/2"]])(
    "nobody is gone while an address may be mistyped, in any shard (%s)",
    async (...shards) => {
      const { exports, night, write, received } = await nights();
      write("people.yaml", mapping.replace("email: {", "email: { format: email,"));
      const all = async () => {
        const ended = [];
        for (const shard of shards) {
          const more = ["--shard", shard, "--state", "people.{shard}.jsonl"];
          ended.push(await night(...(shard === "" ? [] : more)));
        }
        return ended;
      };
      exports(...people(9), "ann@example.com,1");
      await all();
      exports(...people(9), "annexample.com,1");
      for (const { stderr } of await all()) {
        expect(stderr).toContain("1 row of people.csv may have any key, so no key counts as gone");
      }
      expect((await received()).filter((one) => one.includes("gone"))).toEqual([]);
    },
  );

  it("an export that comes again has other event ids than when it came first", async () => {
    const { exports, night, write, service, read } = await nights();
    write("people.yaml", `${mapping.replace(/gone:.*\n/, "")}  id: { meta: event_id }\n`);
    for (const age of [1, 2, 1]) {
      exports(`ann@example.com,${age}`, "bob@example.com,5");
      expect(await night()).toMatchObject({ status: 0 });
    }
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(async (of) => (await read(`${of}.results.csv`)).match(/[\da-f-]{36}/)?.[0]),
    );
    expect(new Set([first, second, third]).size).toBe(3);
    expect(service.counts()).toMatchObject({ requests: 4 });
  });

  /** What somebody else can do to a state that says that nothing differs, and what it is refused for. */
  const others = 54_321;
  it.skipIf(process.getuid?.() !== 0).each([
    ["its owner", (path: string) => chownSync(path, others, others), "belongs to another user"],
    ["its mode", (path: string) => chmodSync(path, 0o666), "can be written by everybody"],
    ["its folder", (path: string) => chmodSync(dirname(path), 0o777), "its folder"],
    [
      "a link of others",
      (path: string) => {
        renameSync(path, `${path}.kept`);
        symlinkSync(`${path}.kept`, path);
        lchownSync(path, others, others);
      },
      "the link",
    ],
    [
      "its owner, behind a link",
      (path: string) => {
        renameSync(path, `${path}.kept`);
        symlinkSync(`${path}.kept`, path);
        chownSync(`${path}.kept`, others, others);
      },
      "belongs to another user",
    ],
    [
      "a link that is one's own",
      (path: string) => {
        renameSync(path, `${path}.kept`);
        symlinkSync(`${path}.kept`, path);
      },
      "it is a link, and has to be the file itself",
    ],
    [
      "a folder",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
      "it is a directory",
    ],
    [
      "a pipe",
      (path: string) => {
        rmSync(path);
        execFileSync("mkfifo", [path]);
      },
      "it is not a state",
    ],
  ])("a state is not believed for %s", async (_, spoil, why) => {
    const { exports, night, eventload, command, folder, service } = await nights();
    exports(...people(5));
    expect((await night()).status).toBe(0);
    exports(...people(5, 2));
    spoil(join(folder, "people.state.jsonl"));
    const refused = await night();
    const [, ...args] = command();
    const checked = await eventload([
      "check",
      ...args.filter((one, at) => !/results/.test(one + args[at - 1])),
    ]);
    for (const { status, stderr } of [refused, checked]) {
      expect(stderr).toContain(why);
      expect(status).toBe(2);
    }
    expect(service.counts().requests).toBe(5);
  });

  it("a state that a group may write is believed", async () => {
    const { exports, night, folder } = await nights();
    exports(...people(5));
    for (const _ of [1, 2]) {
      expect((await night()).status).toBe(0);
      chmodSync(folder, 0o775);
      chmodSync(join(folder, "people.state.jsonl"), 0o664);
    }
  });

  it("each shard has its own state", async () => {
    const { exports, eventload, received, command, folder, service } = await nights();
    exports(...people(20));
    const check = (of: number) =>
      eventload([
        ...["check", "people.csv", "--base-url", service.url, "--json"],
        ...["--shard", `${of}/2`, "--state", "{shard}.jsonl"],
      ]);
    const shard = (of: number, name: string) =>
      eventload(
        command(
          ...["--shard", `${of}/2`, "--state", "{shard}.jsonl"],
          ...["--results", `${name}.{shard}.results.csv`],
        ),
      );
    for (const of of [1, 2]) expect((await shard(of, "a")).status).toBe(0);
    expect(new Set(await received()).size).toBe(20);
    exports(...people(19), ",1");
    // A row without a key, in whichever shard, may be of the missing one.
    for (const of of [1, 2]) {
      expect(JSON.parse((await check(of)).stdout).differences).toMatchObject({
        gone: 0,
        unreadable_rows: 1,
      });
      expect((await shard(of, "b")).stderr).toContain("no key counts as gone tonight");
    }
    expect((await received()).filter((one) => one.endsWith("gone"))).toEqual([]);
    exports(...people(19));
    for (const of of [1, 2]) await shard(of, "c");
    expect((await received()).filter((one) => one.endsWith("gone"))).toEqual([
      "p19@example.com gone",
    ]);
    const merged = await eventload(
      `merge a.*.results.csv --results ${join(folder, "m.results.csv")}`,
    );
    expect(merged.stderr).toContain("it is of a night");
  });
});

describe("an unfinished night", () => {
  it("by a kill takes no events for rows, and says how many were never begun", async () => {
    const { exports, write, start, command, manifest, eventload, service, night } = await nights({
      latencyMs: 20,
    });
    const each = "event: contact.KIND\n    members: { email: Email, age: Age }";
    const events = ["seen", "aged"].map((kind) => `  - ${each.replace("KIND", kind)}`);
    const head = "version: 1\nresource: contacts\nordering_key: [Email]\nevents:";
    write("people.yaml", `${[head, ...events].join("\n")}\n`);
    exports(...people(300));
    const killed = start(command("--concurrency", "4"));
    while (service.counts().requests < 40) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect((await eventload("status .")).stdout).not.toContain("600");
    expect(await night("--concurrency", "64")).toMatchObject({ status: 0 });
    expect(manifest(1)).toMatchObject({ exit_reason: "closed" });
    expect(manifest(1).never_begun).toBeGreaterThan(200);
    expect(manifest(1).never_begun).toBeLessThan(300);
    expect((await eventload("resume 1.results.csv")).status).toBe(1);
  });

  it.each([
    ["the same export", 1],
    ["another export", 2],
  ])("by a kill needs nothing but the next one, with %s", async (_, age) => {
    const { exports, night, start, command, received, manifest, eventload, service, ...others } =
      await nights({ latencyMs: 20 });
    const { records, files, folder } = others;
    exports(...people(300));
    const killed = start(command("--concurrency", "4"));
    while (service.counts().requests < 40) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    const status = await eventload("status .");
    expect(status.stdout).toMatch(/1\.results\.csv {2}(running|unfinished)/);
    expect(status.stdout).not.toContain("eventload resume");
    const resumed = await eventload("resume 1.results.csv");
    expect(resumed).toMatchObject({ status: 2 });
    expect(resumed.stderr).toContain("A night is not resumed: give its command again");

    const before = (await received()).length;
    exports(...people(300, age));
    const left = files().map((name) => [name, statSync(join(folder, name)).size]);
    const checked = await eventload(
      `check people.csv --state people.state.jsonl --base-url ${service.url} --json`,
    );
    expect(files().map((name) => [name, statSync(join(folder, name)).size])).toEqual(left);
    const next = await night("--concurrency", "64");
    expect(JSON.parse(checked.stdout).differences).toEqual(next.json.differences);
    expect(next.status).toBe(0);
    expect(next.json.differences.open).toBeGreaterThan(0);
    expect(next.json.differences.open).toBeLessThanOrEqual(8 + 4);
    const last = new Map((await received()).map((one) => one.split(" ") as [string, string]));
    expect([...last.values()].every((one) => one === String(age))).toBe(true);
    expect(last.size).toBe(300);
    const lines = await records("2.results.csv");
    const doubtful = lines.filter(({ import_unanswered: count }) => Number(count) > 0);
    expect(doubtful).toHaveLength(next.json.differences.open);
    if (age === 1) expect((await received()).length - before).toBe(lines.length);
    const { rows, never_begun: neverBegun, counts } = manifest(1);
    expect(rows + neverBegun).toBe(300);
    expect(counts.unknown).toBeGreaterThan(0);
    expect(await records("1.results.csv")).toHaveLength(rows);
    expect((await eventload("status .")).stdout).toContain(`; ${neverBegun} never begun`);
    const again = await eventload("resume 1.results.csv");
    expect(again.stderr).toContain(`never begun: ${neverBegun} rows`);
    expect(again.stderr).not.toContain("eventload retry");
    const retried = await eventload("retry 1.results.csv");
    expect(retried).toMatchObject({ status: 2 });
    expect(retried.stderr).toContain("a later night has begun");
    expect(files().filter((name) => /journal|new$/.test(name))).toEqual([]);
    const report = await eventload("report 1.results.csv");
    expect(report).toMatchObject({ status: 0, stderr: expect.not.stringContaining("changed") });
  });

  it("by an outage too", async () => {
    const { exports, night, start, command, received, service } = await nights({ latencyMs: 20 });
    exports(...people(300));
    const { ended } = start(command("--concurrency", "4", "--max-outage", "1s"));
    while (service.counts().requests < 40) await new Promise((resolve) => setTimeout(resolve, 10));
    await service.stop();
    const stopped = await ended;
    expect(stopped.stderr).toContain("give the same command again");
    expect(stopped.status).toBe(3);
    const { port } = new URL(service.url);
    const again = await sandboxUnderTest({ port: Number(port) });
    const next = await night();
    expect(next.status).toBe(0);
    expect(next.json.differences.unchanged).toBeGreaterThan(30);
    // What never left is as before: new.
    expect(next.json.differences.open).toBeLessThanOrEqual(8);
    expect(again.counts().requests + (await received()).length).toBeGreaterThanOrEqual(300);
  });

  it("and two at once are one too many", async () => {
    const { exports, night, start, command, service } = await nights({ latencyMs: 50 });
    exports(...people(200));
    const one = start(command("--concurrency", "2"));
    while (service.counts().requests < 4) await new Promise((resolve) => setTimeout(resolve, 10));
    const other = await night();
    expect(other.status).toBe(2);
    expect(other.stderr).toMatch(/Another run uses the state .*\. Wait for it\./);
    one.child.kill("SIGKILL");
  });
});

describe("a retry by hand", () => {
  it("is sent once more by the next night, from the export", async () => {
    const { exports, night, eventload, received, write, read } = await nights();
    exports("ann@example.com,1", "bob@example.com,?");
    expect((await night()).status).toBe(1);
    write("1.failed.csv", (await read("1.failed.csv")).replace(",?,", ",7,"));
    expect(await eventload("retry 1.failed.csv")).toMatchObject({ status: 0 });
    exports("ann@example.com,1", "bob@example.com,8");
    const next = await night();
    expect(next).toMatchObject({ status: 0, json: { differences: { open: 1, unchanged: 1 } } });
    expect(await received()).toEqual([
      "ann@example.com 1",
      "bob@example.com 7",
      "bob@example.com 8",
    ]);
  });

  it("sends no row without a key, also once its other cells are fixed", async () => {
    const { exports, night, eventload, received, write, read } = await nights();
    exports("ann@example.com,1", ",?", ",2");
    expect((await night()).status).toBe(1);
    write("1.failed.csv", (await read("1.failed.csv")).replace(",?,", ",7,"));
    expect((await eventload("retry 1.failed.csv")).status).toBe(1);
    expect(await received()).toEqual(["ann@example.com 1"]);
    const lines = (await read("1.failed.csv")).trim().split("\n").slice(1);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain("its ordering key is blank");
  });

  it("that is killed is resumed, and the next night sends its keys once more", async () => {
    const { exports, night, eventload, start, received, write, read, service } = await nights({
      latencyMs: 20,
    });
    exports(...people(40).map((row) => row.replace(",1", ",?")));
    expect((await night()).status).toBe(1);
    write("1.failed.csv", (await read("1.failed.csv")).replaceAll(",?,", ",7,"));
    const killed = start("retry 1.failed.csv --concurrency 2");
    while (service.counts().requests < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await eventload("resume 1.results.csv")).toMatchObject({ status: 0 });
    expect(new Set(await received()).size).toBe(40);
    exports(...people(40, 7));
    expect(await night()).toMatchObject({ status: 0, json: { differences: { open: 40 } } });
    expect(await night()).toMatchObject({ status: 0, json: { unchanged_rows: 40 } });
  });

  it("believes no state that a manifest names which somebody has edited", async () => {
    const { exports, night, eventload, write, read, service } = await nights();
    exports("ann@example.com,1", "bob@example.com,?");
    expect((await night()).status).toBe(1);
    const { seal: _, ...unsealed } = JSON.parse(await read("1.run.json"));
    write("1.run.json", JSON.stringify(unsealed));
    const typed = `--base-url ${service.url} --mapping people.yaml`;
    const refused = await eventload(`retry 1.failed.csv ${typed}`);
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain("the state that it names is not believed");
  });

  it("is refused once a later night has begun", async () => {
    const { exports, night, eventload } = await nights();
    exports("ann@example.com,1", "bob@example.com,2");
    await night();
    exports("ann@example.com,1", "bob@example.com,?");
    expect((await night()).status).toBe(1);
    exports("ann@example.com,2", "bob@example.com,2");
    expect(await night()).toMatchObject({ status: 0, json: { results: "3.results.csv" } });
    const refused = await eventload("retry 2.failed.csv");
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("a later night has begun");
  });
});

it.each([
  [["--skip", "1"], "leave out --skip and --limit"],
  [["--no-check"], "leave out --no-check"],
  [["--delivery", "at-most-once"], "leave out at-most-once"],
  [["--resume"], "a night is not resumed"],
  [["--state", "nowhere/people.jsonl"], "there is no folder"],
  [["--state", "people.{date}.jsonl"], "{date} has no value here; use {input}"],
  [["--max-gone", "many"], "is not a whole number such as 100 or a share"],
  [["--results", "1.results.csv"], "people.{date}.{time}.results.csv"],
])("%s is refused, with what to do", async (options, why) => {
  const { exports, night, received } = await nights();
  exports("ann@example.com,1");
  if (options[0] === "--results") await night();
  const before = (await received().catch(() => [])).length;
  const refused = await night(...options);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(why);
  expect(await received().catch(() => [])).toHaveLength(before);
});

it("a mapping without a key and failed rows are refused", async () => {
  const { exports, night, command, eventload, write } = await nights();
  exports("ann@example.com,1", "bob@example.com,?");
  await night();
  const failed = await eventload(
    command("--mapping", "people.yaml").map((one) => (one === "people.csv" ? "1.failed.csv" : one)),
  );
  expect(failed.stderr).toContain("this is a results file");
  write("people.yaml", mapping.replace("{ email: Email } }", "{ email: Email, age: Age } }"));
  expect((await night()).stderr).toContain("reads another column than those of ordering_key");
  write("people.yaml", mapping.replace(/ordering_key.*\n/, "").replace(/gone.*\n/, ""));
  const keyless = await night();
  expect(keyless.stderr).toContain("eventload init proposes one");
  for (const { status } of [failed, keyless]) expect(status).toBe(2);
});

it("check says what a night would send, and changes nothing", async () => {
  const { exports, night, eventload, service, read } = await nights();
  exports("ann@example.com,1");
  await night();
  const before = await read("people.state.jsonl");
  exports("ann@example.com,2", "bob@example.com,1");
  const given = ["check", "people.csv", "--state", "people.state.jsonl"];
  const checked = await eventload([...given, "--base-url", service.url, "--json"]);
  expect(checked.status).toBe(0);
  expect(JSON.parse(checked.stdout).differences).toMatchObject({ new: 1, changed: 1, events: 2 });
  expect(await read("people.state.jsonl")).toBe(before);
  expect((await eventload(given)).stderr).toContain("add its address, --base-url");
  exports(...people(5));
  await night();
  exports(...people(5, 2));
  for (const most of ["20%", "100%"]) {
    const garbled = await eventload([
      ...[...given, "--base-url", service.url],
      ...["--max-changed", most],
    ]);
    expect(garbled.status).toBe(most === "20%" ? 1 : 0);
    if (most === "20%") expect(garbled.stderr).toContain("changes 5 of the 5 keys");
  }
  expect((await night("--max-changed", "4")).stderr).toContain("more than --max-changed 4 allows");
  exports("p0@example.com,1");
  const short = await eventload([...given, "--base-url", service.url]);
  expect(short).toMatchObject({ status: 1, stderr: expect.stringContaining("--max-gone") });
});
