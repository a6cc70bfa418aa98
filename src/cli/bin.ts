#!/usr/bin/env node
import { Console } from "node:console";
import { setFlagsFromString } from "node:v8";
import { systemClock } from "../model/clock.ts";
import { reasonOf } from "../model/errors.ts";
import { exitStatus, type InterruptSignal } from "./host.ts";

// V8 would let the heap grow to four times what is in use before it tidies up. Little more than twice is as fast,
// and spares some 20 MB.
setFlagsFromString("--heap-growing-percent=125");
const { main } = await import("./main.ts");
const { describeUncaught } = await import("./refuse.ts");

/** How often the exit looks for work that still runs; on a disk that answers, all is over by then. */
const maxLooks = 20;
const betweenLooksMs = 25;

let lostOutput: string | undefined;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that goes away, such as `| head`, has seen enough.
  if (error.code !== "EPIPE") lostOutput ??= reasonOf(error);
});
process.stderr.on("error", () => {}); // there is nowhere left to report it

// What a mapping's module prints would stand before the JSON object.
globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });

let onUncaught: ((thrown: unknown) => void) | undefined;
let isEnding = false;
let endAtOnce = (_: number) => {};
const ended = new Promise<number>((resolve) => {
  endAtOnce = resolve;
});
const tellUncaught = (thrown: unknown) => {
  onUncaught?.(thrown);
  if (onUncaught !== undefined || isEnding) return;
  isEnding = true;
  process.stderr.write(`eventload: ${describeUncaught(thrown)}\n`);
  endAtOnce(statusOfBroken());
};
process.on("uncaughtException", tellUncaught);
process.on("unhandledRejection", tellUncaught);

let isLeaving = false;
process.on("exit", () => {
  if (isLeaving) return;
  // Whatever a module gave to process.exit().
  process.exitCode = statusOfBroken();
  const more = onUncaught === undefined ? "" : " eventload status shows what is left to do.";
  process.stderr.write(
    `eventload: The process was ended before the command was over, as process.exit() in a mapping's module does.${more}\n`,
  );
});

/** Only a run can have sent something. */
function statusOfBroken(): number {
  return onUncaught === undefined ? exitStatus.couldNotStart : exitStatus.stopped;
}

const signals: readonly InterruptSignal[] = ["SIGHUP", "SIGINT", "SIGTERM"];

function onInterrupt(listener: (signal: InterruptSignal) => void): () => void {
  const stopListening = () => {
    for (const signal of signals) process.off(signal, first);
  };
  const first = (signal: InterruptSignal) => {
    // Without a listener, the next one ends the process. But a terminal that is closed sends SIGHUP more than once.
    stopListening();
    process.on("SIGHUP", () => {});
    listener(signal);
  };
  for (const signal of signals) process.on(signal, first);
  return stopListening;
}

const answer = main({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt,
  onUncaught(listener) {
    onUncaught = listener;
    return () => {
      onUncaught = undefined;
    };
  },
});
const status = await Promise.race([answer, ended]);

await new Promise((resolve) => process.stdout.write("", resolve));
const isFinished = status === exitStatus.ok || status === exitStatus.someNotSucceeded;
if (lostOutput !== undefined) {
  const rest = isFinished ? "; all else is done, and the files are complete" : "";
  process.stderr.write(`eventload: standard output cannot be written: ${lostOutput}${rest}.\n`);
}
// "Stopped" would have a run that is complete resumed, or begun anew.
await leaveProcess(lostOutput !== undefined && isFinished ? exitStatus.someNotSucceeded : status);

/** Ends the process, also where something is still running that nobody waits for any more. */
async function leaveProcess(status: number): Promise<never> {
  isLeaving = true;
  const signal = signals.find((name) => exitStatus[name] === status);
  // exit() waits for threads that wait for a disk or a name server, for ever if need be. A signal
  // does not, and a shell sees the same status of it. Windows has none, and its exit waits for nothing.
  if (signal !== undefined) process.removeAllListeners(signal);
  for (let look = 0; signal !== undefined && isHeldUp(); look++) {
    if (look === maxLooks && process.platform === "win32") break;
    if (look === maxLooks) process.kill(process.pid, signal);
    await new Promise<void>((resolve) => systemClock.schedule(betweenLooksMs, resolve));
  }
  process.exit(status);
}

function isHeldUp(): boolean {
  return process.getActiveResourcesInfo().some((kind) => /^FS|AddrInfo/.test(kind));
}
