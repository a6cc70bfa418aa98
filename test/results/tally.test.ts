import fc from "fast-check";
import { expect, test } from "vitest";
import { eventStatuses, type Outcome } from "../../src/model/outcome.ts";
import { createTally } from "../../src/results/tally.ts";

const outcomes = fc.array(
  fc.record({
    status: fc.constantFrom(...eventStatuses, "not_sent" as const),
    attempts: fc.nat(5),
    unanswered: fc.nat(3),
    event: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  }),
);

function outcomeOf({
  event,
  ...others
}: typeof outcomes extends fc.Arbitrary<(infer One)[]> ? One : never): Outcome {
  return event === undefined ? others : { ...others, event };
}

test("broken off anywhere and carried on, it is what it would have been", () => {
  fc.assert(
    fc.property(outcomes, fc.nat(), (all, cut) => {
      const given = all.map(outcomeOf);
      const whole = createTally();
      whole.add(given);
      const begun = createTally();
      begun.add(given.slice(0, cut));
      // As the journal keeps it.
      const carriedOn = createTally(JSON.parse(JSON.stringify(begun.copy())));
      for (const outcome of given.slice(cut)) carriedOn.add([outcome]);
      expect(carriedOn.tally).toEqual(whole.tally);

      const { counts, lines, events, attempts } = whole.tally;
      expect(lines).toBe(given.length);
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(lines);
      expect(events).toBe(given.filter(({ event }) => event !== undefined).length);
      expect(attempts).toBe(given.reduce((sum, outcome) => sum + outcome.attempts, 0));
    }),
  );
});
