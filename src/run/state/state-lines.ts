import { isDeepStrictEqual } from "node:util";
import { checksum } from "../../journal/batch.ts";
import type { DiskFile } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Json } from "../../model/event.ts";
import { quoteWhole } from "../../model/row.ts";
import type { Known } from "./known-keys.ts";

/*
 * The state of nights is a log of JSON lines. The first says whose state it is; of the lines of a key, the last counts:
 *
 *   {"eventload_state":1,"base_url":…,"ordering_key":[…],"shard":…}
 *   {"run":…,"results":…,"input":…,"after":…,"missing":…}   a night begins
 *   {"k":["a@example.com"]}                            what the service has of this key is not known
 *   {"k":["a@example.com"],"d":"0123456789abcdef"}     it has the events of this digest
 *   {"k":["a@example.com"],"gone":true}                it has nothing of it
 *   {"end":…}                                          the night is over
 *   {"sum":"89abcdef","bytes":64,"synced":1234}        a batch ends
 *
 * A batch is written at once. Its last line has a checksum of the others, their length, and how many bytes of the log
 * had reached the disk before, which tells a torn end from damage.
 */

/** Whose state it is. */
export interface StateOwner {
  readonly baseUrl: string;
  /** The parts of the mapping's `ordering_key`, with their transforms. */
  readonly orderingKey: readonly Json[];
  /** Of which part of the input: `3/8`, or null for all of it. */
  readonly shard: string | null;
}

export interface Night {
  /** When it began: an ISO 8601 instant. */
  readonly run: string;
  /** Path of its results; absent if it had nothing to send. */
  readonly results?: string;
  readonly input: string;
  /** The `run` of the last night before it that finished. */
  readonly after?: string;
  /** How many keys that the service has its input lacks; absent if none. */
  readonly missing?: number;
}

export interface KeyLine {
  readonly k: readonly string[];
  readonly d?: string;
  readonly gone?: true;
}

/** `end` is an ISO 8601 instant. */
export type StateLine = Night | { readonly end: string } | KeyLine;

const format = 1;
const lineFeed = 0x0a;
const pieceBytes = 256 * 1024;
/** No batch or first line of ours is longer. */
const maxBatchBytes = 64 * 1024 * 1024;

export function headerLine({ baseUrl, orderingKey, shard }: StateOwner): string {
  const whose = { base_url: baseUrl, ordering_key: orderingKey, shard };
  return `${JSON.stringify({ eventload_state: format, ...whose })}\n`;
}

/** The text of a key is its one cell, or its cells as JSON. */
export function keyOf({ k }: KeyLine): string {
  return k.length === 1 ? (k[0] ?? "") : JSON.stringify(k);
}

export function knownOf({ d, gone }: KeyLine): Known {
  if (gone === true) return { kind: "nothing" };
  return d === undefined ? { kind: "open" } : { kind: "events", digest: d };
}

/** The line of a key, which `keyOf` and `knownOf` read. It is made by hand, as a night writes it for each key. */
export function keyLine(key: string, known: Known, { orderingKey }: StateOwner): string {
  const k = orderingKey.length === 1 ? `[${JSON.stringify(key)}]` : key;
  switch (known.kind) {
    case "nothing":
      return `{"k":${k},"gone":true}\n`;
    case "open":
      return `{"k":${k}}\n`;
    case "events":
      return `{"k":${k},"d":"${known.digest}"}\n`;
    default:
      return known satisfies never;
  }
}

/** A batch with its last line. @param synced bytes of the log that had reached the disk before */
export function sealed(lines: string, synced: number): string {
  const bytes = Buffer.byteLength(lines);
  return `${lines}{"sum":"${checksum(lines, synced)}","bytes":${bytes},"synced":${synced}}\n`;
}

export interface StateBatch {
  readonly lines: readonly StateLine[];
  /** The offset behind it. */
  readonly end: number;
}

/**
 * Reads the batches of a state, up to the first that was not written as a whole: nothing was sent on its account.
 *
 * @param bytes how much of the file to read
 * @throws CannotStartError if it is not a state, or of another owner, or if a batch that had reached the disk is damaged
 */
export async function* readBatches(
  file: DiskFile,
  bytes: number,
  path: string,
  owner: StateOwner,
): AsyncGenerator<StateBatch> {
  /** What was read from an offset on and not taken, and how much of it was searched. */
  let rest: Buffer = Buffer.alloc(0);
  let restAt = 0;
  let searched = 0;
  const take = (count: number): Buffer => {
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    restAt += count;
    searched = 0;
    return taken;
  };
  const damaged = (at = restAt) =>
    cannotStart("state_unreadable", path, `it is damaged or was edited, after byte ${at}`);
  let hasHeader = false;
  let firstBroken: number | undefined;
  let [whole, synced] = [0, 0];

  for (let at = 0; at < bytes; ) {
    const piece = Buffer.alloc(Math.min(pieceBytes, bytes - at));
    const count = await file.read(piece, at);
    if (count === 0 || rest.length > maxBatchBytes) throw damaged();
    at += count;
    rest = Buffer.concat([rest, piece.subarray(0, count)]);
    if (!hasHeader) {
      const end = rest.indexOf(lineFeed) + 1;
      if (end === 0 && at < bytes) continue;
      checkHeader(take(end).toString(), path, owner);
      hasHeader = true;
    }
    for (;;) {
      // In a text of JSON, these quotation marks would be escaped.
      const sealAt = rest.indexOf(sealStart, searched);
      searched = sealAt < 0 ? Math.max(0, rest.length - sealStart.length) : sealAt;
      const text = sealAt < 0 ? "" : rest.toString("latin1", sealAt, sealAt + longestSeal);
      const seal = readSeal(text);
      if (seal === undefined && text.length < longestSeal) break;
      const lines = rest.subarray(Math.max(0, sealAt - (seal?.bytes ?? 0)), sealAt);
      if (seal === undefined || checksum(lines, seal.synced) !== seal.sum) {
        searched++;
        continue;
      }
      synced = Math.max(synced, seal.synced);
      if (seal.bytes !== sealAt) firstBroken ??= restAt;
      take(sealAt + seal.length);
      if (firstBroken !== undefined) continue;
      whole++;
      yield { lines: parseLines(lines), end: restAt };
    }
  }
  if (!hasHeader) throw cannotStart("state_unreadable", path, "it is empty");
  // The first batch was on the disk before the file had its name.
  const isDamaged = whole === 0 || (firstBroken !== undefined && firstBroken < synced);
  if (isDamaged) throw damaged(firstBroken);
}

const sealStart = '{"sum":"';
const sealPattern = /^\{"sum":"([\da-f]{8})","bytes":(\d{1,15}),"synced":(\d{1,15})\}\n/;
const longestSeal = 68;

function readSeal(text: string) {
  const [line, sum = "", bytes, synced] = sealPattern.exec(text) ?? [];
  if (line === undefined) return undefined;
  return { length: line.length, sum, bytes: Number(bytes), synced: Number(synced) };
}

function parseLines(text: Buffer): StateLine[] {
  // A line feed in a text of JSON is escaped, and one parse is faster than many.
  return JSON.parse(`[${text.toString().trimEnd().replaceAll("\n", ",")}]`) as StateLine[];
}

function checkHeader(line: string, path: string, owner: StateOwner): void {
  const refused = (why: string) => cannotStart("state_unreadable", path, why);
  const wanted = JSON.parse(headerLine(owner)) as Record<string, Json>;
  let found: Record<string, Json>;
  try {
    found = JSON.parse(line);
    if (typeof found.eventload_state !== "number") throw new Error("it is other JSON");
  } catch {
    throw refused("its first line is not that of a state");
  }
  if (found.eventload_state !== format) {
    throw refused("another version of eventload wrote it: use that version");
  }
  for (const [name, what] of ownerMembers) {
    const its = found[name] ?? null;
    if (isDeepStrictEqual(its, wanted[name])) continue;
    const [one, other] = [its, wanted[name] ?? null].map((value) =>
      value === null ? "none" : quoteWhole(value),
    );
    throw cannotStart("state_of_another", path, what, one ?? "", other ?? "");
  }
}

const ownerMembers = [
  ["base_url", "service"],
  ["ordering_key", "ordering key"],
  ["shard", "shard"],
] as const;
