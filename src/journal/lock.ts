import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { platform } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { systemClock } from "../model/clock.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { isWindows, usualStateFolder } from "../model/disk/platform.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";

/** The right to write the results of one name. It ends with the process, however that ends. */
export interface Lock {
  /** @param warn called if something of it is left behind, which holds nobody back */
  release(warn?: (message: string) => void): Promise<void>;
}

/**
 * Takes the lock on a file of a run, which need not exist; undefined if another process holds it.
 *
 * It is a listening socket in the folder of the file: every path to the folder, through a link, a bind
 * mount or a container's volume, leads to the socket. The system closes the socket of a process that is
 * dead, but not of one that is suspended; a lock file could do only one of the two. On Windows, a file can do both.
 *
 * @param elsewhere where the socket goes if the folder takes none, as on some network file systems
 * @throws CannotStartError if there is no such folder, or it cannot be written
 */
export async function acquireLock(path: string, elsewhere?: string): Promise<Lock | undefined> {
  const folder = dirname(resolve(path));
  const name = basename(path);
  try {
    if (isWindows) return await lockByFile(path);
    const { dev, ino } = await stat(folder, { bigint: true });
    const everywhere = `${dev}:${ino}/${name}`;
    const inFolder = await lockIn(folder, name);
    if (inFolder !== "no sockets") return inFolder === "held" ? undefined : inFolder;
    const own = elsewhere ?? usualStateFolder();
    await mkdir(own, { recursive: true, mode: 0o700 });
    const outside = await lockIn(own, everywhere);
    if (outside === "no sockets") throw new Error(`neither its folder nor ${own} takes a lock`);
    return outside === "held" ? undefined : outside;
  } catch (error) {
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

/** Whether a process of this machine holds the lock on a file. */
export async function isLocked(path: string): Promise<boolean> {
  if (isWindows) return isFileLocked(path);
  const folder = dirname(resolve(path));
  const names = await socketsIn(folder, basename(path)).catch(() => []);
  for (const name of names) if (await answers(join(folder, name))) return true;
  return false;
}

/** The home folder would not help against these. */
const faults = ["EACCES", "EDQUOT", "EMFILE", "ENFILE", "ENOENT", "ENOSPC", "EROFS"];

/** How often to check who else wants the lock; each check takes a moment, and two or three are enough. */
const maxRounds = 500;
/** Nobody executes a socket, so its mode can say whether its process wants the lock or has it. */
const wanted = 0o666;
const taken = 0o777;

/**
 * Every process has a socket with a name of its own, which is never used again: a socket that does not answer can be
 * removed, as it cannot belong to another process by now. A process that has made its socket and sees no other has the
 * lock. Of processes that see one another, the first by name continues, and the others give up.
 */
async function lockIn(folder: string, key: string): Promise<Lock | "held" | "no sockets"> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  // The address of a socket must be short, however long the path of the folder is.
  const base = platform() === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
  const own = `${prefixOf(key)}${randomBytes(6).toString("hex")}.lock`;
  const path = join(base, own);
  const server = createServer((socket) => socket.on("error", () => {}).end());
  const release: Lock["release"] = async (warn) => {
    await nodeDisk.remove(path).catch((error: unknown) => {
      warn?.(
        `The lock ${own} cannot be removed (${reasonOf(error)}). It no longer has any effect.`,
      );
    });
    await new Promise((done) => server.close(done));
    await handle.close().catch(() => {});
  };
  try {
    // Under another name until it listens, because a socket that does not answer looks dead.
    if (!(await listen(server, `${path}.new`))) return await leave("no sockets");
    await chmod(`${path}.new`, wanted);
    await rename(`${path}.new`, path);
    if (!(await answers(path))) return await leave("no sockets");
    const [{ uid: ownUid }, { uid: ownerUid }] = await Promise.all([lstat(path), handle.stat()]);
    // These users can do anything with the files of the run anyway. Anybody else who may write to the folder could
    // only block the run.
    const counted = [0, ownUid, ownerUid];
    for (let round = 0; round < maxRounds; round++) {
      const others = await othersIn(base, key, own, counted);
      if (others.length === 0) {
        await chmod(path, taken);
        return { release };
      }
      if (others.some(({ name, isTaken }) => isTaken || name < own)) break;
    }
    return await leave("held");
  } catch (error) {
    await release();
    throw error;
  }

  async function leave<Why>(why: Why): Promise<Why> {
    await release();
    return why;
  }
}

function prefixOf(key: string): string {
  const digest = createHash("sha256").update(key).digest("hex");
  return `.eventload-${digest.slice(0, 12)}-`;
}

/** The names of the sockets of all processes that want the lock, have it, or had it when they were killed. */
async function socketsIn(folder: string, key: string): Promise<string[]> {
  const prefix = prefixOf(key);
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(prefix) && name.endsWith(".lock"));
}

/** The other processes that want the lock or have it. Removes the sockets of dead processes. */
async function othersIn(base: string, key: string, own: string, counted: readonly number[]) {
  const names = (await socketsIn(base, key)).filter((name) => name !== own);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(base, name);
      const about = await lstat(path).catch(() => undefined);
      if (about === undefined || !counted.includes(about.uid)) return [];
      if (await answers(path)) return [{ name, isTaken: (about.mode & 0o777) !== wanted }];
      await nodeDisk.remove(path).catch(() => {});
      return [];
    }),
  );
  return found.flat();
}

/** @returns whether it listens: not if the folder takes no sockets */
async function listen(server: Server, address: string): Promise<boolean> {
  server.listen(address);
  try {
    await once(server, "listening");
    server.unref();
    return true;
  } catch (error) {
    if (faults.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}

/** Whether a process listens there, even if it is suspended or busy. */
async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    return !nobody.includes((error as NodeJS.ErrnoException).code ?? "");
  } finally {
    socket.destroy();
  }
}

const nobody = ["ECONNREFUSED", "ENOENT", "ENOTSOCK", "ENOTSUP", "EOPNOTSUPP"];

/** Of libuv, for Windows: share the file with nobody, and delete it on close, as the end of its process does, too. */
const [exclusive, temporary] = [0x1000_0000, 0x40];
/** By then, another process that has just released the lock, or only looks, is gone. */
const maxTries = 5;
const lockAgainMs = 20;

/** On Windows the lock is a file beside that of the run, which nobody else can open. */
async function lockByFile(path: string): Promise<Lock | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | exclusive | temporary;
  for (let triesLeft = maxTries; ; triesLeft--) {
    try {
      const handle = await open(`${path}.lock`, flags);
      return { release: () => handle.close() };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EBUSY" && triesLeft === 0) return undefined;
      // A file that is being deleted cannot be opened either, and the error is that of a folder without rights.
      if ((code !== "EBUSY" && code !== "EPERM") || triesLeft === 0) throw error;
    }
    await new Promise<void>((done) => void systemClock.schedule(lockAgainMs, done));
  }
}

async function isFileLocked(path: string): Promise<boolean> {
  const handle = await open(`${path}.lock`).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof handle === "object") await handle.close();
  return handle === "EBUSY";
}
