import fc from "fast-check";
import { expect, test } from "vitest";
import { Fifo } from "../../src/delivery/fifo.ts";

type Step =
  | { readonly kind: "push" | "shift"; readonly count: number }
  | { readonly kind: "put_back" | "drain" };

test("whatever is done with it, it is a queue", () => {
  // In pieces large enough that what has left is cut off its beginning now and then.
  const some = fc.record({
    kind: fc.constantFrom("push", "push", "shift", "shift"),
    count: fc.oneof(fc.nat(5), fc.nat(3000)),
  });
  const one = fc.record({ kind: fc.constantFrom("put_back", "put_back", "drain") });
  const steps = fc.array<Step>(
    fc.oneof({ weight: 4, arbitrary: some }, one) as fc.Arbitrary<Step>,
    {
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(steps, (plan) => {
      const fifo = new Fifo<number>();
      let model: number[] = [];
      let next = 1;
      for (const step of plan) {
        switch (step.kind) {
          case "push":
            for (let n = 0; n < step.count; n++) {
              fifo.push(next);
              model.push(next++);
            }
            break;
          case "shift": {
            const taken = Array.from({ length: step.count }, () => fifo.shift());
            const expected = model.slice(0, step.count);
            expect(taken.slice(0, expected.length)).toEqual(expected);
            expect(taken.slice(expected.length).every((item) => item === undefined)).toBe(true);
            model = model.slice(step.count);
            break;
          }
          case "put_back":
            fifo.putBack(next);
            model.unshift(next++);
            break;
          case "drain":
            expect(fifo.drain()).toEqual(model);
            model = [];
            break;
          default:
            step satisfies never;
        }
        expect(fifo.length).toBe(model.length);
      }
      expect(fifo.drain()).toEqual(model);
    }),
    { numRuns: 200 },
  );
});
