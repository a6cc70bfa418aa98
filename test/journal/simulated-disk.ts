import type { Disk, DiskFile } from "../../src/domain/disk.ts";

/** What happens at a call of the disk. */
export type Fault = "ENOSPC" | "EIO" | "short" | "crash";

interface SimulatedFile {
  /** What a process sees. */
  content: Buffer;
  /** What has reached the medium for sure. */
  durable: Buffer;
  /** Writes and truncations since then, in their order. */
  unsynced: ({ at: number; bytes: Buffer } | { length: number })[];
}

/** A disk in memory that fails when it is told to, and forgets what a power cut would. */
export interface SimulatedDisk extends Disk {
  /** Calls so far. */
  calls(): number;
  /** What a machine finds after its power was cut: each unsynced piece kept, dropped or garbled. */
  afterPowerCut(random: () => number): SimulatedDisk;
  /** What a process finds after another was killed: all that was written. */
  afterKill(): SimulatedDisk;
}

const pieceBytes = 64;

export function createSimulatedDisk(
  faultAt: (call: number, name: string) => Fault | undefined = () => undefined,
  names: Map<string, SimulatedFile> = new Map(),
): SimulatedDisk {
  /** Names as the medium has them: what changed since the folder was synced may be lost. */
  let durableNames = new Map(names);
  let nameChanges: Map<string, SimulatedFile>[] = [];
  let calls = 0;
  let isCrashed = false;

  const call = (name: string): Fault | undefined => {
    if (isCrashed) throw systemError("EIO", "the power is off");
    const fault = faultAt(++calls, name);
    if (fault === "crash") {
      isCrashed = true;
      throw systemError("EIO", "the power is off");
    }
    if (fault === "ENOSPC" || fault === "EIO") throw systemError(fault, fault);
    return fault;
  };
  const named = (path: string) => {
    const file = names.get(path);
    if (file === undefined) throw systemError("ENOENT", path);
    return file;
  };
  const changeNames = (change: () => void) => {
    change();
    nameChanges.push(new Map(names));
  };

  const open = (file: SimulatedFile): DiskFile => ({
    async write(bytes, position) {
      const fault = call("write");
      const length = fault === "short" ? Math.ceil(bytes.length / 2) : bytes.length;
      const written = Buffer.from(bytes.subarray(0, length));
      file.unsynced.push({ at: position, bytes: written });
      file.content = overwrite(file.content, position, written);
      return length;
    },
    async read(into, position) {
      const fault = call("read");
      const length = fault === "short" ? Math.ceil(into.length / 2) : into.length;
      return file.content.copy(into, 0, position, Math.min(file.content.length, position + length));
    },
    async datasync() {
      call("datasync");
      file.durable = Buffer.from(file.content);
      file.unsynced = [];
    },
    async size() {
      return file.content.length;
    },
    async truncate(length) {
      call("truncate");
      file.unsynced.push({ length });
      file.content = resize(file.content, length);
    },
    async close() {},
  });

  return {
    calls: () => calls,
    async create(path) {
      call("create");
      if (names.has(path)) throw systemError("EEXIST", path);
      const file = freshFile(Buffer.alloc(0));
      changeNames(() => names.set(path, file));
      return open(file);
    },
    async open(path) {
      call("open");
      return open(named(path));
    },
    async read(path) {
      const file = names.get(path);
      return file === undefined ? undefined : Buffer.from(file.content);
    },
    async *readChunks(path) {
      yield Buffer.from(named(path).content);
    },
    async rename(from, to) {
      call("rename");
      const file = named(from);
      changeNames(() => {
        names.set(to, file);
        names.delete(from);
      });
    },
    async remove(path) {
      call("remove");
      if (names.has(path)) changeNames(() => names.delete(path));
    },
    async syncFolder() {
      call("syncFolder");
      durableNames = new Map(names);
      nameChanges = [];
    },
    afterKill() {
      const left = [...names].map(([path, { content }]) => [path, freshFile(content)] as const);
      return createSimulatedDisk(undefined, new Map(left));
    },
    afterPowerCut(random) {
      // Changes of names reach the medium in their order, up to some moment.
      const kept = Math.floor(random() * (nameChanges.length + 1));
      const found = kept === 0 ? durableNames : (nameChanges[kept - 1] ?? durableNames);
      const left = [...found].map(
        ([path, file]) => [path, freshFile(contentAfterPowerCut(file, random))] as const,
      );
      return createSimulatedDisk(undefined, new Map(left));
    },
  };
}

function freshFile(content: Buffer): SimulatedFile {
  return { content: Buffer.from(content), durable: Buffer.from(content), unsynced: [] };
}

function contentAfterPowerCut(file: SimulatedFile, random: () => number): Buffer {
  let content: Buffer = Buffer.from(file.durable);
  for (const change of file.unsynced) {
    if ("length" in change) {
      if (random() < 0.5) content = resize(content, change.length);
      continue;
    }
    for (let at = 0; at < change.bytes.length; at += pieceBytes) {
      const piece = Buffer.from(change.bytes.subarray(at, at + pieceBytes));
      const fate = random();
      if (fate < 1 / 3) continue;
      if (fate < 2 / 3) {
        const byte = Math.floor(random() * piece.length);
        piece[byte] = (piece[byte] ?? 0) ^ (1 + Math.floor(random() * 255));
      }
      content = overwrite(content, change.at + at, piece);
    }
  }
  return content;
}

function overwrite(content: Buffer, position: number, bytes: Buffer): Buffer {
  const grown = resize(content, Math.max(content.length, position + bytes.length));
  bytes.copy(grown, position);
  return grown;
}

function resize(content: Buffer, length: number): Buffer {
  const resized: Buffer = Buffer.alloc(length);
  content.copy(resized, 0, 0, Math.min(length, content.length));
  return resized;
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
