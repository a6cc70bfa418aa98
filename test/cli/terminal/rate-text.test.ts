import { expect, it } from "vitest";
import { capText, rateText } from "../../../src/cli/terminal/rate-text.ts";

it("has a speed in minutes or hours where there is none in seconds", () => {
  expect([0, 0.5, 90 / 60, 100 / 3600, 0.6 / 3600].map(rateText)).toEqual([
    "0/s",
    "0.5/s",
    "1.5/s",
    "1.7/m",
    "0.6/h",
  ]);
  expect([50, 3000 / 60, 90 / 60, 100 / 3600, 0.4].map(capText)).toEqual([
    "50/s",
    "50/s",
    "90/m",
    "100/h",
    "24/m",
  ]);
});
