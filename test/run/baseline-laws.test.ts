import fc from "fast-check";
import { expect, test } from "vitest";
import { openService, type Reply } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping = `version: 1
ordering_key: [key]
events:
  - { resource: users, event: a, members: &m { key: key, n: { column: n, type: integer }, row: { meta: row }, at: { meta: imported_at } } }
  - { resource: contacts, event: b, when: { column: both, in: [y] }, members: *m }
`;

interface Person {
  readonly key: string;
  /** A number, or what is none and makes the row invalid. */
  readonly n: string;
  readonly both: "y" | "n";
}

interface Night {
  readonly people: readonly Person[];
  /** How the requests of the night are answered, as they come. */
  readonly replies: readonly Reply[];
  /** Whether all results so far are given, or the last. */
  readonly knowsAll: boolean;
}

const accepted: Reply = { status: 202 };
const night = fc.record<Night>({
  people: fc.array(
    fc.record<Person>({
      key: fc.constantFrom("a", "b", "c", "d", ""),
      n: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("1", "2") }, fc.constant("x")),
      both: fc.constantFrom("y", "n"),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  replies: fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constant(accepted) },
      fc.constantFrom<Reply>({ status: 422 }, { status: 500 }, "cut"),
    ),
    { maxLength: 8 },
  ),
  knowsAll: fc.boolean(),
});

/** Most nights are much like the one before. */
const nights = fc
  .tuple(night, fc.array(fc.tuple(night, fc.nat({ max: 2 })), { minLength: 2, maxLength: 4 }))
  .map(([first, others]) => {
    const all = [first];
    for (const [one, changes] of others) {
      const people = [...(all.at(-1)?.people ?? [])];
      for (const [at, person] of one.people.slice(0, changes).entries()) people[at * 2] = person;
      all.push({ ...one, people: people.filter((person) => person !== undefined) });
    }
    return all;
  });

/** The events of a person, as text. */
function eventsOf({ key, n, both }: Person): string[] {
  if (n === "x") return [];
  return (both === "y" ? ["a", "b"] : ["a"]).map((event) => `${event} ${key} ${n}`);
}

interface ToldLine {
  readonly text: string;
  readonly key: string;
  readonly isDelivered: boolean;
}

const keys = ["a", "b", "c", "d"];

test("night for night: sent is what differs from what arrived last, and what is in doubt", async () => {
  let unchangedSeen = 0;
  const property = fc.asyncProperty(nights, async (all) => {
    const workspace = await openWorkspace([], mapping);
    let replies: Reply[] = [];
    /** What the service was sent, and whether it surely took it. */
    const history: { text: string; key: string; isSure: boolean }[] = [];
    let isFirst = true;
    const service = await openService(({ body }) => {
      const { event, key = "", n } = JSON.parse(body) as { event: string; key?: string; n: number };
      const reply = isFirst ? accepted : (replies.shift() ?? accepted);
      isFirst = false;
      const isRefused = typeof reply === "object" && reply.status === 422;
      if (!isRefused)
        history.push({ text: `${event} ${key} ${n}`, key, isSure: reply === accepted });
      return reply;
    });
    /** Of each night, its lines with an event. */
    const told: ToldLine[][] = [];
    /** Of each night, the last lines of the keys of which it planned nothing. */
    const gone: ToldLine[][] = [];
    for (const [at, { people, replies: given, knowsAll }] of all.entries()) {
      replies = [...given];
      isFirst = true;
      const csv = people.map(({ key, n, both }) => `${key},${n},${both}\n`).join("");
      await workspace.write("people.csv", `key,n,both\n${csv}`);
      const from = knowsAll ? 0 : Math.max(0, at - 1);
      const names = all.slice(0, at).map((_, before) => workspace.path(`${before}.results.csv`));
      const before = [...history];
      const summary = await workspace.import(service.url, {
        ...{ results: workspace.path(`${at}.results.csv`), baseline: names.slice(from) },
        ...{ maxAttempts: 1, maxOutageMs: 0, durability: "process" },
      });
      expect(summary.exitReason).toBe("complete");
      const lines = await workspace.lines(`${at}.results.csv`);
      const ofEvents = lines.filter((line) => line.import_event !== "");
      const isUnchanged = (line: Record<string, string>) => line.import_error_code === "unchanged";
      expect(summary.unchanged).toBe(ofEvents.filter(isUnchanged).length);
      expect(ofEvents).toHaveLength(people.flatMap(eventsOf).length);
      const { newRows = 0, changedRows = 0, unchangedRows = 0 } = summary.compared ?? {};
      const sendable = people.filter((person) => eventsOf(person).length > 0).length;
      if (at > 0) expect(newRows + changedRows + unchangedRows).toBe(sendable);

      const goneTonight: ToldLine[] = [];
      for (const key of keys) {
        const mine = people.filter((person) => person.key === key).flatMap(eventsOf);
        const files = told
          .flatMap((one, night) => (night < from ? [] : [gone[night] ?? [], one]))
          .map((one) => one.filter((line) => line.key === key));
        const last = files.findLast((one) => one.length > 0) ?? [];
        if (mine.length === 0) goneTonight.push(...last);
        const isSame =
          mine.length > 0 &&
          last.every(({ isDelivered }) => isDelivered) &&
          JSON.stringify(last.map(({ text }) => text)) === JSON.stringify(mine);
        const own = ofEvents.filter((line) => line.key === key);
        expect(own.map(isUnchanged)).toEqual(mine.map(() => isSame));
        if (!isSame) continue;
        // Whatever events do, to repeat what was done last leaves it as it is.
        const done = before.filter((one) => one.key === key).slice(-mine.length);
        expect(done).toEqual(mine.map((text) => ({ text, key, isSure: true })));
        unchangedSeen += mine.length;
      }
      const lastNight = told.at(-1) ?? [];
      for (const person of people.filter(({ key }) => key === "")) {
        const events = eventsOf(person);
        const isSame = events.every((text) =>
          lastNight.some((line) => line.text === text && line.isDelivered),
        );
        const row = String(people.indexOf(person) + 1);
        const own = ofEvents.filter((line) => line.import_row === row);
        expect(own.map(isUnchanged)).toEqual(events.map(() => isSame));
      }
      gone.push(goneTonight);
      told.push(
        ofEvents.map((line) => ({
          text: `${line.import_event === "1" ? "a" : "b"} ${line.key} ${line.n}`,
          key: line.key ?? "",
          isDelivered: line.import_status === "succeeded" || isUnchanged(line),
        })),
      );
    }
    await service.close();
    await workspace.remove();
  });
  await fc.assert(property, { numRuns: 30 });
  expect(unchangedSeen).toBeGreaterThan(50);
}, 60_000);
