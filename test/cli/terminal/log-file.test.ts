import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { link, symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startService } from "../../delivery/service-under-test.ts";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { situation } from "../situation.ts";

const taken =
  "exists already, and nothing is overwritten: move it away, or name another with --log-file";

describe("a log", () => {
  it("that cannot be written on is reported once, and stops nothing", async () => {
    const { url } = await sandboxUnderTest();
    const { import: send } = await situation();
    const full = await send(["--base-url", url, "--log-file", "/dev/full", "--quiet"]);
    const stderr = "warning: /dev/full cannot be written (the disk is full); the log ends here.\n";
    expect(full).toMatchObject({ status: 0, stderr });
  });

  it("ends with what did not succeed, the files and what to type next", async () => {
    const { url } = await sandboxUnderTest();
    const { import: send, path, linesOf, write } = await situation();
    await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n,C,3\n");
    const to = ["--base-url", url, "--log-file", path("deep/er/run.log")];
    const report = path("reports/of today/r.html");
    const results = path("people.results.csv");
    const { stderr } = await send([...to, "--report", report, "--results", results]);
    expect(stderr).toContain(`Log:         ${path("deep/er/run.log")}\n`);
    expect((await linesOf("deep/er/run.log")).at(-1)).toMatchObject({
      problem_groups: [
        {
          ...{ status: "invalid", code: "missing_value", count: 2 },
          first: [{ row: 2 }, { row: 3, line: 4 }],
        },
      ],
      next: {
        retry: `eventload retry ${path("people.failed.csv")}`,
        report: `eventload report ${results}`,
        resume: null,
      },
      report,
    });
    expect(existsSync(report)).toBe(true);
  });

  it("tells why a run could not start", async () => {
    const { import: send, path, linesOf } = await situation();
    // One that was there before is added to.
    for (const lines of [1, 2]) {
      const log = ["--log-file", path("run.log")];
      expect((await send(log, { env: { EVENTLOAD_TOKEN: "" } })).status).toBe(2);
      const logged = await linesOf("run.log");
      expect(logged).toHaveLength(lines);
      const message = expect.stringContaining("No token");
      expect(logged.at(-1)).toMatchObject({
        level: "error",
        kind: "end",
        exit_status: 2,
        exit_reason: "token_missing",
        message,
      });
    }
  });

  it.each([
    ["header_missing", "ann@secret.example,Ann,1\nbo@secret.example,Bo,2\n"],
    ["header_further_down", "secret list,,\nEmail,First Name,Code\na@x,A,1\n"],
  ])("holds no cell where nothing can be sent: %s", async (code, input) => {
    const { import: send, path, linesOf, write } = await situation();
    await write("people.csv", input);
    const { stderr } = await send(["--log-file", path("run.log")]);
    expect(stderr).toContain("secret");
    const log = JSON.stringify(await linesOf("run.log"));
    expect(log).toContain(code);
    expect(log).not.toContain("secret");
  });

  it("in a folder that cannot be made keeps a run from starting, as metrics and a report do", async () => {
    const { url, counts } = await sandboxUnderTest();
    const { import: send, path, write } = await situation();
    await write("people.log", "a file");
    for (const [option = "", name = ""] of [
      ["--log-file", "x.jsonl"],
      ["--metrics-file", "x.prom"],
      ["--report", "x.html"],
    ]) {
      const file = path(`people.log/${name}`);
      const { status, stderr } = await send(["--base-url", url, option, file]);
      const why = `${path("people.log")} is a file, not a folder`;
      expect(stderr).toContain(`eventload: ${file} cannot be written: `);
      expect(stderr).toMatch(new RegExp(`${why}|a part of its path is a file, not a folder`));
      expect(stderr).not.toContain("warning");
      expect(status).toBe(2);
    }
    expect(counts().requests).toBe(0);
  });

  it.each([
    [422, ["start", "opened", "invalid", "checked", "rejected", "rejected", "rejected", "end"]],
    [503, ["start", "opened", "invalid", "checked", "retry", "pause", "retry", "stop", "end"]],
    [403, ["start", "opened", "invalid", "checked", "stop", "end"]],
  ])("holds no cell where a service repeats them in a %i", async (status, kinds) => {
    const { url } = await startService(({ body }) => ({ status, body: `no: ${body}` }));
    const { import: send, path, read, write, linesOf } = await situation();
    await write(
      "people.yaml",
      (await read("people.yaml")).replace("Code", "{ column: Code, type: integer }"),
    );
    const people = [1, 2, 3].map((one) => `secret-${one}@x,secret name,${one}\n`);
    await write("people.csv", `Email,First Name,Code\n${people.join("")}d@x,D,secret code\n`);
    const more = `--metrics-file ${path("m.prom")} --max-attempts 2 --max-outage 0.02s --concurrency 1`;
    await send(`--base-url ${url} --log-file ${path("run.log")} ${more}`);
    const text = await read("run.log");
    expect(await read("m.prom")).not.toContain("secret");
    // The manifest quotes the service only where it stopped the run.
    if (status === 422) expect(await read("people.run.json")).not.toContain("secret");
    const lines = await linesOf("run.log");
    expect(text).not.toContain("secret");
    const seen = lines.map(({ kind }) => kind);
    expect(seen.filter((kind, at) => kind !== seen[at - 1])).toEqual(
      kinds.filter((kind, at) => kind !== kinds[at - 1]),
    );
    for (const line of lines) expect(line).toMatchObject({ level: expect.any(String) });
    expect(lines[0]).toMatchObject({ kind: "start", input: "people.csv", base_url: url });
    const invalid = { row: 4, line: 5, column: "Code", code: "not_an_integer" };
    expect(lines[2]).toMatchObject({ level: "warn", ...invalid });
    expect(lines.at(-1)).toMatchObject({ exit_status: status === 422 ? 1 : 3, rows: 4 });
  });

  it("says, as the metrics do, why a run whose options are wrong did not start", async () => {
    const { import: send, path, read } = await situation();
    const files = `--log-file ${path("log.jsonl")} --metrics-file ${path("night.prom")}`;
    const { status } = await send(`--base-url http://127.0.0.1:1 --max-gone 5% ${files}`);
    expect(status).toBe(2);
    expect(JSON.parse(await read("log.jsonl"))).toMatchObject({ exit_reason: "option_invalid" });
    expect(await read("night.prom")).toContain('exit_reason="option_invalid"');
  });

  it("may be neither a file of the run, however it is named, nor one of something else", async () => {
    const { url, counts } = await sandboxUnderTest();
    const { import: send, folder, path, read, write } = await situation();
    await write("diary.txt", "Dear diary\n");
    await symlink("people.csv", path("soft"));
    await link(path("people.csv"), path("hard"));
    await symlink(".", path("folder"));
    execFileSync("mkfifo", [path("pipe")]);
    const before = readdirSync(folder);
    const ofAccount = "is a file of the account; name another for the log";
    for (const [name, why] of [
      ...["diary.txt", "people.csv", "people.yaml", "soft", "hard"].map((one) => [one, taken]),
      ...["results.csv", "failed.csv", "results.csv.journal.1"].map((one) => [
        ...[`people.${one}`, ofAccount],
      ]),
      ["folder/people.results.csv", ofAccount],
      // Opening it could wait for ever.
      ["pipe", "cannot be written: it is not a file but a pipe or a device"],
    ] as const) {
      const { status, stderr } = await send(`--base-url ${url} --log-file ${path(name)}`);
      expect(stderr).toContain(`${path(name)} ${why}.\n`);
      expect(status).toBe(2);
    }
    const night = `--base-url ${url} --state people.results.csv -o people.results.csv`;
    expect((await send(night)).stderr).toContain(
      "--state: people.results.csv is a file of the account; name another for the state.",
    );
    expect(readdirSync(folder)).toEqual(before);
    expect(await read("diary.txt")).toBe("Dear diary\n");
    expect(counts().requests).toBe(0);
  });
});
