import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { interruptibleHost } from "./fake-host.ts";
import { homeAndPath, startProgram } from "./running-program.ts";
import { situation } from "./situation.ts";

const command = ["--mapping", "people.yaml", "--base-url", "http://127.0.0.1:9"];
const hanging = ["import", "people.csv", ...command, "--token-command", "sleep 20"];
const firstAnswer = "Interrupt again to stop at once";

/** A program that has got far enough to be interrupted: it opens its log when it listens. */
async function started(args: readonly string[], token = "a-token") {
  const { folder, path } = await situation();
  await promisify(execFile)("mkfifo", [path("silent.csv")]);
  const program = startProgram([...args, "--log-file", "run.log"], {
    cwd: folder,
    env: { EVENTLOAD_TOKEN: token },
  });
  while (!existsSync(path("run.log"))) await sleep(10);
  return {
    ...program,
    async interrupt(signal: NodeJS.Signals) {
      program.child.kill(signal);
      await program.stderrHas(firstAnswer);
    },
  };
}

describe("an interrupt ends the process soon", () => {
  it("whatever it waits for", async () => {
    const situations = [
      [hanging, "", "SIGINT", ["130"]],
      [hanging, "", "SIGTERM", ["143"]],
      // A file that does not open may keep a process from leaving by itself, so that the signal has
      // to end it; a shell says 130 of either.
      [["import", "silent.csv", ...command], "a-token", "SIGINT", ["130", "SIGINT"]],
    ] as const;
    await Promise.all(
      situations.map(async ([args, token, signal, expected]) => {
        const { exited, interrupt } = await started(args, token);
        await interrupt(signal);
        const [status, endedBy] = await exited;
        expect(expected).toContain(`${status ?? endedBy}`);
      }),
    );
  });

  it.each([
    ["before a header", ""],
    ["after one", "Email,First Name,Code\n"],
  ])("idle standard input %s", async (_when, header) => {
    const { child, exited, interrupt } = await started(["import", "-", ...command]);
    child.stdin.write(header);
    await interrupt("SIGINT");
    child.kill("SIGINT");
    const [status, signal] = await exited;
    // As the second one may find the program gone, or just about to go.
    expect([130, null]).toContain(status);
    expect([null, "SIGINT"]).toContain(signal);
  });
});

it.each<[string, NodeJS.Signals[], NodeJS.Signals | null, number | null]>([
  ["a hang-up that is told again drains", ["SIGHUP", "SIGHUP", "SIGHUP"], null, 129],
  ["another interrupt after a hang-up kills", ["SIGHUP", "SIGTERM"], "SIGTERM", null],
  ["Ctrl-C twice kills", ["SIGINT", "SIGINT"], "SIGINT", null],
])("interrupts: %s", async (_, [first, ...others], killedBy, status) => {
  const { folder, path } = await situation();
  const slow = await sandboxUnderTest({ latencyMs: killedBy === null ? 500 : 60_000 });
  const to = ["--mapping", path("people.yaml"), "--base-url", slow.url];
  const program = startProgram(["import", path("people.csv"), ...to], { cwd: folder });
  while (slow.counts().requests < 1) await sleep(5);
  program.child.kill(first);
  await program.stderrHas(firstAnswer);
  for (const signal of others) program.child.kill(signal);
  expect(await program.exited).toEqual([status, killedBy]);
  expect(existsSync(path("people.results.csv.journal.1"))).toBe(true);
});

it("a check that is interrupted prints one object with --json, and leaves no file of problems", async () => {
  const { folder, path } = await situation();
  const before = readdirSync(folder);
  const argv = ["check", "-", "--mapping", path("people.yaml"), "--json"];
  const { host, interrupt, listening, stdout, stderr } = interruptibleHost([
    ...argv,
    ...["--problems", path("problems.csv")],
  ]);
  const ended = main(host);
  while (listening() === 0) await sleep(5);
  interrupt("SIGTERM");
  expect(await ended).toBe(143);
  expect(JSON.parse(stdout())).toMatchObject({ exit_reason: "interrupted" });
  expect(stderr()).toBe("Interrupted while checking; nothing was sent.\n");
  expect(readdirSync(folder)).toEqual(before);
  expect(listening()).toBe(0);
});

describe("standard output", () => {
  it("that is closed early ends nothing with a stack trace", async () => {
    const { folder, write } = await situation();
    const rows = Array.from({ length: 20_000 }, () => ",A,1").join("\n");
    await write("people.csv", `Email,First Name,Code\n${rows}\n`);
    const check = ["check", "people.csv", "--mapping", "people.yaml", "--json"];
    const { child, ended } = startProgram(check, { cwd: folder });
    child.stdout.once("data", () => child.stdout.destroy());
    const { status, stderr } = await ended;
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Row 1 becomes/);
    expect(stderr.split("\n").slice(1)).toEqual([
      "20,000 rows give 0 events, 20,000 rows invalid. Nothing was sent.",
      "",
    ]);
  });

  it("that is full is reported, and is neither a success nor a run to continue", async () => {
    const { folder } = await situation();
    const { url } = await sandboxUnderTest();
    const program = new URL("../../dist/cli/bin.js", import.meta.url).pathname;
    const line = `${process.execPath} ${program} import people.csv --mapping people.yaml --base-url ${url} --json --quiet >/dev/full`;
    const ended = promisify(execFile)("sh", ["-c", line], {
      cwd: folder,
      env: { ...homeAndPath(), EVENTLOAD_TOKEN: "a-token" },
    });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr:
        "eventload: standard output cannot be written: the disk is full; all else is done, and the files are complete.\n",
    });
  });
});
