import { describe, expect, it } from "vitest";
import { dateParts, fillName, isDated, whyNoName } from "../../src/run/options/results-name.ts";

describe("a name for results", () => {
  it("has its parts filled in", () => {
    const parts = { input: "people", target: "north", ...dateParts(new Date(2026, 0, 2, 3, 4, 5)) };
    expect(fillName("out/{target}/{input}.{date}.{time}.results.csv", parts)).toBe(
      "out/north/people.2026-01-02.030405.results.csv",
    );
    expect(fillName("{input}.csv", { input: "a" })).toBe("a.csv");
    expect(fillName("out/{target}.csv", { target: "../../etc" })).toBe("out/.._.._etc.csv");
  });

  it.each([
    ["out/{input}.{date}.results.csv", true],
    ["out/{date}/{input}.results.csv", true],
    ["out/{input}{target}.results.csv", false],
    ["out/people.results.csv", false],
    ["out/{people.results.csv", false],
  ])("%s can be used, and is dated: %s", (name, dated) => {
    expect(whyNoName(name, true)).toBeUndefined();
    expect(isDated(name)).toBe(dated);
  });

  it.each([
    [
      "{day}.csv",
      true,
      "{day} is not a placeholder; use {input}, {date}, {time}, {target}, {shard}",
    ],
    ["{target}.csv", false, "{target} needs a target"],
    ["out/people.csv", true, "names of results end in .results.csv; give out/people.results.csv"],
  ])("%s cannot be used", (name, hasTarget, why) => {
    expect(whyNoName(name, hasTarget)).toContain(why);
  });
});
