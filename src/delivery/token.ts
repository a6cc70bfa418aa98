import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import type { StopSwitch } from "../domain/stop.ts";
import { createRedact, type Redact } from "./redact.ts";

/** Where the access token comes from; it is never an argument. */
export type TokenSource =
  | { readonly kind: "value"; readonly value: string; readonly from: string }
  | { readonly kind: "file"; readonly path: string }
  /** Run by the system's shell; what it prints is the token. */
  | { readonly kind: "command"; readonly command: string };

export interface Token {
  /** The value of the `Authorization` header (RFC 6750, section 2.1). */
  readonly authorization: string;
  /** Takes the token out of a text that may repeat it, such as a service's error. */
  readonly redact: Redact;
}

export const tokenMask = "********";

/**
 * Gets the token.
 *
 * @param stop ends a command that is still at work
 * @throws CannotStartError where there is none, or it cannot stand in a header
 */
export async function readToken(
  source: TokenSource,
  stop?: Pick<StopSwitch, "reason" | "onStop">,
): Promise<Token> {
  switch (source.kind) {
    case "value":
      return toToken(source.value, source.from);
    case "file": {
      const text = await readFile(source.path, "utf8").catch((error: unknown) => {
        throw cannotStart("token_unavailable", source.path, reasonOf(error));
      });
      return toToken(text, source.path);
    }
    case "command":
      return toToken(await runCommand(source.command, stop), "the token command");
  }
}

function toToken(text: string, from: string): Token {
  const value = text.trim();
  if (value === "") throw cannotStart("token_invalid", from, "it is blank");
  if (/[\r\n]/.test(value)) {
    throw cannotStart("token_invalid", from, "it has more than one line");
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw cannotStart("token_invalid", from, "it has a space or a character outside of ASCII");
  }
  return { authorization: `Bearer ${value}`, redact: createRedact(value, tokenMask) };
}

/** What the command prints. Its error output goes nowhere: it might repeat a secret. */
async function runCommand(
  command: string,
  stop?: Pick<StopSwitch, "reason" | "onStop">,
): Promise<string> {
  const unavailable = (how: string) => cannotStart("token_unavailable", "the token command", how);
  if (stop?.reason !== undefined) throw unavailable("the run was interrupted before it began");
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "ignore"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    const forget = stop?.onStop(() => {
      child.kill("SIGTERM");
      // The command may ignore that, or what it has started may hold on to the pipe: neither is
      // waited for.
      child.unref();
      child.stdout.destroy();
      reject(unavailable("it was interrupted before it had ended"));
    });
    child.on("error", (error) => reject(unavailable(reasonOf(error))));
    child.on("close", (status, signal) => {
      forget?.();
      if (status === 0) return resolve(Buffer.concat(output).toString("utf8"));
      const how = status === null ? `it was ended by ${signal}` : `it ended with status ${status}`;
      reject(unavailable(how));
    });
  });
}
