import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Answer } from "../cli/fake-host.ts";
import { situation } from "../cli/situation.ts";
import { startService } from "../delivery/service-under-test.ts";

/** A name that is several lines, clears a terminal and runs backwards where it is printed as it is. */
const evil = "a\nFORGED: all is well\u001b[2J\u009b31m\u2028\u202e\r";

it("names of files with line breaks and control characters are escaped wherever they are printed", async () => {
  const place = await situation();
  const { run } = place;
  const folder = place.path(evil);
  await mkdir(folder);
  const path = (name: string) => join(folder, `${evil}${name}`);
  for (const name of [".csv", ".2.csv"]) await cp(place.path("people.csv"), path(name));
  await cp(place.path("people.yaml"), path(".yaml"));
  await place.write(`${evil}/${evil}.csv`, "Email,First Name,Code\na@x,A,1\nb@x,B,2\n,C,3\n");
  const service = await startService(({ n }) => ({ status: n === 1 ? 401 : n === 4 ? 422 : 202 }));

  const to = ["--mapping", path(".yaml"), "--base-url", service.url];
  const results = path(".results.csv");
  const send = ["import", path(".csv"), ...to, "--results", results, "--concurrency", "1"];
  const besides = ["--log-file", path(".jsonl"), "--report", path(".html")];
  const commands: [readonly string[], number][] = [
    [["init", path(".csv"), "--output", path(".new.yaml")], 0],
    [["init", path(".csv"), "--output", path(".new.yaml")], 2],
    [["check", path(".none.csv"), ...to], 2],
    [["check", path(".csv"), "--mapping", path(".none.yaml")], 2],
    [["check", path(".csv"), ...to], 1],
    [["check", path(".csv"), ...to, "--json"], 1],
    [["check", path(".csv"), path(".2.csv"), ...to], 1],
    [["check", path(".csv"), ...to, "--problems", path(".csv")], 2],
    [["config", "--results", results, ...to], 0],
    [[...send, ...besides], 3],
    [send, 2],
    [["retry", results], 2],
    [["resume", results, ...besides], 1],
    [["resume", results, "--json"], 1],
    [send, 2],
    [[...send, "--log-file", path(".csv")], 2],
    [["report", results], 0],
    [["report", results, "--output", path(".csv"), "--json"], 2],
    [["export", results], 0],
    [["export", results, "--json"], 0],
    [["export", results, "--output", path(".csv")], 2],
    [["retry", path(".failed.csv"), "--json"], 1],
    [["retry", path(".failed.csv")], 1],
    [["import", path(".csv"), path(".2.csv"), ...to, "--results", path(".both.results.csv")], 1],
  ];
  let named = 0;
  for (const [argv, status] of commands) {
    const answer: Answer = await run(argv);
    const printed = answer.stdout + answer.stderr;
    expect([argv.slice(0, 2), printed, answer.status]).toEqual([
      ...[argv.slice(0, 2), expect.not.stringMatching(/^FORGED|[^\P{Cc}\n]|[\u2028\u202e]/mu)],
      status,
    ]);
    if (printed.includes("FORGED")) named++;
  }
  // Nearly all of them name a file.
  expect(named).toBeGreaterThan(18);
  const log = await place.read(`${evil}/${evil}.jsonl`);
  expect(log).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
  for (const line of log.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  expect(log).toContain("FORGED");
  const page = await place.read(`${evil}/${evil}.html`);
  expect(page).not.toMatch(/[^\P{Cc}\n\t]|[\u2028\u202e]/u);
});
