import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type Answer, type CommandLine, type Surroundings, wordsOf } from "./fake-host.ts";
import { expectPublished } from "./published-schemas.ts";

const builtProgram = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));

export interface RunOptions extends Surroundings {
  /** Another script than the built program. */
  readonly program?: string;
  /** Options of Node. */
  readonly node?: readonly string[];
  /** Files may have this many blocks of 512 bytes at most. */
  readonly fileBlocks?: number;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** What started it may hold its pipes for longer than it runs. */
  readonly exited: Promise<[status: number | null, signal: string | null]>;
  /** All it printed, once its pipes are closed. */
  readonly ended: Promise<Ended>;
  /** Resolves when standard error holds a text. */
  stderrHas(text: string): Promise<void>;
}

export type Ended = Omit<Answer, "status"> & { readonly status: number | null };

/** What a program needs of the environment: its key is in the home folder. */
export function homeAndPath(): Record<string, string | undefined> {
  const { HOME, PATH } = process.env;
  return { HOME, PATH };
}

/** Starts the built program, and kills it when the test is over. Without `stdin`, its input stays open. */
export function startProgram(line: CommandLine, options: RunOptions): Running {
  const { cwd, env, stdin, program = builtProgram, node: nodeOptions = [], fileBlocks } = options;
  const node = [process.execPath, ...nodeOptions, program, ...wordsOf(line)];
  const limited = `ulimit -f ${fileBlocks}; trap '' XFSZ; exec "$@"`;
  const [command = "", ...rest] =
    fileBlocks === undefined ? node : ["sh", "-c", limited, "sh", ...node];
  const child = spawn(command, rest, {
    cwd,
    env: { ...homeAndPath(), EVENTLOAD_TOKEN: "a-token", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {}); // a program that has ended reads no more
  if (stdin !== undefined) child.stdin.end(stdin);
  let isClosed = false;
  const ended = once(child, "close").then(([status]) => {
    isClosed = true;
    if (child.stdout.readableEnded) expectPublished(wordsOf(line), stdout);
    return { status, stdout, stderr };
  });
  return {
    child,
    exited: once(child, "exit") as Running["exited"],
    ended,
    async stderrHas(text) {
      while (!stderr.includes(text)) {
        if (isClosed) throw new Error(`ended without "${text}": ${stderr}`);
        await Promise.race([once(child.stderr, "data"), ended]);
      }
    },
  };
}
