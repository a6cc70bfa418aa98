import { expect, test } from "vitest";
import { effectOf } from "../../../src/run/state/night.ts";

test.each([
  ["succeeded", { status: "succeeded", attempts: 2, unanswered: 1, httpStatus: 200 }],
  ["none", { status: "blocked", attempts: 0, unanswered: 0 }],
  ["none", { status: "not_sent", attempts: 3, unanswered: 0 }],
  ["none", { status: "rejected", attempts: 1, unanswered: 0, httpStatus: 422 }],
  ["unknown", { status: "rejected", attempts: 2, unanswered: 0, httpStatus: 422 }],
  ["unknown", { status: "rejected", attempts: 1, unanswered: 0, httpStatus: 501 }],
  // Of a service whose statuses are listed, one that is not on the list.
  ["unknown", { status: "rejected", attempts: 1, unanswered: 0, httpStatus: 202 }],
  ["unknown", { status: "rejected", attempts: 2, unanswered: 1, httpStatus: 422 }],
  ["unknown", { status: "failed", attempts: 5, unanswered: 0, httpStatus: 500 }],
  ["unknown", { status: "unknown", attempts: 1, unanswered: 1 }],
] as const)("the effect is %s: %j", (effect, outcome) => {
  expect(effectOf(outcome)).toBe(effect);
});
