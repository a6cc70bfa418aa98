import fc from "fast-check";
import { expect, test } from "vitest";
import { Fifo } from "../../src/delivery/fifo.ts";

test("whatever is done with it, it is a queue", () => {
  // In pieces large enough that what has left is cut off its beginning now and then.
  const step = fc.record({
    kind: fc.constantFrom("push", "push", "shift", "shift", "put back"),
    count: fc.oneof(fc.nat(5), fc.nat(3000)),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (plan) => {
      const fifo = new Fifo<number>();
      let model: number[] = [];
      let next = 1;
      const take = (count: number) => {
        const taken = Array.from({ length: count }, () => fifo.shift());
        expect(taken.filter((item) => item !== undefined)).toEqual(model.slice(0, count));
        model = model.slice(count);
      };
      for (const { kind, count } of plan) {
        if (kind === "shift") take(count);
        else if (kind === "put back") {
          fifo.putBack(next);
          model.unshift(next++);
        } else {
          for (let n = 0; n < count; n++) {
            fifo.push(next);
            model.push(next++);
          }
        }
        expect(fifo.length).toBe(model.length);
      }
      take(model.length + 1);
    }),
    { numRuns: 200 },
  );
});
