import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Host } from "./host.ts";

/** What a process can see of how it was started; a test stands in for it. */
export interface Started {
  readonly env: Host["env"];
  readonly ppid: number;
  /** Text of a file below /proc; throws where there is none. */
  read(path: string): string;
  readLink(path: string): string;
}

const hangupBit = 1n;
const accessMode = 0o3;
const writeOnly = 0o1;

/**
 * Whether hang-ups were to be ignored, as with `nohup`. Node sets all signals back to what they usually
 * do as it starts, so that cannot be asked of the system: it has to be told from the traces.
 */
export function isUnderNohup({ env, ppid, read, readLink }: Started): boolean {
  const traces = [
    // Bash and zsh say what they started.
    () => basename(env._ ?? "") === "nohup",
    // In place of a terminal, nohup gives an input that cannot be read.
    () =>
      readLink("/proc/self/fd/0") === "/dev/null" &&
      (Number.parseInt(fieldOf(read("/proc/self/fdinfo/0"), "flags"), 8) & accessMode) ===
        writeOnly,
    // A script that nohup runs ignores them itself.
    () => (BigInt(`0x${fieldOf(read(`/proc/${ppid}/status`), "SigIgn")}`) & hangupBit) !== 0n,
  ];
  return traces.some((isThere) => {
    try {
      return isThere();
    } catch {
      return false; // not on this system
    }
  });
}

function fieldOf(text: string, name: string): string {
  return new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(text)?.[1] ?? "";
}

/** The traces of this process. */
export function startedAs({ env, ppid }: Pick<NodeJS.Process, "env" | "ppid">): Started {
  return { env, ppid, read: (path) => readFileSync(path, "utf8"), readLink: readlinkSync };
}
