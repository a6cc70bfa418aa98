import { expect, it } from "vitest";
import { capText, rateText } from "../../../src/cli/terminal/rate-text.ts";

it("a rate is in minutes or hours where there is none in seconds", () => {
  const rates = [0, 1, 0.5, 90 / 60, 1500, 100 / 3600, 0.6 / 3600];
  expect(rates.map((rate) => rateText(rate, "row"))).toEqual([
    ...["0 rows/s", "1 row/s", "0.5 rows/s", "1.5 rows/s", "1,500 rows/s"],
    ...["1.7 rows/m", "0.6 rows/h"],
  ]);
  const caps = [50, 3000 / 60, 90 / 60, 1 / 60, 100 / 3600, 0.4];
  expect(caps.map((rate) => capText(rate, "request"))).toEqual([
    ...["50 requests/s", "50 requests/s", "90 requests/m", "1 request/m"],
    ...["100 requests/h", "24 requests/m"],
  ]);
});
