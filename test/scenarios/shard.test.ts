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

  it("of standard input are as those of the file", async () => {
    const { url } = await sandboxUnderTest({});
    const { eventload, read, records } = await scenario("ordering-key");
    const stdin = await read("steps.csv");
    const idsOf = async (input: string) => {
      const ids: string[] = [];
      for (const shard of [1, 2]) {
        const results = `out/${input.length}.${shard}-of-2.results.csv`;
        const to = `--base-url ${url} --shard ${shard}/2 --results ${results}`;
        const line = `import ${input} --mapping steps.yaml ${to}`;
        expect((await eventload(line, { stdin })).status).toBe(0);
        ids.push(...(await records(results)).map((one) => one.import_event_id ?? ""));
      }
      return ids;
    };
    expect(await idsOf("-")).toEqual(await idsOf("steps.csv"));
  });
});
