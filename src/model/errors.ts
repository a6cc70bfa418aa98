import { oneLine } from "./escape-text.ts";
import { refusals } from "./refusals.ts";
import { cutTo, quote } from "./row.ts";
import type { StopReason } from "./stop.ts";

/**
 * The run could not start: it sent nothing and wrote nothing. The message says what is wrong, where,
 * and what to do. The command line exits with status 2.
 */
export class CannotStartError extends Error {
  override readonly name = "CannotStartError";
  readonly code: CannotStartCode;
  /** Further problems, such as each one of a mapping file: one line each, or more if they show the place. */
  readonly details: readonly string[];
  /** What the sentence of its code was made of, if it has no other message. */
  readonly args: readonly unknown[];

  constructor(
    code: CannotStartCode,
    message: string,
    details: readonly string[] = [],
    args: readonly unknown[] = [],
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.args = args;
  }
}

/** The input cannot be parsed from here on. All rows before this were read. */
export class InputDamagedError extends Error {
  override readonly name = "InputDamagedError";
  /** The physical line of the damage, from 1. */
  readonly line: number;
  /** The damaged file, if there are several inputs. */
  file?: string;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

export class DiskError extends Error {
  override readonly name: string = "DiskError";
}

/** Somebody moved, changed or replaced a file of the run. */
export class ChangedFileError extends DiskError {
  override readonly name = "ChangedFileError";
}

export function stopForDisk(error: unknown): StopReason {
  const code = error instanceof ChangedFileError ? "files_changed" : "disk";
  return { code, message: reasonOf(error) };
}

export type CannotStartCode = keyof typeof refusals;

export function cannotStart<Code extends CannotStartCode>(
  code: Code,
  ...args: Parameters<(typeof refusals)[Code]>
): CannotStartError {
  const sentence = refusals[code] as (...values: unknown[]) => string;
  return new CannotStartError(code, sentence(...args), [], args);
}

/** For `catch`: says that a file cannot be written, unless a refusal was thrown already. */
export function refuseWrite(path: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "another program has it open",
  EDQUOT: "your quota on this disk is used up",
  EFBIG: "the file would become larger than is allowed",
  EISDIR: "it is a directory",
  ELOOP: "it is a link, and has to be the file itself",
  EMLINK: "the file system allows no more links there",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is a file, not a folder",
  EPERM: "not permitted, as where it belongs to another user or is protected",
  EROFS: "the file system is read-only",
};

/** Says why an operation on a file failed, without the path and code that Node adds. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message;
}

const longest = 500;

/** What a user's function threw, and where. It may be any value, even one that throws when it is converted to text. */
export function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return quote(String(thrown));
    return oneLine(cutTo(longest, `${thrown.name}: ${thrown.message}`)) + placeInModule(thrown);
  } catch {
    return "it threw something that cannot be shown as text";
  }
}

/** The place in the stack, without the message before it, which may be a cell of any length. */
function placeInModule({ name, message, stack = "" }: Error): string {
  const said = `${name}: ${message}`;
  const calls = stack.startsWith(said) ? stack.slice(said.length) : stack;
  const [, file, line, column] =
    /([^/\\?\s(]{1,255}\.mjs)(?:\?[^:)]{0,255})?:(\d+):(\d+)/.exec(calls) ?? [];
  return file === undefined ? "" : ` (${file}:${line}:${column})`;
}
