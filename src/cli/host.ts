import type { Readable, Writable } from "node:stream";
import { shells } from "../model/disk/platform.ts";

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type InputStream = Readable & { readonly isTTY?: boolean };

/** What the program knows of the process around it, so that a test can stand in for one. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /**
   * Calls back for the first interrupt or termination; the second one ends the process, as a kill would. The
   * result calls it off.
   */
  onInterrupt(listener: (signal: InterruptSignal) => void): () => void;
  /**
   * Calls back for what is thrown where nobody can catch it, as by a timer or a promise of a mapping's
   * module; the result calls it off.
   */
  onUncaught(listener: (thrown: unknown) => void): () => void;
}

const ourCommand =
  /(?<!npx |[^ (])eventload (?=(?:init|map|check|import|retry|resume|merge|status|report|export|sandbox|schema|--help)\b)/g;
/** A word of a command that is quoted, as the name of a file may look like a command. */
const quotedWord = shells === "windows" ? /((?<= )"[^"]*")/ : /((?<= )'[^']*')/;

/** A text whose commands can be typed as the program was started: `npx eventload` if it was by npx. */
export function asTyped(text: string, host: Pick<Host, "env">): string {
  if (!isByNpx(host)) return text;
  const pieces = text.split(quotedWord);
  return pieces
    .map((piece, at) => (at % 2 === 0 ? piece.replaceAll(ourCommand, "npx $&") : piece))
    .join("");
}

export function isByNpx({ env }: Pick<Host, "env">): boolean {
  return env.npm_lifecycle_event === "npx";
}

/** The first interrupt, for a command that ends with it. */
export function firstInterrupt(host: Pick<Host, "onInterrupt">) {
  let stopListening = () => {};
  const interrupted = new Promise<InterruptSignal>((resolve) => {
    stopListening = host.onInterrupt(resolve);
  });
  return { interrupted, stopListening };
}

export type InterruptSignal = "SIGHUP" | "SIGINT" | "SIGTERM";

/** Exit statuses, as the README lists them. */
export const exitStatus = {
  ok: 0,
  someNotSucceeded: 1,
  couldNotStart: 2,
  stopped: 3,
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
} as const;
