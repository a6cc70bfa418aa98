import { chmod, mkdir, rename } from "node:fs/promises";
import { relative } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { situation } from "../situation.ts";

/** The people, with their mapping and a configuration in a folder of its own, called from outside. */
async function configuredFrom(yaml: string) {
  const people = await situation();
  await mkdir(people.path("conf"));
  await rename(people.path("people.yaml"), people.path("conf/people.yaml"));
  await people.write("conf/eventload.yaml", yaml);
  const config = ["--config", people.path("conf/eventload.yaml")];
  return { ...people, config };
}

describe("a path in a configuration file", () => {
  it("goes by the folder of the file, in whatever option it stands", async () => {
    const { run, path, config } = await configuredFrom(`mapping: people.yaml
token_file: ../staging.token
ca_file: certificates/ca.pem
results: "out/{input}.results.csv"
log_file: run.jsonl
metrics_file: people.prom
report: report.html
targets: { staging: { token_command: null-command } }
target: staging
`);
    const [named = "", file = ""] = config;
    // As it is typed, so that what is shown is as short.
    const typed = [named, relative(process.cwd(), file)];
    const folder = relative(process.cwd(), path("conf"));
    const { stdout } = await run(["config", "--json", ...typed, "--ca-file", "typed.pem"]);
    expect(JSON.parse(stdout)).toMatchObject({
      mapping: `${folder}/people.yaml`,
      token_file: relative(process.cwd(), path("staging.token")),
      ca_file: "typed.pem",
      results: `${folder}/out/{input}.results.csv`,
      log_file: `${folder}/run.jsonl`,
      metrics_file: `${folder}/people.prom`,
      report: `${folder}/report.html`,
      token_command: `null-command (in ${folder})`,
    });
  });

  it("holds for targets, for a token command and for a retry", async () => {
    const staging = await sandboxUnderTest({ token: "token-of-staging" });
    const { run, path, config, write, read } = await configuredFrom(`mapping: people.yaml
results: out/people.results.csv
targets:
  by-file: { base_url: "${staging.url}", token_file: staging.token }
  by-program: { base_url: "${staging.url}", token_command: [./print-token] }
`);
    await mkdir(path("conf/out"));
    await write("conf/staging.token", "token-of-staging");
    await chmod(path("conf/staging.token"), 0o600);
    await write("conf/print-token", "#!/bin/sh\ncat staging.token\n");
    await chmod(path("conf/print-token"), 0o755);
    await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
    const by = (target: string) => ["--target", target, ...config];
    const sent = await run(["import", path("people.csv"), ...by("by-program")]);
    expect(sent.stderr).toContain("Complete: 2 rows, 1 event");
    expect(sent.status).toBe(1);
    const failed = "conf/out/people.failed.csv";
    await write(failed, (await read(failed)).replace(",B,2", "b@x,B,2"));
    const again = await run(["retry", path(failed), ...config], { env: { EVENTLOAD_TOKEN: "" } });
    expect(again).toMatchObject({ status: 0 });
    const results = ["--results", path("by-file.results.csv")];
    const other = await run(["import", path("people.csv"), ...by("by-file"), ...results]);
    expect(other.stderr).toContain("Complete: 2 rows, 1 event");
    expect(staging.counts().requests).toBe(3);
  });
});

it("--target says so where there is no configuration file", async () => {
  const { run, write, path } = await situation();
  const missing = await run("config --target nope");
  expect(missing).toMatchObject({
    status: 2,
    stderr:
      'eventload: --target: eventload.yaml has no target "nope"; it has none: write it there under targets, name another file with --config, or give --base-url.\n',
  });
  await write("eventload.yaml", "");
  const blank = await run("config --target nope");
  expect(blank.stderr).toContain('eventload.yaml has no target "nope"; it has none: write it');
  const named = await run(`config --target nope --config ${path("none.yaml")}`);
  expect(named.stderr).toContain("none.yaml: it cannot be read: there is no such file");
});
