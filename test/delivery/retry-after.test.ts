import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseRetryAfter } from "../../src/delivery/classify-attempt.ts";

const now = new Date("1994-11-06T08:49:00.000Z");

test.each([
  ["0", 0],
  ["120", 120_000],
  [" 120 ", 120_000],
  ["2147483648", 2_147_483_648_000],
  ["99999999999", 99_999_999_999_000],
  ["99999999999999999999", 1e23],
  ["9".repeat(400), Number.POSITIVE_INFINITY],
  // Decimals, as rate-limiter-flexible and others send them, are rounded up.
  ["4.5", 5000],
  ["0.001", 1000],
  ["3.0", 3000],
  ["0.0", 0],
  // The three forms of RFC 9110, section 5.6.7.
  ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
  ["Sun Nov  6 08:49:37 1994", 37_000],
  // What has passed is no wait.
  ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
])("%j", (value, durationMs) => {
  expect(parseRetryAfter(value, now)).toBe(durationMs);
});

test("a date that names no zone is in UTC, wherever this runs", () => {
  vi.stubEnv("TZ", "America/New_York");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(parseRetryAfter("Sun Nov  6 08:49:37 1994", now)).toBe(37_000);
});

test.each([
  ...[
    "",
    "soon",
    "-5",
    "-0.5",
    "1.",
    ".5",
    "1,5",
    "1.2.3",
    "1e3",
    "0x10",
    "12s",
    "120, 60",
    "1994-11-06T08:49:37Z",
  ],
  ...["06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, "],
])("%j is neither", (value) => {
  expect(parseRetryAfter(value, now)).toBeUndefined();
});

test("any date in the preferred form is the time until then", () => {
  const dates = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(dates, dates, (wanted, at) => {
      const seconds = Math.floor(wanted.getTime() / 1000) * 1000;
      expect(parseRetryAfter(wanted.toUTCString(), at)).toBe(Math.max(0, seconds - at.getTime()));
    }),
  );
});

test("whatever stands there, the result is a wait or nothing", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const durationMs = parseRetryAfter(value, now);
      expect(durationMs === undefined || durationMs >= 0).toBe(true);
    }),
  );
});
