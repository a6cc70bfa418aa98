import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStatusRules, faultOfStatuses } from "../../src/model/status-rules.ts";

describe("a list of statuses", () => {
  test.each<[string | (string | number)[], number[]]>([
    ["409", [409]],
    [" 200 , 409 ", [200, 409]],
    ["200-202,409", [200, 201, 202, 409]],
    ["599", [599]],
    [
      [200, "409", "500-501"],
      [200, 409, 500, 501],
    ],
    ["200,200", [200]],
    ...["2xx", "2XX", ["200-299"]].map((all): [string | string[], number[]] => [
      all,
      Array.from({ length: 100 }, (_, at) => 200 + at),
    ]),
  ])("%j", (retry, statuses) => {
    expect(faultOfStatuses({ retryStatuses: retry })).toBeUndefined();
    const kindOf = createStatusRules({ retryStatuses: retry });
    const found = Array.from({ length: 700 }, (_, status) => status);
    expect(found.filter((status) => kindOf(status) === "retry")).toEqual(statuses);
  });

  test.each([
    ...["", "199", "600", "1xx", "6xx", "2x", "ok", "204-200", "201-200", "2xxx", "200-600"],
    ...["200,", "-", "200 204", "2000", "+200", "0200", "2e2"],
  ])("%j is none", (retry) => {
    const why = expect.stringMatching(/^".*" is no status from 200 to 599, such as 409/);
    expect(faultOfStatuses({ retryStatuses: retry })).toEqual({ option: "retryStatuses", why });
  });

  test("never throws", () => {
    fc.assert(fc.property(fc.string(), (retry) => void faultOfStatuses({ retryStatuses: retry })));
  });
});

describe("rules", () => {
  test("with successes, every other 2xx is a refusal unless it is to be tried again", () => {
    const kindOf = createStatusRules({ successStatuses: "200,409", retryStatuses: "202" });
    expect([200, 201, 202, 299, 409, 410, 500].map(kindOf)).toEqual([
      ...["success", "reject", "retry", "reject", "success", undefined, undefined],
    ]);
    const usual = [199, 200, 299, 300].map(createStatusRules({}));
    expect(usual).toEqual([undefined, "success", "success", undefined]);
  });

  test("have a status in one list only", () => {
    const why = "409 is among the reject statuses and among the success statuses; leave it in one";
    expect(faultOfStatuses({ successStatuses: [409], rejectStatuses: "4xx" })).toEqual({
      option: "rejectStatuses",
      why,
    });
  });
});
