import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunSummary } from "../../src/model/run-events.ts";
import type { ReportFigures } from "../../src/report/report-figures.ts";
import { findAccounts } from "../../src/run/account/find-accounts.ts";
import { writeReport } from "../../src/run/account/write-report.ts";
import { cutWhen, openService, type Receipt, type Reply } from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";
import { accepted, eventIn, type PlannedRow, peopleMapping, tableOf } from "./planned-people.ts";

/** How the service takes an event, whatever has happened before: so each has one way to end. */
type Manner = "takes" | "refuses" | "fails" | "stumbles" | "asks to wait";

const manners = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Manner>("takes") },
  fc.constantFrom<Manner>("refuses", "fails", "stumbles", "asks to wait"),
);

const people = fc.array(
  fc.record({
    row: fc.record<PlannedRow>({
      key: fc.constantFrom("a", "b", "c", ""),
      name: fc.constantFrom("Ann", "Ann", "Ann", "two\nlines", 'say "x"', ""),
      note: fc.constantFrom("", "quiet", "test", "loud"),
      odd: fc.constantFrom("", " ", "é,", "\r"),
      replies: fc.constant([[], []]),
    }),
    manners: fc.tuple(manners, manners),
  }),
  { maxLength: 30 },
);

/** A service that has never taken anything is one that is down, so each run begins with an event that it takes. */
const taken: (typeof people extends fc.Arbitrary<infer Rows> ? Rows : never)[number] = {
  row: { key: "first", name: "Ann", note: "", odd: "", replies: [[], []] },
  manners: ["takes", "takes"],
};

/** How a part of the run ends, and after how many requests. */
const disturbances = fc.array(
  fc.record({ kind: fc.constantFrom("drain", "cut off", "kill"), after: fc.nat(12) }),
  { maxLength: 5 },
);

function replyOf(manner: Manner | undefined, isFirst: boolean): Reply {
  switch (manner) {
    case "refuses":
      return { status: 422, body: '{"message":"no such plan"}' };
    case "fails":
      return { status: 500 };
    case "stumbles":
      return isFirst ? { status: 500 } : accepted;
    case "asks to wait":
      return isFirst ? { status: 429, headers: { "retry-after": "3" } } : accepted;
    default:
      return accepted;
  }
}

/** What terminal, status, report, manifest and figures say of a run has to be the same, whatever was killed before. */
async function expectAgreement(workspace: Workspace, said?: RunSummary): Promise<void> {
  const results = workspace.path("people.results.csv");
  const [status] = await findAccounts(results).catch(() => []);
  if (status === undefined) return expect(said?.isOver).toBeUndefined();
  const { figures } = await writeReport({ results });
  const { counts, attempts, unanswered, parts, rows } = figures as unknown as ReportFigures;
  const sumOf = (name: "attempts" | "unanswered" | "rows") =>
    parts.reduce((sum, part) => sum + (part[name] ?? 0), 0);
  const settled = rows - (counts.not_sent ?? 0);
  expect([status.rows_settled, status.succeeded]).toEqual([settled, counts.succeeded]);
  expect([sumOf("attempts"), sumOf("unanswered")]).toEqual([attempts, unanswered]);
  expect(sumOf("rows")).toBe(settled);
  const { figures: kept, ...manifest } = JSON.parse(await workspace.text("people.run.json"));
  if (said === undefined) return;
  expect({ ...said, counts: { ...said.counts } }).toMatchObject({ counts, attempts, unanswered });
  expect(manifest).toMatchObject({ counts, attempts, unanswered });
  expect(kept.series.attempts.reduce((sum: number, one: number) => sum + one, 0)).toBe(attempts);
}

/** What does not depend on how often a run was disturbed. */
function lasting(line: Record<string, string>) {
  const { import_attempts: _, import_unanswered: unanswered, ...rest } = line;
  const { import_finished_at: __, import_status: status, ...others } = rest;
  // After an attempt without an answer, spent attempts leave it open whether it has arrived.
  const isInDoubt = status === "unknown" && Number(unanswered) > 0;
  return { ...others, import_status: isInDoubt ? "failed" : status };
}

test("disturbed however often and however it may be, a run ends as an undisturbed one", async () => {
  await fc.assert(
    fc.asyncProperty(
      people.map((rows) => [taken, ...rows]),
      disturbances,
      fc.boolean(),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom("at-least-once", "at-least-once", "at-most-once"),
      async (plan, ends, isOrdered, concurrency, delivery) => {
        const table = tableOf(plan.map(({ row }) => row));
        const answered = new Set<string>();
        const receivedAt = new Map<string, number>();
        let interrupt = new AbortController();
        let onReceipt = (_: Receipt): "answer" | "silence" | "ignore" => "answer";
        const service = await openService((receipt): Reply | Promise<Reply> => {
          const what = onReceipt(receipt);
          const { row, event, id } = eventIn(receipt);
          if (what === "ignore") return cutWhen(interrupt.signal);
          receivedAt.set(id, (receivedAt.get(id) ?? 0) + 1);
          if (what === "silence") return cutWhen(interrupt.signal);
          const reply = replyOf(plan[row - 1]?.manners[event - 1], !answered.has(id));
          answered.add(id);
          return reply;
        });
        const undisturbed = await openWorkspace(table, peopleMapping(isOrdered));
        await undisturbed.import(service.url, { concurrency });
        answered.clear();
        receivedAt.clear();

        let workspace: Workspace = await openWorkspace(table, peopleMapping(isOrdered));
        const left = [workspace];
        let isEnded = false;
        for (const { kind, after } of ends) {
          interrupt = new AbortController();
          let next: Workspace | undefined;
          let received = 0;
          onReceipt = () => {
            if (received++ < after) return "answer";
            if (kind === "drain") {
              interrupt.abort();
              return "answer";
            }
            setImmediate(() => interrupt.abort());
            if (kind === "cut off") return "silence";
            const isDead = next !== undefined;
            next ??= workspace.afterKill();
            return isDead ? "ignore" : "silence";
          };
          const said = await workspace.import(service.url, {
            ...{ concurrency, delivery, resume: "if-unfinished" },
            signal: interrupt.signal,
          });
          const { exitReason } = said;
          await expectAgreement(workspace, next === undefined ? said : undefined);
          onReceipt = () => "answer";
          isEnded = exitReason === "complete" && next === undefined;
          if (next !== undefined) {
            workspace = next;
            await expectAgreement(workspace);
            left.push(next);
          }
          if (isEnded) break;
        }
        if (!isEnded) {
          const said = await workspace.import(service.url, {
            ...{ concurrency, delivery, resume: "if-unfinished" },
          });
          expect(said).toMatchObject({ exitReason: "complete", counts: { not_sent: 0 } });
          await expectAgreement(workspace, said);
        }
        await service.close();

        const lines = await workspace.lines("people.results.csv");
        const expected = await undisturbed.lines("people.results.csv");
        const isSame = delivery === "at-least-once";
        if (isSame) expect(lines.map(lasting)).toEqual(expected.map(lasting));
        const ids = lines.map((line) => line.import_event_id);
        for (const id of receivedAt.keys()) expect(ids).toContain(id);
        for (const line of lines) {
          const times = receivedAt.get(line.import_event_id ?? "") ?? 0;
          expect(Number(line.import_attempts)).toBeGreaterThanOrEqual(times);
          // Nothing that may have arrived is sent again.
          if (!isSame) expect(Number(line.import_unanswered)).toBeLessThanOrEqual(1);
          const [row, event] = [Number(line.import_row), Number(line.import_event)];
          const manner = plan[row - 1]?.manners[event - 1];
          // Nothing arrives once more than it has to without being told of.
          const isOnce = manner === "takes" || manner === "refuses";
          if (isOnce && times > 1) expect(Number(line.import_unanswered)).toBeGreaterThan(0);
          if (line.import_status === "succeeded") expect(times).toBeGreaterThan(0);
        }
        expect(workspace.has("people.results.csv.journal.1")).toBe(false);
        if (isSame) {
          expect(workspace.has("people.failed.csv")).toBe(undisturbed.has("people.failed.csv"));
        }
        if (isSame && workspace.has("people.failed.csv")) {
          const failed = await workspace.lines("people.failed.csv");
          expect(failed.map(lasting)).toEqual(
            (await undisturbed.lines("people.failed.csv")).map(lasting),
          );
        }
        await Promise.all([undisturbed, ...left].map(({ remove }) => remove()));
      },
    ),
    { numRuns: 40 },
  );
});
