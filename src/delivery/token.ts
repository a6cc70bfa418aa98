import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cannotStart, reasonOf } from "../domain/errors.ts";

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
  redact(text: string): string;
}

export const tokenMask = "********";

/**
 * Gets the token.
 *
 * @throws CannotStartError where there is none, or it cannot stand in a header
 */
export async function readToken(source: TokenSource): Promise<Token> {
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
      return toToken(await runCommand(source.command), "the token command");
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
  const pattern = new RegExp([...value].map(anyForm).join(""), "g");
  return {
    authorization: `Bearer ${value}`,
    redact: (other) => other.replace(pattern, tokenMask),
  };
}

/** A pattern for a character as it is, or as JSON, a URL or HTML may have escaped it. */
function anyForm(character: string): string {
  if (/[\w-]/.test(character)) return character;
  const decimal = character.charCodeAt(0);
  const hex = decimal.toString(16);
  const eitherCase = hex.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = entityNames[character];
  const forms = [
    `\\\\u00${eitherCase}`,
    `%${eitherCase}`,
    `&#0*${decimal};`,
    `&#[xX]0*${eitherCase};`,
    ...(name === undefined ? [] : [`&${name};`]),
    // The last, as some of the others begin with it.
    `\\\\?\\x${hex}`,
  ];
  return `(?:${forms.join("|")})`;
}

const entityNames: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** What the command prints. Its error output goes nowhere: it might repeat a secret. */
function runCommand(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "ignore"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("error", (error) => {
      reject(cannotStart("token_unavailable", "the token command", reasonOf(error)));
    });
    child.on("close", (status, signal) => {
      if (status === 0) return resolve(Buffer.concat(output).toString("utf8"));
      const how = status === null ? `it was ended by ${signal}` : `it ended with status ${status}`;
      reject(cannotStart("token_unavailable", "the token command", how));
    });
  });
}
