import fc from "fast-check";
import { expect, test } from "vitest";
import { CannotStartError } from "../../../src/model/errors.ts";
import { readAccount } from "../../../src/run/account/read-account.ts";
import { runResume } from "../../../src/run/account/resume.ts";
import { accepted, openService, type Reply } from "../../delivery/service-under-test.ts";
import { deadlineMs } from "../../fake-clock.ts";
import { openWorkspace } from "../import-under-test.ts";
import { openAccount, results, table } from "./account-under-test.ts";

/** Each of its events can become invalid or left out by an edit of one cell. */
const mapping = `version: 1
resource: users
when: { column: A, not_in: ["0"] }
events:
  - event: one
    members: { row: { meta: row }, a: { column: A, type: integer } }
  - event: two
    when: { column: B, not_in: [skip] }
    members: { row: { meta: row }, b: { column: B, type: integer, required: true } }
  - event: three
    members: { row: { meta: row }, c: { column: C, required: true } }
`;

const cells = fc.constantFrom("1", "2", "0", "", "x", "skip");
const statuses = fc.constantFrom("", "done", "failed", "invalid", "skipped", "succeeded");
const at = fc.nat(20);

/** Everything that a person may do to a file of results. */
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ column: fc.constantFrom("A", "B", "C"), text: cells, at }) },
  fc.record({ column: fc.constant("import_status"), text: statuses, at }),
  fc.record({
    column: fc.constantFrom("import_event", "import_row", "import_error_code", "import_event_id"),
    text: fc.constantFrom("", "1", "2"),
    at,
  }),
  fc.record({ take: fc.constantFrom("out" as const, "twice" as const), at }),
);

const rounds = fc.array(
  fc.record({
    file: fc.constantFrom("people.failed.csv", "people.results.csv", "old.csv"),
    edits: fc.array(edit, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const replies = fc.array(
  fc.constantFrom<Reply>(accepted, accepted, { status: 422 }, { status: 500 }, "cut"),
  { minLength: 1, maxLength: 7 },
);

test("whatever a person does to its files, no event that succeeded is sent again", async () => {
  let sentAgain = 0;
  let refused = 0;
  const table = fc.array(fc.tuple(cells, cells, cells), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(table, rounds, replies, async (rows, plan, answers) => {
      // The first is one that is always taken, or the service would be down.
      const people = await openWorkspace([["A", "B", "C"], ["1", "skip", "c"], ...rows], mapping);
      let sent: string[] = [];
      const service = await openService(({ n, body }) => {
        const { row, event } = JSON.parse(body) as Record<string, string>;
        sent.push(`${row}/${["one", "two", "three"].indexOf(event ?? "") + 1}`);
        return n < 2 ? accepted : (answers[n % answers.length] ?? accepted);
      });
      const options = { concurrency: 1, maxOutageMs: 0 } as const;
      const succeeded = async () => {
        const lines = await people.lines("people.results.csv");
        const done = lines.filter((line) => line.import_status === "succeeded");
        return done.map((line) => `${line.import_row}/${line.import_event}`);
      };
      const isUnfinished = async () =>
        (await readAccount(people.path("people.results.csv"))).kind === "unfinished";
      await people.import(service.url, options);
      for (const { file, edits } of plan) {
        if (await isUnfinished()) break;
        if (!people.has(file)) continue;
        const [header = [], ...lines] = await people.records(file);
        for (const one of edits) {
          const place = one.at % Math.max(1, lines.length);
          const line = lines[place];
          if (line === undefined) continue;
          if ("column" in one) line[header.indexOf(one.column)] = one.text;
          else lines.splice(place, 1, ...(one.take === "out" ? [] : [line, line]));
        }
        const name = file === "people.failed.csv" ? file : "old.csv";
        await people.write(name, [header, ...lines]);
        const done = await succeeded();
        sent = [];
        const results = people.path("people.results.csv");
        await people.retry(service.url, name, { ...options, results }).catch((error: unknown) => {
          if (!(error instanceof CannotStartError)) throw error;
          refused++;
          expect(sent).toEqual([]);
        });
        if (sent.length > 0) sentAgain++;
        for (const event of sent) expect(done).not.toContain(event);
        if (await isUnfinished()) break;
        expect(await succeeded()).toEqual(expect.arrayContaining(done));
      }
      await service.close();
      await people.remove();
    }),
    { numRuns: 30 },
  );
  expect(sentAgain).toBeGreaterThan(3);
  expect(refused).toBeGreaterThan(1);
});

test("what an event did before is not forgotten when a retry is killed at an earlier event of its row", async () => {
  const two = `version: 1
on_key_failure: continue
events:
  - { resource: users, event: one, members: { name: name } }
  - { resource: contacts, event: two, members: { name: name } }
`;
  const account = await openAccount(table("Ann", "Bob"), two);
  account.answer(({ name, event }) => {
    if (name === "Ann") return accepted;
    return event === "one" ? { status: 422 } : "cut";
  });
  await account.import({ concurrency: 1, maxAttempts: 1, maxOutageMs: 0 });
  expect((await account.account()).slice(2)).toEqual([
    expect.stringContaining("rejected"),
    expect.stringContaining("unknown"),
  ]);

  let killed: typeof account.people | undefined;
  account.answer(() => {
    killed ??= account.people.afterKill();
    return accepted;
  });
  await account.retry(results, { concurrency: 1 });
  if (killed === undefined) throw new Error("nothing was sent");
  await runResume({
    ...{ results: killed.path(results), token: "a-token", clock: killed.clock },
    ...{ baseUrl: account.url, mapping: killed.path("people.yaml"), timeoutMs: deadlineMs },
  });
  const lines = await killed.lines(results);
  expect(lines.map((line) => Number(line.import_attempts))).toEqual([1, 1, 3, 2]);
  expect(lines.map((line) => Number(line.import_unanswered))).toEqual([0, 0, 1, 1]);
});
