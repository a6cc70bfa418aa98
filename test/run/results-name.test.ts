import { expect, it } from "vitest";
import { dateParts, fillName, whyNotFilled } from "../../src/run/options/results-name.ts";

it("a name has its parts filled in, and none is a folder", () => {
  const parts = { input: "people", target: "../etc", ...dateParts(new Date(2026, 0, 2, 3, 4, 5)) };
  const name = "out/{target}/{input}.{date}.{time}.results.csv";
  expect(fillName(name, parts)).toBe("out/.._etc/people.2026-01-02.030405.results.csv");
  expect(fillName("{target}/log", { target: ".." })).toBe("_/log");
});

it.each([
  ["out/{input}.{date}.csv", undefined],
  ["out/{people.csv", undefined],
  ["{day}.csv", "{day} has no value here; use {input}, {date}"],
  ["{target}.csv", "{target} has no value here; use {input}, {date}"],
])("%s: %s", (name, why) => {
  const parts = { input: "people", date: "2026-01-02", target: undefined };
  expect(whyNotFilled(name, parts)).toBe(why);
});
