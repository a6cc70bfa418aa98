import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createConsecutiveRefusals } from "../../src/delivery/consecutive-refusals.ts";

const url = "https://example.com/crm";

/** Refuses one after another, until the run is to stop or that often. */
function refuse(statuses: readonly number[], streak = createConsecutiveRefusals(url)) {
  for (const [at, status] of statuses.entries()) {
    const reason = streak.refused(status, "go away");
    if (reason !== undefined) return { after: at + 1, reason };
  }
  return undefined;
}

function times(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status);
}

describe("ten in a row, and no success between", () => {
  test.each([
    [403, "forbidden", "the token may not write there any more"],
    [404, "not_found", "check that the service is still there"],
    [405, "method_not_allowed", "check that the address takes events"],
    [301, "redirected", "redirects are never followed; check the address"],
    [308, "redirected", "redirects are never followed; check the address"],
  ])("%i stops the run", (status, code, whatNext) => {
    const stopped = refuse(times(20, status));
    expect(stopped?.after).toBe(10);
    expect(stopped?.reason).toEqual({
      code,
      message: `10 events were refused with no success between, the last with ${status} from ${url} (go away): ${whatNext}.`,
    });
  });

  test("the last one says why, whichever the others were", () => {
    const stopped = refuse([...times(5, 403), ...times(4, 302), 404]);
    expect(stopped).toMatchObject({ after: 10, reason: { code: "not_found" } });
  });

  test("a success between begins anew", () => {
    const streak = createConsecutiveRefusals(url);
    expect(refuse(times(9, 403), streak)).toBeUndefined();
    streak.succeeded();
    expect(refuse(times(20, 403), streak)?.after).toBe(10);
  });
});

test("refusals that speak of the event stop nothing, and are no success either", () => {
  expect(refuse(times(1000, 422))).toBeUndefined();
  const streak = createConsecutiveRefusals(url);
  refuse([...times(9, 403), 400, 409, 410, 413, 422, 429], streak);
  expect(refuse([403], streak)?.after).toBe(1);
});

test("whatever comes: it stops at the tenth of a row, and not before", () => {
  const answers = fc.array(fc.constantFrom(403, 404, 405, 307, 403, 404, 422, 202), {
    minLength: 8,
    maxLength: 80,
  });
  fc.assert(
    fc.property(answers, (statuses) => {
      const streak = createConsecutiveRefusals(url);
      let inARow = 0;
      for (const status of statuses) {
        if (status === 202) {
          inARow = 0;
          streak.succeeded();
          continue;
        }
        if (status !== 422) inARow++;
        const isToStop = streak.refused(status, "no") !== undefined;
        expect(isToStop).toBe(status !== 422 && inARow >= 10);
      }
    }),
  );
});
