import { expect, test } from "vitest";
import { describeCounts } from "../../src/sandbox/sandbox-counts.ts";

test("everything happened", () => {
  const lines = describeCounts({
    requests: 12_345,
    accepted: { users: 10_000, contacts: 2_000 },
    repeats: 3,
    ignored: 4,
    refused: { 400: 2, 401: 100 },
    throttled: 70,
    failed: { 500: 40, 503: 60 },
    resets: { beforeAccepting: 70, afterAccepting: 60 },
    hangs: { beforeAccepting: 0, afterAccepting: 5 },
    brokenOff: 3,
  });
  expect(lines).toEqual([
    "requests: 12,345",
    "accepted: 12,000 (users: 10,000, contacts: 2,000)",
    "accepted again: 3 (they had come before)",
    "ignored: 4 (they had come before)",
    "refused: 102 (400: 2, 401: 100)",
    "throttled: 70 (429)",
    "failed on purpose: 100 (500: 40, 503: 60)",
    "reset on purpose: 130 (before accepting: 70, after accepting: 60)",
    "never answered: 5 (after accepting: 5)",
    "aborted by the client: 3",
  ]);
});
