import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type CommandLine, wordsOf } from "./fake-host.ts";

const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));

/** What a program needs of the environment: its key is in the home folder. */
export function homeAndPath(): Record<string, string | undefined> {
  const { HOME, PATH } = process.env;
  return { HOME, PATH };
}

/** Starts the built program with a standard input that stays open. */
export function startProgram(line: CommandLine, cwd: string, token = "a-token") {
  const child = spawn(process.execPath, [program, ...wordsOf(line)], {
    cwd,
    env: { ...homeAndPath(), ...(token === "" ? {} : { EVENTLOAD_TOKEN: token }) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {}); // a program that has ended reads no more
  const exited = once(child, "exit") as Promise<[status: number | null, signal: string | null]>;
  return {
    child,
    stderr: () => stderr,
    /** Not "close": what it started may hold its pipes for longer. */
    exited,
    async stderrHas(text: string) {
      while (!stderr.includes(text)) {
        await Promise.race([once(child.stderr, "data"), exited]);
        if (child.exitCode !== null || child.signalCode !== null) break;
      }
    },
  };
}
