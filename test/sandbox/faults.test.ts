import { expect, test } from "vitest";
import { createFaults, type Fault } from "../../src/sandbox/faults.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";

function draw(count: number, failRate: number, resetRate: number, seed = 1): Fault[] {
  const nextFault = createFaults(failRate, resetRate, mulberry32(seed));
  return Array.from({ length: count }, nextFault);
}

const share = (faults: Fault[], test: (fault: Fault) => boolean) =>
  faults.filter(test).length / faults.length;

test("rates of 0 give no fault and draw no numbers", () => {
  const nextFault = createFaults(0, 0, () => {
    throw new Error("drew a number");
  });
  expect(nextFault()).toEqual({ kind: "none" });
});

test("both rates are shares of all requests", () => {
  const faults = draw(100_000, 0.2, 0.1);
  expect(share(faults, ({ kind }) => kind === "fail")).toBeCloseTo(0.2, 2);
  expect(share(faults, ({ kind }) => kind === "reset")).toBeCloseTo(0.1, 2);
});

test("failures are of all four statuses alike, resets half and half", () => {
  const failures = draw(40_000, 1, 0);
  for (const status of [500, 502, 503, 504]) {
    const ofStatus = share(failures, (fault) => fault.kind === "fail" && fault.status === status);
    expect(ofStatus).toBeCloseTo(0.25, 1);
  }
  const accepted = share(draw(40_000, 0, 1), (fault) => fault.kind === "reset" && fault.isAccepted);
  expect(accepted).toBeCloseTo(0.5, 1);
});
