import { expect, test } from "vitest";
import { nextCommandsOf, nextStep } from "../../src/model/next-step.ts";
import { typedCommand } from "../../src/model/typed-command.ts";

const ended = { exitReason: "complete", results: "r.results.csv", failedRows: "r.failed.csv" };

test.each([
  [
    { unknown: 2 },
    "look up in the service what is unknown, and set it to skipped in r.failed.csv; to send it again, if it may arrive twice, run: eventload retry r.failed.csv --delivery at-least-once",
  ],
  [{ unknown: 2, rejected: 1 }, "fix r.failed.csv, then run: eventload retry r.failed.csv"],
  [{ failed: 1, unknown: 1 }, "when the service works again, run: eventload retry r.failed.csv"],
  [{ blocked: 1 }, "run: eventload retry r.failed.csv"],
])("after %j comes what a person has to do, and the command", (counts, told) => {
  const run = { ...ended, counts, delivery: "at-most-once" as const };
  const step = nextStep(run, nextCommandsOf(run, []));
  expect(`${step?.before}${typedCommand(step?.command)}`).toBe(told);
});

test.each([
  ["interrupted", "resume it: eventload resume r.results.csv"],
  ["too_many_errors", "resume it with a higher --max-errors: eventload resume r.results.csv"],
])("after %s comes the resume", (exitReason, told) => {
  const run = { ...ended, exitReason, counts: {} };
  const step = nextStep(run, nextCommandsOf(run, []));
  expect(`${step?.before}${typedCommand(step?.command)}`).toBe(told);
});

test("what was closed is to be looked up, as no retry sends it", () => {
  const run = { ...ended, counts: { failed: 1, unknown: 2 }, closed: 2, superseded: 1 };
  expect(nextStep(run, nextCommandsOf(run, []))?.before).toBe(
    "look up in the service what has no cells any more, and set it to skipped in r.failed.csv; then run: ",
  );
  const more = { ...run, counts: { ...run.counts, rejected: 1 } };
  expect(nextStep(more, nextCommandsOf(more, []))?.before).toBe("fix r.failed.csv, then run: ");
});

test("nothing is to be fixed of what is superseded, which a retry does not send", () => {
  const before = (rejected: number) => {
    const run = { ...ended, counts: { rejected }, superseded: 2 };
    return nextStep(run, nextCommandsOf(run, []))?.before;
  };
  expect(before(2)).toBe(
    "set to skipped in r.failed.csv what is superseded, or import it in a file of its own; then run: ",
  );
  expect(before(3)).toBe("fix r.failed.csv, then run: ");
});

test.each([
  [{ rejected: 2 }, "to send what is open and get the failed rows again, run: "],
  [{ unknown: 2 }, "set it to skipped in the failed rows; to send it again, if it may arrive"],
])("after %j, where the failed rows were moved away, the results are retried", (counts, told) => {
  const { failedRows: _, ...moved } = { ...ended, counts, lacksFailedRows: true };
  const run = { ...moved, delivery: "at-most-once" as const };
  const step = nextStep(run, nextCommandsOf(run, []));
  expect(step?.before).toContain(told);
  expect(typedCommand(step?.command)).toContain("eventload retry r.results.csv");
});

test("what is unknown is sent again without a word where it may arrive twice anyway", () => {
  const run = { ...ended, counts: { unknown: 2 } };
  expect(nextCommandsOf(run, []).retry).toEqual(["eventload", "retry", "r.failed.csv"]);
});

test("after a shard comes the merge, as a retry of its own would be in the way of that", () => {
  const counts = { rejected: 1 };
  const run = { ...ended, results: "out/p q.2-of-8.results.csv", counts };
  const shard = { index: 2, count: 8 };
  const next = nextCommandsOf({ ...run, shard }, []);
  expect(next).toEqual({
    merge: ["eventload", "merge", "out/p q.*-of-8.results.csv", "--results", "out/p q.results.csv"],
  });
  const step = nextStep({ ...run, shard }, next);
  expect(step?.before).toBe("when all 8 shards are complete, run: ");
  expect(nextCommandsOf({ ...run, shard, exitReason: "interrupted" }, [])).toEqual({
    resume: ["eventload", "resume", "out/p q.2-of-8.results.csv"],
  });
  expect(nextCommandsOf({ ...run, shard, results: "x.csv" }, [])).toHaveProperty("retry");
});
