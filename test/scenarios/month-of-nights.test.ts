import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "../run/import-under-test.ts";

const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));

const mapping = `version: 1
resource: users
event: person.saved
ordering_key: [key]
members: { key: key, plan: plan }
`;
const mirror = `${mapping}gone: { event: person.removed, members: { key: key } }\n`;

/**
 * What a night is like. `short`: a part of the export is missing, and that is an error. `shrunk`: the same, and it
 * is meant. `down`: the service fails half-way. `refusing`: it refuses some people. `cutting`: it closes some
 * connections without an answer.
 */
type Kind =
  | "usual"
  | "short"
  | "shrunk"
  | "empty"
  | "down"
  | "killed"
  | "refusing"
  | "retried"
  | "cutting";

const month: readonly Kind[] = [
  ...["usual", "usual", "short", "usual", "empty", "usual", "usual"],
  ...["down", "usual", "killed", "usual", "refusing", "usual", "retried"],
  ...["usual", "shrunk", "usual", "usual", "cutting", "usual", "killed"],
  ...["usual", "down", "usual", "retried", "short", "usual", "refusing"],
  ...["usual", "shrunk", "usual"],
] as Kind[];

/** What the service has of each person: the plan, or that it was removed. */
const removed = "(removed)";

async function openMonth(isMirror: boolean, seed: number) {
  const random = mulberry32(seed);
  const workspace = await openWorkspace([], isMirror ? mirror : mapping);
  onTestFinished(workspace.remove);
  /** What the service has, and what it was sent since somebody looked. */
  const service = new Map<string, string>();
  let received: string[] = [];
  let replyTo: (key: string, number: number) => Reply = () => ({ status: 202 });
  const { url } = await startService(({ body, path }) => {
    const { event, key, plan } = JSON.parse(body) as { event: string; key: string; plan?: string };
    expect(path).toBe("/v1/users/events");
    received.push(key);
    const reply = replyTo(key, received.length);
    // A connection that is cut off is one that had reached it.
    if (reply === "cut" || (reply !== "silence" && reply.status < 300)) {
      service.set(key, event === "person.removed" ? removed : (plan ?? ""));
    }
    return reply;
  });

  /** The people who are to be at the service. */
  const people = new Map<string, string>();
  const away = new Map<string, string>();
  let next = 0;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const plan = () => pick(["free", "pro", "team"]);
  const change = () => {
    for (let added = 0; added < 4; added++) people.set(`k${next++}`, plan());
    for (let changed = 0; changed < 4; changed++) people.set(pick([...people.keys()]), plan());
    for (let gone = 0; gone < 3; gone++) {
      const key = pick([...people.keys()]);
      away.set(key, people.get(key) ?? "");
      people.delete(key);
    }
    // Back as they were, or with another plan.
    for (const key of [...away.keys()].slice(0, 1 + Math.floor(2 * random()))) {
      if (random() < 0.6) continue;
      people.set(key, random() < 0.5 ? (away.get(key) ?? "") : plan());
      away.delete(key);
    }
  };
  for (let first = 0; first < 60; first++) people.set(`k${next++}`, plan());

  const name = (night: number) => `${String(night).padStart(2, "0")}.results.csv`;
  const write = (rows: ReadonlyMap<string, string>) =>
    workspace.write(
      "people.csv",
      `key,plan\n${[...rows].map(([key, plan]) => `${key},${plan}\n`).join("")}`,
    );
  /** The results of the last complete import, and of the retries since. */
  const baseline = (night: number) => {
    const isEarlier = (file: string) => file.endsWith(".results.csv") && file < name(night);
    const runs = readdirSync(workspace.folder).filter(isEarlier);
    const last =
      runs
        .filter((file) => !file.includes("retry"))
        .toSorted()
        .at(-1) ?? "";
    const ofLast = runs.filter((file) => file.startsWith(last.replace("results.csv", "")));
    return [...new Set([last, ...ofLast.toSorted()])].filter((file) => file !== "");
  };
  const run = (night: number, options: object = {}) =>
    workspace.import(url, {
      ...{ results: workspace.path(name(night)), maxAttempts: 2, durability: "process" },
      clock: systemClock,
      baseline: baseline(night).map((file) => workspace.path(file)),
      ...options,
    });
  return {
    ...{ workspace, service, people, url, change, write, run, name, baseline },
    answer(reply: typeof replyTo) {
      replyTo = reply;
    },
    sent() {
      const all = received;
      received = [];
      return all;
    },
    requests: () => received.length,
  };
}

type Month = Awaited<ReturnType<typeof openMonth>>;

/** The same import as a process of its own, which is killed when the service has so many requests. */
async function runAndKill({ workspace, url, name, baseline, requests }: Month, night: number) {
  const child = spawn(
    process.execPath,
    [
      ...[program, "import", workspace.path("people.csv"), "--base-url", url, "--concurrency", "2"],
      ...["--results", workspace.path(name(night)), "--config", workspace.path("none.yaml")],
      ...baseline(night).flatMap((file) => ["--baseline", workspace.path(file)]),
    ],
    { env: { ...process.env, EVENTLOAD_TOKEN: "a-token" }, stdio: "ignore" },
  );
  const ended = once(child, "exit");
  while (requests() < 4 && child.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  child.kill("SIGKILL");
  await ended;
}

describe.each([
  ["with gone:, the service is a mirror", true],
  ["without gone:, the service keeps who is gone", false],
])("a month of nights, %s", (_, isMirror) => {
  test.each([1])(
    "of seed %i",
    async (seed) => {
      const all = await openMonth(isMirror, seed);
      const { workspace, service, people, change, write, run, name, sent } = all;
      await workspace.write("none.yaml", "{}\n");
      /** What was delivered for certain, by key; undefined where it is in doubt. */
      const delivered = new Map<string, string | undefined>();
      const wanted = (rows: ReadonlyMap<string, string>) => {
        const changed = [...rows].filter(([key, plan]) => delivered.get(key) !== plan);
        const gone = [...delivered.keys()].filter((key) => !rows.has(key));
        const isLeft = (key: string) => delivered.get(key) !== removed;
        return [...changed.map(([key]) => key), ...(isMirror ? gone.filter(isLeft) : [])];
      };
      /** Takes over what the lines of a complete run say. */
      const learn = async (file: string) => {
        const lines = await workspace.lines(file);
        for (const { key = "", plan, import_status: status, import_event: event } of lines) {
          const isSettled = ["succeeded", "skipped"].includes(status ?? "");
          delivered.set(key, isSettled ? (event === "gone" ? removed : plan) : undefined);
        }
        return lines;
      };
      let refused = 0;

      for (const [night, kind] of month.entries()) {
        change();
        let rows = new Map(people);
        if (kind === "short" || kind === "shrunk") {
          rows = new Map([...people].slice(0, Math.floor(people.size * 0.7)));
        }
        if (kind === "empty") rows = new Map();
        await write(rows);
        const expected = wanted(rows);
        all.answer(() => ({ status: 202 }));
        const refusedKeys = expected.slice(1, 4);
        const before = new Map(service);

        switch (kind) {
          case "short":
          case "empty":
            await expect(run(night)).rejects.toThrow(/nothing was sent/);
            expect(sent()).toEqual([]);
            refused++;
            continue;
          case "down":
            all.answer((_, count) => ({ status: count > 2 ? 503 : 202 }));
            expect(await run(night, { maxOutageMs: 1 })).toMatchObject({ exitReason: "outage" });
            all.answer(() => ({ status: 202 }));
            break;
          case "killed":
            await runAndKill(all, night);
            break;
          case "refusing":
          case "retried":
            all.answer((key) => ({ status: refusedKeys.includes(key) ? 422 : 202 }));
            break;
          case "cutting":
            all.answer((key, count) =>
              refusedKeys.includes(key) && count < 6 ? "cut" : { status: 202 },
            );
            break;
          case "usual":
          case "shrunk":
            break;
          default:
            kind satisfies never;
        }
        const summary = await run(night, {
          resume: "if-unfinished",
          clock: systemClock,
          maxGone: kind === "shrunk" ? "100%" : "10%",
        });
        expect(summary.exitReason).toBe("complete");
        let lines = await learn(name(night));
        if (kind === "retried") {
          all.answer(() => ({ status: 202 }));
          const failed = name(night).replace("results", "failed");
          const mappingFile = workspace.path("people.yaml");
          const retry = await workspace.retry(all.url, failed, {
            mapping: mappingFile,
            clock: systemClock,
          });
          expect([retry.exitReason, retry.failedRows]).toEqual(["complete", undefined]);
          lines = [...lines, ...(await learn(failed.replace("failed", "retry-1.results")))];
        }

        // Nothing was sent that had not changed, and what may have arrived twice is marked.
        const requests = sent();
        expect([...new Set(requests)].toSorted()).toEqual(expected.toSorted());
        const marked = lines.filter(({ import_unanswered: count }) => Number(count) > 0);
        const twice = requests.filter((key, at) => requests.indexOf(key) < at);
        const isAnswered = kind === "down" || kind === "retried";
        for (const key of isAnswered ? [] : twice)
          expect(marked.map((line) => line.key)).toContain(key);

        // Nothing is missing.
        for (const [key, plan] of rows) {
          const isRefused = kind === "refusing" && refusedKeys.includes(key);
          expect(service.get(key)).toBe(isRefused ? before.get(key) : plan);
        }
        for (const key of service.keys()) {
          if (rows.has(key)) continue;
          const isRefused = kind === "refusing" && refusedKeys.includes(key);
          if (!isMirror || isRefused) expect(service.get(key)).toBe(before.get(key));
          else expect(service.get(key)).toBe(removed);
        }
      }
      expect(refused).toBe(3);
      // The last night knows of everybody who was ever there.
      await rename(workspace.path("people.yaml"), workspace.path("was.yaml"));
      expect(delivered.size).toBeGreaterThan(people.size + 20);
    },
    60_000,
  );
});
