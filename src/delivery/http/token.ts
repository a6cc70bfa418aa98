import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { type Clock, systemClock } from "../../model/clock.ts";
import { hasModes, shells } from "../../model/disk/platform.ts";
import { isMountedReadOnly, thisUser } from "../../model/disk/refuse-foreign.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { onAbort, type StopSignal } from "../../model/stop.ts";
import type { TokenSource } from "../../model/token-source.ts";
import { fileWord, tellCommand } from "../../model/typed-command.ts";
import { createRedact, type Redact } from "./redact.ts";

export interface Token {
  /** The value of the `Authorization` header (RFC 6750, section 2.1). */
  readonly authorization: string;
  /** Takes the token out of a text that may repeat it, such as an error of the service. */
  readonly redact: Redact;
}

export interface TokenPorts {
  /** Called with a file that others can read. */
  readonly warn?: (message: string) => void;
  readonly clock?: Pick<Clock, "schedule">;
}

/**
 * @param stop ends a token command that is still running
 * @throws CannotStartError if there is none, or it is not valid in a header
 */
export async function readToken(
  source: TokenSource,
  stop?: StopSignal,
  { warn = () => {}, clock = systemClock }: TokenPorts = {},
): Promise<Token> {
  switch (source.kind) {
    case "value":
      return toToken(source.value, source.from);
    case "file": {
      const text = await readTokenFile(source.path, warn).catch((error: unknown) => {
        throw cannotStart("token_unavailable", source.path, reasonOf(error));
      });
      return toToken(text, source.path);
    }
    case "command":
      return toToken(await runTokenCommand(source, stop, clock), "the token command");
  }
}

function toToken(text: string, from: string): Token {
  const value = text.trim();
  if (value === "") throw cannotStart("token_invalid", from, "it is blank");
  if (/[\r\n]/.test(value)) {
    throw cannotStart("token_invalid", from, "it has more than one line");
  }
  if (/^bearer\s/i.test(value)) {
    throw cannotStart("token_invalid", from, 'it begins with "Bearer": leave that out');
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw cannotStart("token_invalid", from, "it has a space or a character outside of ASCII");
  }
  return { authorization: `Bearer ${value}`, redact: createRedact(value) };
}

async function readTokenFile(path: string, warn: (message: string) => void): Promise<string> {
  const file = await open(path);
  try {
    const about = await file.stat();
    // Nobody else can open what is no file (a pipe of the shell).
    if (hasModes && about.isFile() && (about.mode & groupOrOthersRead) !== 0) {
      // Its user owns it or is root, and it can be written at all.
      const isOurs = !(await isMountedReadOnly(path)) && [0, about.uid].includes(await thisUser());
      const mode = (about.mode & 0o777).toString(8).padStart(3, "0");
      const fix = isOurs
        ? `run ${tellCommand("chmod", "600", fileWord(path))}`
        : "whoever mounts or owns it can change that";
      // A group is how somebody else lets this process, and nobody but it, read the file.
      if (isOurs || (about.mode & othersRead) !== 0)
        warn(`Others can read the token in ${path} (mode ${mode}): ${fix}`);
    }
    const bytes = await file.readFile();
    // PowerShell writes so.
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
    return bytes.toString(isUtf16 ? "utf16le" : "utf8");
  } finally {
    await file.close();
  }
}

const groupOrOthersRead = 0o044;
const othersRead = 0o004;

const maxCommandMs = 60_000;
const maxOutputBytes = 64 * 1024;

/** What the command prints. Its error output goes nowhere: it might repeat a secret. */
async function runTokenCommand(
  { command, folder, env }: Extract<TokenSource, { kind: "command" }>,
  stop: StopSignal | undefined,
  clock: Pick<Clock, "schedule">,
): Promise<string> {
  const unavailable = (how: string) => cannotStart("token_unavailable", "the token command", how);
  if (stop?.aborted === true) throw unavailable("the run was interrupted before it began");
  const isList = typeof command !== "string";
  const [program = "", ...args] = isList ? command : [command];
  if (program.trim() === "") throw unavailable("it is blank");
  return new Promise<string>((resolve, reject) => {
    const child = spawn(program, args, {
      shell: !isList,
      stdio: ["ignore", "pipe", "ignore"],
      ...(folder === undefined ? {} : { cwd: folder }),
      ...(env === undefined ? {} : { env }),
    });
    const output: Buffer[] = [];
    let bytes = 0;
    const settled = () => {
      cancel();
      forget?.();
    };
    const giveUp = (how: string) => {
      settled();
      child.kill("SIGTERM");
      // The command may ignore that, or a child of it may keep the pipe open: the run waits for neither.
      child.unref();
      child.stdout.destroy();
      reject(unavailable(how));
    };
    const cancel = clock.schedule(maxCommandMs, () =>
      giveUp(`it did not end within ${maxCommandMs / 1000} s`),
    );
    const forget = stop && onAbort(stop, () => giveUp("it was interrupted before it had ended"));
    child.stdout.on("data", (chunk: Buffer) => {
      output.push(chunk);
      bytes += chunk.length;
      if (bytes > maxOutputBytes) giveUp("it prints more than a token");
    });
    child.on("error", (error) => {
      settled();
      reject(unavailable(whyNotRun(error)));
    });
    child.on("close", (status, signal) => {
      settled();
      if (status === 0) return resolve(Buffer.concat(output).toString("utf8"));
      const how = status === null ? `it was ended by ${signal}` : `it ended with status ${status}`;
      reject(unavailable(how));
    });
  }).catch((error: unknown) => {
    // Some errors of starting a program are thrown at once.
    throw error instanceof CannotStartError ? error : unavailable(whyNotRun(error as Error));
  });
}

/** Node's message repeats the arguments, which may hold a secret. */
function whyNotRun(error: NodeJS.ErrnoException): string {
  // What npm and others install on Windows is a .cmd, which a list does not find, or does not start.
  if (error.code === "EINVAL" || (error.code === "ENOENT" && shells === "windows")) {
    return "there is no such .exe; if it is a .cmd, give the command as one text, not as a list";
  }
  if (error.code === "ENOENT") return "there is no such program";
  return error.code === "EACCES"
    ? reasonOf(error)
    : `it cannot be run (${error.code ?? error.name})`;
}
