import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { createJudge, type Judgement } from "../../src/delivery/judge-attempt.ts";
import { PendingEvent, PendingRow } from "../../src/delivery/pending-event.ts";
import { createRetryPolicy } from "../../src/delivery/retry-policy.ts";
import { parseBaseUrl } from "../../src/model/endpoint.ts";
import { createStatusRules } from "../../src/model/status-rules.ts";
import { createFakeClock } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";

const url = "https://example.com/crm";

function answer(httpStatus: number): Attempt {
  return { kind: "answered", httpStatus, body: "go away" };
}

/** A judge, in a run of many more events, whose first one has been accepted. */
function createJudging({ maxOutageMs = 60_000, sendable = 1000, isInputOver = false } = {}) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const judge = createJudge(
    {
      ...{ endpoint: parseBaseUrl(url, false), mode: "at-least-once", maxOutageMs },
      statuses: createStatusRules({}),
    },
    {
      ...{ clock, stop, redact: (text) => text },
      policy: createRetryPolicy(3, { random: () => 0.5 }),
      ...{ queues: { sendable, isInputOver }, isReaderWaiting: () => false },
    },
  );
  let [row, attempts] = [0, 0];
  const breaker = { isClosed: true, pauses: 0 };
  const newEvent = () => {
    row++;
    const pending = new PendingRow({ row, line: row + 1, cells: [] }, row);
    return new PendingEvent(eventOf(row), pending, 0);
  };
  const over = (attempt: Attempt, event = newEvent(), isClosed = true): Judgement => {
    event.number = ++attempts;
    return judge.judge(event, attempt, { ...breaker, isClosed });
  };
  over(answer(202));
  return { breaker, newEvent, over };
}

/** Refuses one after another, until the run has to stop. */
function refuse(statuses: readonly number[], { over } = createJudging()) {
  for (const [at, status] of statuses.entries()) {
    const { stop: reason } = over(answer(status));
    if (reason !== undefined) return { after: at + 1, reason };
  }
  return undefined;
}

function times(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status);
}

describe("ten refusals that are not about the event, with no success between", () => {
  test.each([
    [403, "forbidden"],
    [404, "not_found"],
    [405, "method_not_allowed"],
    [301, "redirected"],
    [308, "redirected"],
  ])("%i stops the run", (status, code) => {
    const stopped = refuse(times(20, status));
    expect(stopped?.after).toBe(10);
    expect(stopped?.reason).toEqual({
      code,
      message: `10 consecutive events were refused, the last with ${status} from ${url} (go away): check the service and the token.`,
    });
  });

  test("the last one says why, whatever the others were", () => {
    const stopped = refuse([...times(5, 403), ...times(4, 302), 404]);
    expect(stopped).toMatchObject({ after: 10, reason: { code: "not_found" } });
  });

  test("whatever comes: it stops at the tenth of a row, and not before", () => {
    const answers = fc.array(fc.constantFrom(403, 404, 405, 307, 403, 404, 422, 202), {
      minLength: 8,
      maxLength: 80,
    });
    fc.assert(
      fc.property(answers, (statuses) => {
        const { over } = createJudging();
        let inARow = 0;
        for (const status of statuses) {
          if (status === 202) inARow = 0;
          else if (status !== 422) inARow++;
          const isToStop = over(answer(status)).stop !== undefined;
          expect(isToStop).toBe(status !== 202 && status !== 422 && inARow >= 10);
        }
      }),
    );
  });
});

describe("failing event, or outage?", () => {
  const busy = { kind: "answered", httpStatus: 503, body: "" } as const;
  const held = { kind: "hold" };
  const failed = { kind: "settle", status: "failed" };
  const last = { sendable: 1, isInputOver: true };

  test.each([
    ["and nothing has succeeded since its first failure", {}, [502, 502, 502], held, "down"],
    ["and another has succeeded since", {}, [502, "other", 502, 502], failed, "down"],
    ["by 500, as the last event", last, [500, 500, 500], failed, "unknown"],
    ["by 502, as the last event", last, [502, 502, 502], held, "down"],
    ["with --max-outage 0", { maxOutageMs: 0 }, [502, 502, 502], failed, "down"],
  ] as const)("exhausted %s", (_, run, attempts, next, service) => {
    const { over, newEvent } = createJudging(run);
    const event = newEvent();
    const verdicts = attempts.map((status) =>
      status === "other" ? over(answer(202)) : over(answer(status), event),
    );
    expect(verdicts[0]?.next.kind).toBe("retry");
    expect(verdicts.at(-1)).toMatchObject({ next, service });
  });

  test("attempts do not count while the breaker is open, nor those that are throttled", () => {
    const { over, newEvent } = createJudging();
    const event = newEvent();
    for (let n = 0; n < 20; n++) {
      expect(over(answer(502), event, false).next.kind).toBe("retry");
      expect(over(answer(429), event)).toMatchObject({ service: "down" });
      expect(over({ ...busy, retryAfter: ["1"] }, event).next.kind).toBe("retry");
    }
  });

  test("an event that is throttled without end fails where others are accepted", () => {
    const { over, newEvent } = createJudging();
    const event = newEvent();
    for (let n = 1; n < 100; n++) expect(over(answer(429), event).next.kind).toBe("retry");
    over(answer(202));
    expect(over(answer(429), event).next).toEqual(failed);
  });
});

test("attempts since the last success do not count once there is an outage", () => {
  const { over, newEvent, breaker } = createJudging();
  const event = newEvent();
  expect(over(answer(502), event).next.kind).toBe("retry");
  over(answer(202));
  expect(over(answer(502), event).next.kind).toBe("retry");
  breaker.pauses++;
  // The first one counts, and these two.
  expect(over(answer(502), event).next.kind).toBe("retry");
  over(answer(202));
  expect(over(answer(502), event).next).toEqual({ kind: "settle", status: "failed" });
});
