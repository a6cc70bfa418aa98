import { basename, dirname } from "node:path";
import type { Disk, DiskFile } from "../../src/model/disk/disk.ts";

/** What happens at a call of the disk; from one that is `full` on, only what needs no more space is written. */
export type Fault = "ENOSPC" | "EIO" | "short" | "crash" | "full";

/** What happens at a call of a disk, by the number and the name of the call. */
export type FaultAt = (call: number, name: string) => Fault | undefined;

interface SimulatedFile {
  /** What a process sees. */
  readonly content: Content;
  /** What has reached the medium for sure. */
  readonly durable: Content;
  /** Writes and truncations since then, in their order. */
  unsynced: Change[];
}

type Change = { at: number; bytes: Buffer } | { length: number };

/** A disk in memory that fails when it is told to, forgets what a power cut would, and replaces no open file, as on Windows. */
export interface SimulatedDisk extends Disk {
  /** All that a process sees of a file; undefined if there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /** Calls so far. */
  calls(): number;
  /** What a machine finds after its power was cut: each unsynced piece kept, dropped or garbled. */
  afterPowerCut(random: () => number, faultAt?: FaultAt): SimulatedDisk;
  /** What a process finds after another was killed: all that was written. */
  afterKill(faultAt?: FaultAt): SimulatedDisk;
}

const pieceBytes = 64;
/** So few that most reads are of several chunks; what is behind may be space that a log has allocated. */
const chunkBytes = 997;
const smallChunks = 32;
/** Names that are used once, also after a power cut. */
let temporaries = 0;

export function createSimulatedDisk(
  faultAt: FaultAt = () => undefined,
  names: Map<string, SimulatedFile> = new Map(),
): SimulatedDisk {
  /** Names as the medium has them: what changed since the folder was synced may be lost. */
  let durableNames = new Map(names);
  let nameChanges: Map<string, SimulatedFile>[] = [];
  let calls = 0;
  let isCrashed = false;
  let isFull = false;
  /** How often each is open. */
  const handles = new Map<SimulatedFile, number>();

  const call = (name: string): Fault | undefined => {
    if (isCrashed) throw systemError("EIO", "the power is off");
    const fault = faultAt(++calls, name);
    if (fault === "crash") {
      isCrashed = true;
      throw systemError("EIO", "the power is off");
    }
    if (fault === "full") isFull = true;
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

  const write = (file: SimulatedFile, bytes: Buffer, position: number): number => {
    const fault = call("write");
    if (isFull && position + bytes.length > file.content.bytes().length) {
      throw systemError("ENOSPC", "ENOSPC");
    }
    const length = fault === "short" ? Math.ceil(bytes.length / 2) : bytes.length;
    const written = Buffer.from(bytes.subarray(0, length));
    file.unsynced.push({ at: position, bytes: written });
    file.content.overwrite(position, written);
    return length;
  };

  const open = (file: SimulatedFile): DiskFile => {
    handles.set(file, (handles.get(file) ?? 0) + 1);
    let isClosed = false;
    return handleOf(file, () => {
      if (!isClosed) handles.set(file, (handles.get(file) ?? 0) - 1);
      isClosed = true;
    });
  };

  const handleOf = (file: SimulatedFile, close: () => void): DiskFile => ({
    async lengthAt(path) {
      if (!names.has(path)) return "gone";
      return names.get(path) === file ? file.content.bytes().length : "taken_over";
    },
    async write(bytes, position) {
      return write(file, bytes, position);
    },
    writeNow: (bytes, position) => write(file, bytes, position),
    async read(into, position) {
      const fault = call("read");
      const length = fault === "short" ? Math.ceil(into.length / 2) : into.length;
      return file.content.bytes().copy(into, 0, position, position + length);
    },
    async datasync() {
      call("datasync");
      for (const change of file.unsynced) apply(file.durable, change);
      file.unsynced = [];
    },
    async size() {
      return file.content.bytes().length;
    },
    async truncate(length) {
      call("truncate");
      file.unsynced.push({ length });
      file.content.resize(length);
    },
    async close() {
      close();
    },
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
    async createTemporary(path) {
      call("createTemporary");
      const temporary = `${path}.${++temporaries}.part`;
      const file = freshFile(Buffer.alloc(0));
      changeNames(() => names.set(temporary, file));
      return { path: temporary, file: open(file) };
    },
    async open(path) {
      call("open");
      return open(named(path));
    },
    async read(path) {
      const file = names.get(path);
      return file === undefined ? undefined : Buffer.from(file.content.bytes());
    },
    async namesBeside(path) {
      const folder = dirname(path);
      return [...names.keys()].filter((one) => dirname(one) === folder).map((one) => basename(one));
    },
    async length(path) {
      return names.get(path)?.content.bytes().length;
    },
    async freeBytes() {
      return undefined;
    },
    async *readChunks(path) {
      call("readChunks");
      const bytes = Buffer.from(named(path).content.bytes());
      const restAt = smallChunks * chunkBytes;
      for (let at = 0; at < Math.min(bytes.length, restAt); at += chunkBytes) {
        yield bytes.subarray(at, at + chunkBytes);
      }
      if (bytes.length > restAt) yield bytes.subarray(restAt);
    },
    async rename(from, to) {
      call("rename");
      const file = named(from);
      const replaced = names.get(to);
      if (replaced !== undefined && (handles.get(replaced) ?? 0) > 0)
        throw systemError("EPERM", to);
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
    afterKill(faultAt) {
      const left = [...names].map(
        ([path, { content }]) => [path, freshFile(content.bytes())] as const,
      );
      return createSimulatedDisk(faultAt, new Map(left));
    },
    afterPowerCut(random, faultAt) {
      // Changes of names reach the medium in their order, up to some moment.
      const kept = Math.floor(random() * (nameChanges.length + 1));
      const found = kept === 0 ? durableNames : (nameChanges[kept - 1] ?? durableNames);
      const left = [...found].map(
        ([path, file]) => [path, freshFile(contentAfterPowerCut(file, random))] as const,
      );
      return createSimulatedDisk(faultAt, new Map(left));
    },
  };
}

function freshFile(bytes: Buffer): SimulatedFile {
  return { content: createContent(bytes), durable: createContent(bytes), unsynced: [] };
}

function contentAfterPowerCut(file: SimulatedFile, random: () => number): Buffer {
  const content = createContent(file.durable.bytes());
  for (const change of file.unsynced) {
    if ("length" in change) {
      if (random() < 0.5) apply(content, change);
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
      content.overwrite(change.at + at, piece);
    }
  }
  return content.bytes();
}

function apply(content: Content, change: Change) {
  if ("length" in change) content.resize(change.length);
  else content.overwrite(change.at, change.bytes);
}

interface Content {
  /** What is in it now; changes with it. */
  bytes(): Buffer;
  overwrite(position: number, bytes: Buffer): void;
  resize(length: number): void;
}

/** Changed in its place: a journal has space set aside, and many small writes into it. */
function createContent(initial: Buffer): Content {
  let room: Buffer = Buffer.from(initial);
  let length = room.length;
  const resize = (wanted: number) => {
    if (wanted > room.length) {
      const grown = Buffer.alloc(Math.max(wanted, Math.min(2 * room.length, room.length + 65536)));
      room.copy(grown, 0, 0, length);
      room = grown;
    } else if (wanted < length) room.fill(0, wanted, length);
    length = wanted;
  };
  return {
    bytes: () => room.subarray(0, length),
    overwrite(position, bytes) {
      resize(Math.max(length, position + bytes.length));
      bytes.copy(room, position);
    },
    resize,
  };
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
