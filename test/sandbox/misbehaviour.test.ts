import { expect, test } from "vitest";
import { createMisbehaviour, type Misbehaviour } from "../../src/sandbox/misbehaviour.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";

function draw(count: number, failRate: number, resetRate: number, seed = 1): Misbehaviour[] {
  const misbehave = createMisbehaviour(failRate, resetRate, mulberry32(seed));
  return Array.from({ length: count }, misbehave);
}

const share = (fates: Misbehaviour[], test: (fate: Misbehaviour) => boolean) =>
  fates.filter(test).length / fates.length;

test("rates of 0 never misbehave and draw no numbers", () => {
  const misbehave = createMisbehaviour(0, 0, () => {
    throw new Error("drew a number");
  });
  expect(misbehave()).toEqual({ kind: "none" });
});

test("both rates are shares of all requests", () => {
  const fates = draw(100_000, 0.2, 0.1);
  expect(share(fates, ({ kind }) => kind === "fail")).toBeCloseTo(0.2, 2);
  expect(share(fates, ({ kind }) => kind === "reset")).toBeCloseTo(0.1, 2);
});

test("failures are of all four statuses alike, resets half and half", () => {
  const failures = draw(40_000, 1, 0);
  for (const status of [500, 502, 503, 504]) {
    const ofStatus = share(failures, (fate) => fate.kind === "fail" && fate.status === status);
    expect(ofStatus).toBeCloseTo(0.25, 1);
  }
  const accepting = share(draw(40_000, 0, 1), (fate) => fate.kind === "reset" && fate.accepting);
  expect(accepting).toBeCloseTo(0.5, 1);
});

test("the same seed gives the same sequence, another seed another one", () => {
  expect(draw(200, 0.3, 0.3, 5)).toEqual(draw(200, 0.3, 0.3, 5));
  expect(draw(200, 0.3, 0.3, 5)).not.toEqual(draw(200, 0.3, 0.3, 6));
});

test("a higher fail rate only adds failures", () => {
  const some = draw(1_000, 0.2, 0);
  const more = draw(1_000, 0.4, 0);
  some.forEach((fate, i) => {
    if (fate.kind === "fail") expect(more[i]).toEqual(fate);
  });
});
