import { expect, it } from "vitest";
import { capText, rateText } from "../../../src/cli/terminal/rate-text.ts";

it("has a speed in minutes or hours where there is none in seconds", () => {
  expect([0, 0.5, 90 / 60, 100 / 3600, 0.6 / 3600].map((rate) => rateText(rate))).toEqual([
    "0/s",
    "0.5/s",
    "1.5/s",
    "1.7/m",
    "0.6/h",
  ]);
  expect([50, 3000 / 60, 90 / 60, 100 / 3600, 0.4].map((rate) => capText(rate))).toEqual([
    "50/s",
    "50/s",
    "90/m",
    "100/h",
    "24/m",
  ]);
});

it("says what it counts", () => {
  expect([0, 1, 0.5, 1500].map((rate) => rateText(rate, "row"))).toEqual([
    "0 rows/s",
    "1 row/s",
    "0.5 rows/s",
    "1,500 rows/s",
  ]);
  expect([50, 1 / 60].map((rate) => capText(rate, "request"))).toEqual([
    "50 requests/s",
    "1 request/m",
  ]);
});
