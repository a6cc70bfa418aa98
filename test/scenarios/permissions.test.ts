import { readdirSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { situation } from "../cli/situation.ts";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

/** The modes of what is in a folder but for what the test has put there. */
function modesIn(folder: string, before: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !before.includes(name) && !name.endsWith(".lock"))
      .map((name) => [name, (statSync(`${folder}/${name}`).mode & 0o777).toString(8)]),
  );
}

it("files with people's data, and the folders made for them, are for their owner alone", async () => {
  const { folder, path, import: send, run, check, write } = await situation();
  await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\nc@x,C,3\n");
  const before = readdirSync(folder);
  let during: Record<string, string> = {};
  const service = await startService(({ n }) => {
    if (n === 1) during = modesIn(folder, before);
    return { status: 202 };
  });
  const answer = await send([
    ...["--base-url", service.url, "--concurrency", "1"],
    ...["--results", path("out/of/today/people.results.csv")],
    ...["--report", path("reports/people.html"), "--log-file", path("logs/people.jsonl")],
    ...["--metrics-file", path("metrics/people.prom")],
  ]);
  expect(answer.status).toBe(1);
  expect(during["out/of/today/people.results.csv.journal.1"]).toBe("600");
  const results = path("out/of/today/people.results.csv");
  expect((await run(`export ${results}`)).status).toBe(0);
  expect((await check(`--problems ${path("problems.csv")}`)).status).toBe(1);
  expect(modesIn(folder, before)).toEqual({
    ...{ out: "700", "out/of": "700", "out/of/today": "700", reports: "700", logs: "700" },
    "out/of/today/people.results.csv": "600",
    "out/of/today/people.failed.csv": "600",
    "out/of/today/people.run.json": "600",
    "out/of/today/people.results.xlsx": "600",
    "reports/people.html": "600",
    "logs/people.jsonl": "600",
    "problems.csv": "600",
    // Another user's collector reads them, and nobody's data are in them.
    ...{ metrics: "755", "metrics/people.prom": "644" },
  });
});

it("what a night leaves is for its owner alone", async () => {
  const { folder, path, write, read, import: send } = await situation();
  const mapping = (await read("people.yaml")).replace("event:", "ordering_key: [Email]\nevent:");
  await write("people.yaml", mapping);
  const before = readdirSync(folder);
  const { url } = await startService(() => ({ status: 202 }));
  const night = [...["--base-url", url], ...["--state", path("people.state.jsonl")]];
  expect((await send(night)).status).toBe(0);
  const modes = modesIn(folder, before);
  expect(Object.keys(modes)).toContain("people.state.jsonl");
  expect(new Set(Object.values(modes))).toEqual(new Set(["600"]));
});

it("a token command does not see the token in whose place it is asked", async () => {
  const service = await startService(() => ({ status: 202 }));
  const place = await scenario("plain");
  const { status, stderr } = await place.program(
    [
      ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", service.url],
      ...["--token-command", "env > seen.txt; echo another-token"],
    ],
    { env: { FOR_THE_COMMAND: "this" } },
  );
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  const seen = await place.read("seen.txt");
  expect(seen).toContain("FOR_THE_COMMAND=this\n");
  expect(seen).not.toContain("EVENTLOAD_TOKEN");
  expect(service.receipts[0]?.headers.authorization).toBe("Bearer another-token");
});
