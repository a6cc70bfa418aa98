import fc from "fast-check";
import { expect, test } from "vitest";
import { eventStatuses } from "../../src/domain/outcome.ts";
import { decodeRecord, encodeRecord } from "../../src/journal/record.ts";
import { recordJson } from "../../src/journal/record-json.ts";

const count = fc.nat();
const instant = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") })
  .map((date) => date.toISOString());

const intent = fc
  .tuple(count, count, count, count, instant)
  .map(([rowOfRun, event, attempt, unanswered, importedAt]) => {
    return { kind: "intent", rowOfRun, event, attempt, unanswered, importedAt } as const;
  });
const outcome = fc.record(
  {
    ending: fc.constantFrom(...eventStatuses),
    event: count,
    eventId: fc.uuid(),
    attempts: count,
    unanswered: count,
    httpStatus: fc.integer({ min: 200, max: 599 }),
    errorCode: fc.string(),
    error: fc.string({ unit: "binary" }),
    finishedAt: instant,
  },
  { requiredKeys: ["ending", "attempts", "unanswered"] },
);
const record = fc.oneof(
  intent,
  fc
    .tuple(count, outcome)
    .map(([rowOfRun, ended]) => ({ kind: "outcome", rowOfRun, outcome: ended }) as const),
);

test("what is put together by hand says what JSON.stringify says, and is read again", () => {
  fc.assert(
    fc.property(record, (one) => {
      expect(JSON.parse(recordJson(one))).toEqual(one);
      expect(decodeRecord(Buffer.from(encodeRecord(one).slice(0, -1)))).toEqual(one);
    }),
    { numRuns: 1000 },
  );
});

test("the records of an event that succeeds at once are the same to the byte", () => {
  const first = {
    kind: "intent",
    ...{ rowOfRun: 7, event: 1, attempt: 1, unanswered: 0 },
    importedAt: "2026-03-01T12:00:00.000Z",
  } as const;
  const last = {
    kind: "outcome",
    rowOfRun: 7,
    outcome: {
      ending: "succeeded",
      ...{ event: 1, eventId: "7d0f6c0e-6f5c-5f0a-9b7c-2f3f0f6c8a51" },
      ...{ attempts: 1, unanswered: 0, httpStatus: 202, finishedAt: "2026-03-01T12:00:00.001Z" },
    },
  } as const;
  for (const one of [first, last]) expect(recordJson(one)).toBe(JSON.stringify(one));
});
