import { PassThrough, Readable, Writable } from "node:stream";
import type { Host, InterruptSignal } from "../../src/cli/host.ts";
import { main } from "../../src/cli/main.ts";
import { expectPublished } from "./published-schemas.ts";

/** What a run of the program in this process printed, and its exit status. */
export interface Answer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
}

/** A command line: its words with spaces between, or one by one where a word has a space. */
export type CommandLine = string | readonly string[];

export function wordsOf(line: CommandLine): readonly string[] {
  return typeof line === "string" ? line.split(/\s+/).filter((word) => word !== "") : line;
}

/** Runs the program in this process, with a folder of its own as its working directory. */
export async function eventload(
  line: CommandLine,
  { env = {}, cwd = "/nowhere", stdin = "" }: Surroundings = {},
): Promise<Answer> {
  const stdout = collector();
  const stderr = collector();
  const status = await main({
    argv: wordsOf(line),
    env: { EVENTLOAD_TOKEN: "a-token", ...env },
    cwd,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    onInterrupt: () => () => {},
    onUncaught: () => () => {},
  });
  expectPublished(wordsOf(line), stdout.text());
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

export function collector(): { readonly stream: Writable; text(): string } {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}

/** A host whose standard input stays silent, and whose interrupts a test sends. */
export function interruptibleHost(line: CommandLine) {
  const listeners = new Set<(signal: InterruptSignal) => void>();
  const stdout = collector();
  const stderr = collector();
  const host: Host = {
    argv: wordsOf(line),
    env: { EVENTLOAD_TOKEN: "a-token" },
    cwd: "/nowhere",
    stdin: new PassThrough(),
    stdout: stdout.stream,
    stderr: stderr.stream,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onUncaught: () => () => {},
  };
  return {
    host,
    stdout: stdout.text,
    stderr: stderr.text,
    interrupt(signal: InterruptSignal) {
      for (const listener of listeners) listener(signal);
    },
    listening: () => listeners.size,
  };
}
