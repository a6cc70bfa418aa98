import { createHash } from "node:crypto";
import { once } from "node:events";
import { realpath, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { platform, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** The right to write the results of one name. It ends with the process, however that ends. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock on a file of a run, whether it is there or not; nothing where another process of this machine holds it.
 *
 * It is a listening socket: the system takes it away from a process that is gone, and leaves it to
 * one that is stopped. A lock file could do only one of the two.
 */
export async function acquireLock(path: string): Promise<Lock | undefined> {
  const folder = await withoutLinks(resolve(dirname(path)));
  const name = createHash("sha256")
    .update(join(folder, basename(path)))
    .digest("hex");
  const address = socketAddress(`eventload-${name.slice(0, 32)}`);
  const server = (await listen(address)) ?? (await listenInPlaceOfTheDead(address));
  if (server === undefined) return undefined;
  server.unref();
  return {
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** The folder as it is really called, as far as it is there: the run makes the rest. */
async function withoutLinks(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined) return real;
  const above = dirname(folder);
  return above === folder ? folder : join(await withoutLinks(above), basename(folder));
}

function socketAddress(name: string): string {
  switch (platform()) {
    case "linux":
      return `\0${name}`; // an abstract name: nothing in the file system, gone with its holder
    case "win32":
      return `\\\\.\\pipe\\${name}`;
    default:
      return join(tmpdir(), `${name}.sock`);
  }
}

async function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(address);
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}

/** Where sockets are files, one may be left of a process that was killed: nobody answers there. */
async function listenInPlaceOfTheDead(address: string): Promise<Server | undefined> {
  if (address.startsWith("\0") || address.startsWith("\\\\")) return undefined;
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
    await rm(address, { force: true });
    return listen(address);
  } finally {
    socket.destroy();
  }
}
