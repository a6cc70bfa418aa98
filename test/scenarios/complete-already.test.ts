import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { scenario } from "./scenario.ts";

/** A complete import, and the same command once more. */
async function complete(name: string, input: string, more: readonly string[] = []) {
  const service = await sandboxUnderTest();
  const place = await scenario(name);
  const command = [
    ...["import", input, "--base-url", service.url],
    ...(more.includes("--results") ? [] : ["--results", "out/all.results.csv"]),
    ...["--resume", ...more],
  ];
  const first = await place.eventload(command);
  const { requests } = service.counts();
  return { place, service, command, first, requests };
}

describe("import --resume where the run is complete already", () => {
  it.each([
    ["all succeeded", "ordering-key", "steps.csv", 0],
    ["some did not succeed", "fix-and-retry", "people.csv", 1],
  ] as const)("sends nothing, and ends as the run did: %s", async (_, name, input, status) => {
    const { place, service, command, first, requests } = await complete(name, input);
    expect(first.status).toBe(status);
    const files = async () => {
      const names = (await readdir(join(place.folder, "out"))).sort();
      const texts = names.map((file) => readFile(join(place.folder, "out", file), "utf8"));
      return [names, await Promise.all(texts)];
    };
    const before = await files();

    const again = await place.eventload([...command, "--json"]);
    expect(again.status).toBe(status);
    expect(again.stderr).toContain("Complete already, so nothing was sent: ");
    const { elapsed_ms: _elapsed, ...summary } = JSON.parse(again.stdout);
    const manifest = JSON.parse(await place.read("out/all.run.json"));
    expect(summary).toMatchObject({
      ...manifest.counts,
      ...{ rows: manifest.rows, exit_reason: "complete", was_complete: true },
      results: "out/all.results.csv",
      failed_rows: status === 0 ? null : "out/all.failed.csv",
      next: {
        resume: null,
        retry: status === 0 ? null : "eventload retry out/all.failed.csv",
      },
    });
    expect(await files()).toEqual(before);
    expect(service.counts().requests).toBe(requests);

    const quiet = await place.eventload([...command, "--quiet"]);
    expect(quiet.status).toBe(status);
    expect(quiet.stderr === "").toBe(status === 0);
    const without = await place.eventload(command.filter((word) => word !== "--resume"));
    expect(without.status).toBe(2);
    expect(without.stderr).toContain("out/all.results.csv exists already");
    expect(service.counts().requests).toBe(requests);
  });

  it("refuses a run with another input, mapping, service or settings, and says what is different", async () => {
    const { place, service, command, requests } = await complete("ordering-key", "steps.csv");
    const other = await sandboxUnderTest();
    const refused = async (why: string, args: readonly string[]) => {
      const { status, stderr } = await place.eventload(args);
      expect(status).toBe(2);
      expect(stderr).toContain("out/all.results.csv exists already, and results are never");
      expect(stderr).toContain(`They are not of the same run: ${why}`);
    };
    await refused(
      "the base URL was ",
      command.map((word) => (word === service.url ? other.url : word)),
    );
    await refused("--shard was not given and is 1/2.", [...command, "--shard", "1/2"]);
    await refused("--limit was not given and is 5.", [...command, "--limit", "5"]);
    await refused("--encoding was not given and is latin1.", [...command, "--encoding", "latin1"]);
    await refused("--delivery was at-least-once", [...command, "--delivery", "at-most-once"]);
    await appendFile(join(place.folder, "steps.yaml"), "# another\n");
    await refused("the mapping ", command);
    await appendFile(join(place.folder, "steps.csv"), "new@example.com,1\n");
    await refused("the input ", command);
    expect(service.counts().requests).toBe(requests);
    expect(other.counts().requests).toBe(0);
  });

  it("refuses results that are not as their run wrote them", async () => {
    const { place, service, command, requests } = await complete("ordering-key", "steps.csv");
    const results = join(place.folder, "out/all.results.csv");
    await writeFile(results, (await readFile(results, "utf8")).replace("@", "#"));
    expect((await place.eventload(command)).stderr).toContain("all.results.csv was changed");
    expect(service.counts().requests).toBe(requests);
  });

  it("takes standard input that is the same, and refuses another", async () => {
    const service = await sandboxUnderTest();
    const { eventload, read, folder } = await scenario("ordering-key");
    const command = [
      ...["import", "-", "--mapping", "steps.yaml", "--base-url", service.url],
      ...["--results", "out/all.results.csv", "--resume"],
    ];
    const stdin = await read("steps.csv");
    expect((await eventload(command, { stdin })).status).toBe(0);
    const again = await eventload(command, { stdin });
    expect(again.status).toBe(0);
    expect(again.stderr).toContain("Complete already, so nothing was sent");
    const other = await eventload(command, { stdin: `${stdin}\n` });
    expect(other.status).toBe(2);
    expect(other.stderr).toContain("out/all.results.csv exists already");
    expect(await readdir(join(folder, "out"))).toHaveLength(2);
  });
});
