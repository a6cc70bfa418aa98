import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyedOrder, type KeyedOrder } from "../../src/delivery/keyed-order.ts";
import { createFakeClock } from "../fake-clock.ts";

async function run<Result>(
  order: KeyedOrder,
  key: string,
  task: () => Promise<Result>,
): Promise<Result> {
  await order.enter(key);
  try {
    return await task();
  } finally {
    order.leave(key);
  }
}

const tasks = fc.array(
  fc.record({ key: fc.constantFrom("a", "b", "c"), durationMs: fc.nat(50), fails: fc.boolean() }),
  { maxLength: 30 },
);

test("tasks of a key run one after another, in order; the keys run beside one another", async () => {
  await fc.assert(
    fc.asyncProperty(tasks, async (plan) => {
      const clock = createFakeClock();
      const order = createKeyedOrder();
      const running = new Set<string>();
      const started: Record<string, number[]> = {};
      const spent: Record<string, number> = {};

      const runs = plan.map(({ key, durationMs, fails }, at) =>
        run(order, key, async () => {
          expect(running).not.toContain(key);
          running.add(key);
          started[key] = [...(started[key] ?? []), at];
          spent[key] = (spent[key] ?? 0) + durationMs;
          await new Promise<void>((resolve) => {
            clock.schedule(durationMs, resolve);
          });
          running.delete(key);
          if (fails) throw new Error(`task ${at}`);
          return at;
        }),
      );
      const ends = await Promise.allSettled(runs);

      ends.forEach((end, at) => {
        if (end.status === "fulfilled") expect(end.value).toBe(at);
        else expect(String(end.reason)).toContain(`task ${at}`);
        expect(end.status).toBe(plan[at]?.fails ? "rejected" : "fulfilled");
      });
      for (const list of Object.values(started))
        expect(list).toEqual([...list].sort((a, b) => a - b));
      // All keys began at once, so it took as long as the longest of them.
      expect(clock.now()).toBe(Math.max(0, ...Object.values(spent)));
    }),
    { numRuns: 50 },
  );
});

test("a task knows whether others of its key wait for it; a step waits its turn and is no task", async () => {
  const order = createKeyedOrder();
  const seen: (boolean | string)[] = [];
  const taskOf = (key: string) => async () => {
    await new Promise(setImmediate);
    seen.push(order.isWaitedFor(key));
  };
  order.after("a", () => seen.push("at once"));
  const first = run(order, "a", taskOf("a"));
  const other = run(order, "b", taskOf("b"));
  const second = run(order, "a", taskOf("a"));
  order.after("a", () => seen.push("behind both"));
  await Promise.all([first, other]);
  expect(seen).toEqual(["at once", true, false]);
  await second;
  await new Promise(setImmediate);
  expect(seen.slice(3)).toEqual([false, "behind both"]);
});
