import { expect, test } from "vitest";
import { createRepeatLine } from "../../src/delivery/repeat-line.ts";
import { createFakeClock } from "../fake-clock.ts";

/** A budget with so many places, and one more each second. */
function lineWith(places: number) {
  const clock = createFakeClock();
  const gone: string[] = [];
  let given = 0;
  const budget = {
    first() {},
    probe() {},
    retry: (now: number) => {
      const hasPlace = given < places + Math.floor(now / 1000);
      if (hasPlace) given++;
      return hasPlace;
    },
  };
  const line = createRepeatLine<string>(clock, budget, (name) => gone.push(name));
  return { clock, gone, line };
}

test("they go in the order of asking, as the budget has room, and whoever looks in between", () => {
  const { clock, gone, line } = lineWith(1);
  line.add(["a", "b", "c"]);
  expect(gone).toEqual(["a"]);
  line.add(["d"]);
  for (let look = 0; look < 5; look++) line.look();
  expect(clock.waiting).toBe(1);
  clock.advance(1000);
  expect(gone).toEqual(["a", "b"]);
  clock.advance(2000);
  expect(gone).toEqual(["a", "b", "c", "d"]);
  expect([line.length, clock.waiting]).toEqual([0, 0]);
});

test("those that are taken out do not go, and no timer is left", () => {
  const { clock, gone, line } = lineWith(0);
  line.add(["a", "b"]);
  expect(line.takeAll()).toEqual(["a", "b"]);
  clock.advance(5000);
  expect(gone).toEqual([]);
  expect([line.length, clock.waiting]).toEqual([0, 0]);
});
