import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

describe("a shard of an import", () => {
  it("has results of its own name and its part of the rate", async () => {
    const { url } = await sandboxUnderTest({});
    const { eventload, read } = await scenario("readme");
    const { status, stderr } = await eventload(
      `import people.csv --base-url ${url} --shard 2/2 --rate 30/s --metrics-file {input}.{shard}.prom`,
    );
    expect(stderr).toContain("people.2-of-2.results.csv");
    expect([0, 1]).toContain(status);
    const manifest = JSON.parse(await read("people.2-of-2.run.json"));
    expect(manifest.options).toMatchObject({
      shard: { index: 2, count: 2 },
      rate_per_second: 15,
    });
    expect(await read("people.2-of-2.prom")).toContain('{run="people.2-of-2"}');
  });

  it("reads no standard input, which every shard would read whole", async () => {
    const { url } = await sandboxUnderTest({});
    const { eventload } = await scenario("readme");
    const line = `import - --mapping people.yaml --base-url ${url} --shard 1/2`;
    const { status, stderr } = await eventload(line, { stdin: "Email\n" });
    expect(status).toBe(2);
    expect(stderr).toContain("--shard cannot divide standard input");
  });
});
