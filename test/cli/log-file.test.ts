import { once } from "node:events";
import { existsSync } from "node:fs";
import { link, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

/** Answers with what it was sent. */
async function serviceThatRepeats(status: number): Promise<string> {
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (chunk: Buffer) => body.push(chunk));
    request.on("end", () => {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end(`no: ${Buffer.concat(body)}`);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a log", () => {
  it("that cannot be written on is told once, and stops nothing", async () => {
    const { url } = await sandboxUnderTest();
    const { import: send } = await situation();
    const { status, stderr } = await send([
      "--base-url",
      url,
      "--log-file",
      "/dev/full",
      "--quiet",
    ]);
    expect(stderr).toBe(
      "warning: /dev/full cannot be written (the disk is full); from here on there is no log.\n",
    );
    expect(status).toBe(0);
  });

  it("tells why a run did not start", async () => {
    const { import: send, path, read, write } = await situation();
    await write("people.results.csv", "mine");
    const { status } = await send(["--log-file", path("run.log")]);
    expect(status).toBe(2);
    const last = JSON.parse((await read("run.log")).trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({
      ...{ level: "error", kind: "end", exit_status: 2, exit_reason: "results_exist" },
      message: expect.stringContaining("people.results.csv exists already"),
    });
  });

  it.each([
    [422, ["start", "opened", "invalid", "checked", "rejected", "rejected", "rejected", "end"]],
    [503, ["start", "opened", "invalid", "checked", "retry", "retry", "pause", "stop", "end"]],
    [403, ["start", "opened", "invalid", "checked", "stop", "end"]],
  ])("holds no cell where a service repeats them in a %i, unless it may", async (status, kinds) => {
    const url = await serviceThatRepeats(status);
    const { import: send, path, read, write } = await situation();
    await write(
      "people.yaml",
      (await read("people.yaml")).replace("Code", "{ column: Code, type: integer }"),
    );
    const people = [1, 2, 3].map((one) => `secret-${one}@x,secret name,${one}\n`);
    await write("people.csv", `Email,First Name,Code\n${people.join("")}d@x,D,secret code\n`);
    const log = async (...argv: string[]) => {
      const more = ["--max-attempts", "2", "--max-outage", "0.02s", "--concurrency", "1"];
      await send(["--base-url", url, "--log-file", path("run.log"), ...more, ...argv]);
      const text = await read("run.log");
      return {
        text,
        lines: text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      };
    };
    const { text, lines } = await log();
    expect(text).not.toContain("secret");
    const seen = lines.map(({ kind }) => kind);
    expect(seen.filter((kind, at) => kind !== seen[at - 1])).toEqual(
      kinds.filter((kind, at) => kind !== kinds[at - 1]),
    );
    for (const line of lines) expect(line).toMatchObject({ level: expect.any(String) });
    expect(lines[0]).toMatchObject({ kind: "start", input: "people.csv", base_url: url });
    expect(lines[2]).toMatchObject({
      level: "warn",
      row: 4,
      line: 5,
      column: "Code",
      code: "not_an_integer",
    });
    const last = lines.at(-1);
    expect(last).toMatchObject({ exit_status: status === 422 ? 1 : 3, rows: 4 });

    const told = (await log("--log-cells", "--results", path("2.csv"))).text.slice(text.length);
    expect(told).toContain('"value":"secret code"');
    expect(told).toContain("secret-1@x");
  });

  it.each([
    ["people.csv", "the input"],
    ["people.yaml", "the mapping"],
    ["token", "the token file"],
    ["eventload.yaml", "the configuration file"],
    ["people.results.csv", "the results file"],
    ["people.failed.csv", "the failed-rows file"],
    ["people.run.json", "the manifest"],
    ["people.results.csv.journal", "the journal"],
  ])("may not be %s", async (name, what) => {
    const { import: send, path, read, write } = await situation();
    await write("token", "secret\n");
    const before = existsSync(path(name)) ? await read(name) : undefined;
    const log = relative(process.cwd(), path(name));
    const { status, stderr } = await send(["--token-file", path("token"), "--log-file", log]);
    expect(stderr).toContain(`--log-file: ${log} is ${what}; name another for the log.`);
    expect(status).toBe(2);
    expect(existsSync(path(name)) ? await read(name) : undefined).toBe(before);
  });

  it("may not be a file that the mapping looks things up in, nor a baseline", async () => {
    const { import: send, run, path, read, write } = await situation();
    const lookup = "{ column: Code, lookup: { file: codes.csv, key: Code, value: Code } }";
    await write(
      "people.yaml",
      (await read("people.yaml")).replace(/^( +)code: .*$/m, `$1code: ${lookup}`),
    );
    await write("codes.csv", "Code\n0042\n");
    await write("before.csv", "mine");
    for (const name of ["codes.csv", "before.csv"]) {
      const baseline = ["--baseline", path("before.csv")];
      const { status, stderr } = await send(["--log-file", path(name), ...baseline]);
      const what =
        name === "codes.csv" ? "a file that the mapping looks things up in" : "the baseline";
      expect(stderr).toContain(`${path(name)} is ${what}; name another for the log.`);
      expect(status).toBe(2);
    }
    const { url } = await sandboxUnderTest();
    await send(["--base-url", url]);
    const argv = ["retry", path("people.results.csv"), "--log-file", path("codes.csv")];
    expect((await run(argv)).stderr).toContain(
      "is a file that the mapping looks things up in; name",
    );
    expect(await read("codes.csv")).toBe("Code\n0042\n");
  });

  it("may not be one of them under another name", async () => {
    const { import: send, path } = await situation();
    await symlink("people.csv", path("soft"));
    await link(path("people.csv"), path("hard"));
    await symlink(".", path("folder"));
    for (const name of ["soft", "hard", "folder/people.results.csv"]) {
      const { status, stderr } = await send([], { env: { EVENTLOAD_LOG_FILE: path(name) } });
      expect(stderr).toContain(`EVENTLOAD_LOG_FILE: ${path(name)} is the`);
      expect(status).toBe(2);
    }
  });

  it("may not be what a retry reads or writes", async () => {
    const { run, import: send, path } = await situation();
    const { url } = await sandboxUnderTest();
    await send(["--base-url", url]);
    for (const [name, what] of [
      ["people.results.csv", "the input"],
      ["people.yaml", "the mapping"],
      ["people.run.json", "the manifest of the earlier run"],
      ["people.retry-1.results.csv", "the results file"],
    ] as const) {
      const argv = ["retry", path("people.results.csv"), "--log-file", path(name)];
      const { status, stderr } = await run(argv);
      expect(stderr).toContain(`${path(name)} is ${what}; name another`);
      expect(status).toBe(2);
    }
  });
});
