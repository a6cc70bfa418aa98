import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { situation } from "../cli/situation.ts";
import { startService } from "../delivery/service-under-test.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";

/** Somebody who may write in the folder of a run has put something there before. */

const outputs = [
  "people.results.csv",
  "people.failed.csv",
  "people.run.json",
  "people.report.html",
  "people.prom",
];

/** An import with a row that fails, which writes every file there is. */
async function given() {
  const { url, counts } = await sandboxUnderTest();
  const place = await situation();
  await place.write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
  await place.write("victim", "mine");
  const options = [
    ...["--report", place.path("people.report.html")],
    ...["--metrics-file", place.path("people.prom"), "--log-file", place.path("people.jsonl")],
  ];
  const usual = ["--base-url", url, "--results", place.path("people.results.csv")];
  return {
    ...place,
    counts,
    send: (more: readonly string[] = usual) => place.import([...options, ...more]),
  };
}

describe("a link that leads nowhere", () => {
  it.each([...outputs, "people.jsonl"])("at %s keeps a run from starting", async (name) => {
    const { send, path, counts } = await given();
    await symlink(path("made-elsewhere"), path(name));
    const { status, stderr } = await send();
    expect(stderr).toMatch(/exists already|a link that leads nowhere|it is no file|is missing/);
    expect(stderr).toContain(path(name));
    expect(status).toBe(2);
    expect(counts().requests).toBe(0);
    expect(existsSync(path("made-elsewhere"))).toBe(false);
  });

  it("is not what a retry writes into", async () => {
    const { send, run, path } = await given();
    expect((await send()).status).toBe(1);
    for (const name of ["results.csv.new", "failed.csv.new", "results.csv.journal.1"]) {
      await symlink(path("made-elsewhere"), path(`people.${name}`));
    }
    expect((await run(`retry ${path("people.failed.csv")}`)).status).toBe(1);
    expect(existsSync(path("made-elsewhere"))).toBe(false);
  });
});

it.each(outputs)(
  "a pipe that nobody reads at %s keeps a run from starting, and hangs nothing",
  async (name) => {
    const { send, path, counts } = await given();
    execFileSync("mkfifo", [path(name)]);
    const { status, stderr } = await send();
    expect(stderr).toMatch(
      /exists already|it is no file|not a file but a pipe or a device|cannot be read|is missing/,
    );
    expect(status).toBe(2);
    expect(counts().requests).toBe(0);
  },
);

it.each([
  ["a link that leads nowhere", (at: string, to: string) => symlink(to, at)],
  ["not a file but a pipe or a device", (at: string) => execFileSync("mkfifo", [at])],
])(
  "a copy, a file of problems and a report are not written into what is %s",
  async (what, make) => {
    const { send, run, check, path } = await given();
    expect((await send()).status).toBe(1);
    const results = path("people.results.csv");
    for (const [name, write] of [
      ["it.xlsx", (to: string) => run(`export ${results} --output ${to}`)],
      ["it.html", (to: string) => run(`report ${results} --output ${to}`)],
      ["it.csv", (to: string) => check(`--problems ${to}`)],
    ] as const) {
      await make(path(name), path("made-elsewhere"));
      const { status, stderr } = await write(path(name));
      expect(stderr).toBe(`eventload: ${path(name)} cannot be written: it is ${what}.\n`);
      expect(status).toBe(2);
    }
    expect(existsSync(path("made-elsewhere"))).toBe(false);
  },
);

it("a run is not resumed through a link", async () => {
  const { send, run, path } = await given();
  const service = await startService(({ n }) => ({ status: n === 1 ? 401 : 202 }));
  const results = path("people.results.csv");
  const to = ["--base-url", service.url, "--results", results, "--concurrency", "1"];
  await writeFile(path("people.csv"), "Email,First Name,Code\na@x,A,1\nb@x,B,2\n");
  expect((await send(to)).status).toBe(3);
  const part = path("people.results.csv.journal.1");
  await rm(part);
  await writeFile(path("victim"), "x".repeat(10_000));
  await symlink("victim", part);
  const { status, stderr } = await run(`resume ${results}`);
  expect(stderr).toContain("people.results.csv.journal.1 cannot be written: it is no file");
  expect(status).toBe(2);
  expect(await readFile(path("victim"), "utf8")).toHaveLength(10_000);
});
