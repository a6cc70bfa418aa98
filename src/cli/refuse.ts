import { CannotStartError, cannotStart, DiskError, describeThrown } from "../model/errors.ts";
import { inSnakeCase } from "../model/escape-text.ts";
import { tellCommand } from "../model/typed-command.ts";
import { exitStatus, type Host } from "./host.ts";
import type { Arguments } from "./options/arguments.ts";
import { say, writeLine } from "./terminal/lines.ts";

export interface CommandRefusal {
  readonly code: string;
  readonly message: string;
  readonly details: readonly string[];
  readonly status: number;
}

/**
 * Says why a command ended without a summary, and returns the exit status.
 *
 * @param json what standard output must hold anyway
 */
export function refuse(
  refusal: CommandRefusal,
  host: Pick<Host, "stdout" | "stderr" | "env">,
  json?: Record<string, unknown>,
): number {
  const { stdout, stderr } = host;
  const { code, message, details, status } = refusal;
  say(host, `eventload: ${message}`);
  for (const detail of details) {
    const [first = "", ...more] = detail.split("\n");
    say(host, `  ${first}`);
    for (const line of more) writeLine(stderr, `    ${line}`); // an excerpt stays as it is
  }
  if (code === "usage") say(host, "See eventload --help, or --help after a command.");
  if (json !== undefined) writeLine(stdout, JSON.stringify(json));
  return status;
}

/** With the command that reads a file in the encoding that it seems to have. Not every command would have sent anything. */
export function withCommand(
  refusal: CommandRefusal,
  argv: readonly string[],
  sends: boolean,
): CommandRefusal {
  if (refusal.code !== "input_damaged") return refusal;
  const [, encoding] = /read right: ([\w-]+) \(/.exec(refusal.message) ?? [];
  const words = ["eventload", ...argv, "--encoding", encoding ?? ""];
  return {
    ...refusal,
    message: sends ? refusal.message : refusal.message.replace(/ Nothing was sent\.$/, ""),
    details:
      encoding === undefined ? [] : [`If ${encoding} is right, run: ${tellCommand(...words)}`],
  };
}

export function refusalJson({ code, message, details }: CommandRefusal): Record<string, unknown> {
  // A program needs no picture of the place.
  const lines = details.map((detail) => detail.split("\n", 1)[0]);
  return { exit_reason: code, message, ...(lines.length === 0 ? {} : { details: lines }) };
}

/** @param args those of the command, if they could be read: an option is called by the place where it was given */
export function refusalOf(error: unknown, args?: Arguments): CommandRefusal {
  if (error instanceof CannotStartError) {
    const { code, details } = error;
    const [option, why] = code === "option_invalid" ? error.args.map(String) : [];
    const flag = inSnakeCase(option?.replace(/^--/, "") ?? "").replaceAll("_", "-");
    const place = args?.given(flag)?.place;
    const named = place && why && cannotStart("option_invalid", place, why).message;
    return { code, message: named ?? error.message, details, status: exitStatus.couldNotStart };
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
  return `Something failed that nothing waits for: ${describeThrown(thrown)}. A mapping's module can have neither asynchronous functions nor timers; without one it is a bug in eventload, please report it.`;
}
