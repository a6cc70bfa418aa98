import { callsOf, describeThrown } from "../model/describe-thrown.ts";
import { CannotStartError, DiskError } from "../model/errors.ts";
import { noFigures } from "../run/options/run-events.ts";
import { asTyped, exitStatus, type Host } from "./host.ts";
import { wrapWords, writeLine } from "./terminal/lines.ts";
import { wholeSummaryJson } from "./terminal/summary-json.ts";

type Streams = Pick<Host, "stdout" | "stderr" | "env">;

/**
 * Says why a command ended without a summary, and returns the exit status.
 *
 * @param json whether standard output must hold a JSON object anyway
 */
export function refuse(error: unknown, host: Streams, json: boolean): number {
  const { stdout, stderr } = host;
  const { code, message, details, status } = explain(error);
  sayTo(stderr, asTyped(message, host));
  for (const detail of details) {
    const [first = "", ...more] = asTyped(detail, host).split("\n");
    for (const line of [`  ${first}`, ...more.map((text) => `    ${text}`)])
      writeLine(stderr, line);
  }
  if (json) writeLine(stdout, JSON.stringify(refusalJson(code, message, details)));
  return status;
}

/** The same for a command line that cannot be parsed. */
export function refuseUsage(message: string, host: Streams, json: boolean): number {
  const { stdout, stderr } = host;
  sayTo(stderr, asTyped(message, host));
  stderr.write(asTyped("See eventload --help, or --help after a command.\n", host));
  if (json) writeLine(stdout, JSON.stringify(refusalJson("usage", message)));
  return exitStatus.couldNotStart;
}

function sayTo(stderr: Host["stderr"], message: string): void {
  for (const line of wrapWords(`eventload: ${message}`, stderr.columns)) writeLine(stderr, line);
}

/** The summary of a run that never began. */
export function refusalJson(
  code: string,
  message: string,
  details: readonly string[] = [],
): Record<string, unknown> {
  const nothing = wholeSummaryJson({
    exitReason: "complete",
    delivery: "at-least-once",
    ...noFigures(),
    elapsedMs: 0,
  });
  return {
    ...nothing,
    exit_reason: code,
    message,
    // A program needs no picture of the place.
    ...(details.length === 0 ? {} : { details: details.map((detail) => detail.split("\n", 1)[0]) }),
  };
}

/** Why a command ended without a summary: for a person, a program and a shell. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: readonly string[];
  readonly status: number;
}

export function explain(error: unknown): Refusal {
  if (error instanceof CannotStartError) {
    const { code, message, details } = error;
    return { code, message, details, status: exitStatus.couldNotStart };
  }
  // What was sent before is recorded, so this is a run that stopped, not one with bad rows.
  const status = exitStatus.stopped;
  if (error instanceof DiskError)
    return { code: "disk", message: error.message, details: [], status };
  const [message, ...stack] = String(error instanceof Error ? error.stack : error).split("\n");
  return {
    code: "bug",
    message: `This is a bug in eventload, please report it: ${message}`,
    details: stack.map((line) => line.trim()),
    status,
  };
}

/** Describes an error that nothing caught, and what to do: one sentence for a person. */
export function describeUncaught(thrown: unknown): string {
  const what = describeThrown(thrown);
  const file = moduleOf(thrown);
  return file === undefined
    ? `Something failed that nothing waits for: ${what} (an asynchronous function or a timer of a mapping that is a module; without one it is a bug in eventload, please report it).`
    : `${file} failed where nothing waits for it, in an asynchronous function or a timer, which a mapping cannot have: ${what}.`;
}

/** The mapping module that threw it, under the name of its import, if its stack tells. */
function moduleOf(thrown: unknown): string | undefined {
  try {
    return /([^/\\\s(]{1,255}\.mjs)\?sha256=/.exec(callsOf(thrown as Error))?.[1];
  } catch {
    return undefined;
  }
}
