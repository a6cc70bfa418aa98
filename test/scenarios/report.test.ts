import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

const command = (url: string) => [
  ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", url],
  ...["--results", "out/people.results.csv"],
];

describe("a report", () => {
  it("can be had afterwards", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read } = await scenario("readme");
    await eventload(command(service.url));
    const { status, stdout } = await eventload(["report", "out/people.results.csv", "--json"]);
    expect(status).toBe(0);
    const page = await read("out/people.report.html");
    expect(JSON.parse(stdout)).toEqual({
      output: "out/people.report.html",
      bytes: Buffer.byteLength(page),
      differences: [],
      missing: [],
    });
  });

  it("never takes the place of another file, and nothing is sent then", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read } = await scenario("readme");
    const before = await read("people.csv");
    for (const path of ["people.csv", "people.yaml", "out/people.results.csv"]) {
      const { status, stderr } = await eventload([...command(service.url), "--report", path]);
      expect(status).toBe(2);
      expect(stderr).toContain(path);
    }
    expect(service.counts().requests).toBe(0);
    expect(await read("people.csv")).toBe(before);
  });

  it.each(["-", "nothing.results.csv"])("of %s there is none", async (file) => {
    const { eventload } = await scenario("readme");
    const { status, stderr } = await eventload(["report", file]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^eventload: .+\n$/);
  });
});
