import { mkdir, rename } from "node:fs/promises";
import { basename } from "node:path";
import { expect, it } from "vitest";
import { findBaseline } from "../../src/run/find-baseline.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

it("a pattern is the last import that came to its end, with all that was sent since", async () => {
  const { url } = await sandboxUnderTest();
  const { import: send, run, path, read, write } = await situation();
  await mkdir(path("out"));
  const pattern = path("out/{input}.*.results.csv");
  const to = (night: number, ...more: string[]) =>
    send(["--base-url", url, "--results", path(`out/people.${night}.results.csv`), ...more]);
  const found = async (own?: string) => {
    const { paths } = await findBaseline([pattern.replace("{input}", "people")], own);
    return paths.map((one) => basename(one));
  };

  const first = await to(1, "--baseline", pattern);
  expect(first).toMatchObject({ status: 0 });
  expect(first.stderr).toContain(`there are no results ${path("out/people.*.results.csv")} yet`);
  const again = await to(1, "--baseline", pattern);
  expect(again.status).toBe(2);
  expect(again.stderr).toMatch(/^eventload: \S+people\.1\.results\.csv exists already, .*\n$/);
  const resumed = await to(1, "--baseline", pattern, "--resume");
  expect(resumed.status).toBe(0);
  expect(resumed.stderr).toContain("Complete already, so nothing was sent: ");
  await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
  expect(await to(2, "--baseline", pattern)).toMatchObject({ status: 1 });
  expect(await found()).toEqual(["people.2.results.csv"]);
  expect(await found(path("out/people.2.results.csv"))).toEqual(["people.1.results.csv"]);

  await write(
    "out/people.2.failed.csv",
    (await read("out/people.2.failed.csv")).replace(",B", "b@x,B"),
  );
  expect(await run(["retry", path("out/people.2.failed.csv")])).toMatchObject({ status: 0 });
  expect(await found()).toEqual(["people.2.results.csv", "people.2.retry-1.results.csv"]);

  // One that stopped has sent something that no other results tell of.
  await write("people.csv", "Email,First Name,Code\na@x,New,1\n,B,2\nc@x,C,3\n");
  const stop = ["--baseline", pattern, "--no-check", "--max-errors", "0", "--concurrency", "1"];
  expect(await to(3, ...stop)).toMatchObject({ status: 3 });
  expect(await found()).toEqual([
    ...["people.2.results.csv", "people.2.retry-1.results.csv", "people.3.results.csv"],
  ]);
  const refused = await to(4, "--baseline", pattern);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(`eventload resume ${path("out/people.3.results.csv")}`);
  const { input, ...manifest } = JSON.parse(await read("out/people.3.run.json"));
  expect(manifest.baseline).toHaveLength(2);
  expect(input.name).toBe("people.csv");

  // What it was begun with is what it continues, whatever the pattern would be now.
  expect(await to(3, "--baseline", pattern, "--resume")).toMatchObject({ status: 1 });
  expect(await found()).toEqual(["people.3.results.csv"]);
});

it("a pattern that fits renamed results is refused, and one that fits something else says so", async () => {
  const { url } = await sandboxUnderTest();
  const { import: send, path } = await situation();
  await mkdir(path("out"));
  const to = (name: string, baseline: string) =>
    send([
      ...["--base-url", url, "--results", path(`out/people.${name}.results.csv`)],
      ...["--baseline", path(baseline)],
    ]);
  expect(await to("a", "out/*.results.csv")).toMatchObject({ status: 0 });
  for (const status of ["results.csv", "run.json"]) {
    await rename(path(`out/people.a.${status}`), path(`out/people.old.${status}`));
  }
  const refused = await to("b", "out/people.*.results.csv");
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(
    "people.old.results.csv cannot be used as --baseline: the manifest beside it, people.old.run.json, names other results, people.a.results.csv,",
  );
  const other = await to("b", "out/*.run.json");
  expect(other.stderr).toContain("out/people.old.run.json, but no results of a run, so no row is");
  expect(await to("c", "out/people.old.results.csv")).toMatchObject({ status: 0, stdout: "" });
});
