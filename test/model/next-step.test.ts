import { expect, test } from "vitest";
import { nextCommandsOf, nextStep } from "../../src/model/next-step.ts";

const ended = { exitReason: "complete", results: "r.results.csv", failedRows: "r.failed.csv" };

test.each([
  [
    { unknown: 2 },
    "look up in the service what is unknown; to send it again, if it may arrive twice, type: eventload retry r.failed.csv --delivery at-least-once",
  ],
  [{ unknown: 2, rejected: 1 }, "fix r.failed.csv, then type: eventload retry r.failed.csv"],
  [{ failed: 1, unknown: 1 }, "when the service is well, type: eventload retry r.failed.csv"],
  [{ blocked: 1 }, "type: eventload retry r.failed.csv"],
])("after %j comes what a person has to do, and the command", (counts, told) => {
  const run = { ...ended, counts };
  const step = nextStep(run, nextCommandsOf(run, [], true));
  expect(`${step?.before}${step?.command}`).toBe(told);
});
