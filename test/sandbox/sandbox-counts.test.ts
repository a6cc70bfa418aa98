import { expect, test } from "vitest";
import {
  createRepeatCheck,
  describeCounts,
  emptyCounts,
} from "../../src/sandbox/sandbox-counts.ts";

test("nothing happened", () => {
  expect(describeCounts(emptyCounts())).toEqual(["requests: 0", "accepted: 0"]);
});

test("everything happened", () => {
  const lines = describeCounts({
    requests: 12_345,
    accepted: { users: 10_000, contacts: 2_000 },
    repeats: 3,
    refused: { 400: 2, 401: 100 },
    throttled: 70,
    failed: { 500: 40, 503: 60 },
    resets: { beforeAccepting: 70, afterAccepting: 60 },
    brokenOff: 3,
  });
  expect(lines).toEqual([
    "requests: 12,345",
    "accepted: 12,000 (users 10,000, contacts 2,000)",
    "accepted again: 3 with the same body as an earlier one",
    "refused: 102 (400: 2, 401: 100)",
    "throttled: 70 (429)",
    "failed on purpose: 100 (500: 40, 503: 60)",
    "reset on purpose: 130 (before accepting 70, after 60)",
    "broken off by the client: 3",
  ]);
});

test("the same body at the same endpoint is a repeat", () => {
  const isRepeat = createRepeatCheck();
  expect(isRepeat("users", Buffer.from("a"))).toBe(false);
  expect(isRepeat("contacts", Buffer.from("a"))).toBe(false);
  expect(isRepeat("users", Buffer.from("b"))).toBe(false);
  expect(isRepeat("users", Buffer.from("a"))).toBe(true);
});

test("at least one generation is remembered, and at most two", () => {
  const isRepeat = createRepeatCheck(3);
  const body = (i: number) => Buffer.from(String(i));
  for (let i = 0; i < 5; i++) isRepeat("users", body(i));
  expect(isRepeat("users", body(2))).toBe(true);
  isRepeat("users", body(5));
  expect(isRepeat("users", body(2))).toBe(false);
  expect(isRepeat("users", body(5))).toBe(true);
});
