import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { LogDamagedError, readLog } from "../../journal/log.ts";
import { chunksOf, type DiskFile } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import {
  amount,
  describeWrong,
  pathText as fullPath,
  longText,
  moment,
  shortHash,
} from "../../model/members.ts";
import { quoteWhole } from "../../model/row.ts";
import type { KeyState } from "./known-keys.ts";

/*
 * The state of nights is JSON lines, one a key, and is rendered as a whole:
 *
 *   {"eventload_state":2,"base_url":…,"ordering_key":[…],"shard":…,"night":{…}}   whose it is, and the last night
 *   {"k":["a@example.com"],"d":"0123456789abcdef","m":"…"}   the service has the events of this digest; m is a
 *                                                        hash of each member, if it is one event
 *   {"k":["a@example.com"]}                              what it has is not known
 *   {"k":["a@example.com"],"d":"…","away":true}          the same; the last input did not have the key
 *   {"keys":…,"sum":…}                                   the end of what was rendered
 *   {"run":…,"results":…,"input":…,"of":…,"ids":…}       a night, or a retry of one, has begun
 *
 * A key that the service knows to be gone has no line.
 */

const ownerSchema = z.object({
  base_url: longText,
  /** The parts of the mapping's, with their transforms. */
  ordering_key: z.array(z.json()).min(1).readonly(),
  /** Of which part of the input: `3/8`, or null for all of it. */
  shard: longText.nullable(),
});

export type StateOwner = Readonly<z.infer<typeof ownerSchema>>;

const stateNightSchema = z.object({
  run: moment,
  /** Path of the night's results; absent in a state of format 1 if it had nothing to send. */
  results: fullPath.exactOptional(),
  input: longText,
  /** A hash of what its events are made of, and what sets their ids apart. */
  of: shortHash,
  ids: shortHash,
  /** Whether the night could send the events of gone keys. */
  gone: z.literal(true).exactOptional(),
});
export type NightLine = Readonly<z.infer<typeof stateNightSchema>>;

/** A night has begun that the state does not have yet, or a retry of the last one. */
const runSchema = z.union([
  stateNightSchema.extend({ results: fullPath }),
  z.object({ run: moment, results: fullPath, retry: z.literal(true) }),
]);
export type RunLine = Readonly<z.infer<typeof runSchema>>;

const nightsSchema = z.object({
  night: stateNightSchema.exactOptional(),
  /** Whether the night broke, and none was completed since. */
  broken: z.literal(true).exactOptional(),
});
export type LastNight = Readonly<z.infer<typeof nightsSchema>>;

const stateEndSchema = z.object({ keys: amount, sum: z.string() });

export interface KnownKey {
  readonly key: string;
  readonly known: KeyState;
  /** The line as it stands in a file that was rendered. */
  readonly line?: string;
}

export interface StateText {
  readonly nights: LastNight;
  /** Where the lines of its keys end, how many they are, and the CRC-32 of all before. */
  readonly keysEnd: number;
  readonly count: number;
  readonly sum: string;
  readonly renderedBytes: number;
  readonly run?: RunLine | undefined;
  /** Of format 1, a log in which a key can have several lines: what the last of each says. */
  readonly known?: readonly KnownKey[];
}

export const noText: StateText = {
  ...{ nights: {}, keysEnd: 0, count: 0, sum: hexOfSum(0), renderedBytes: 0 },
};

/** What stands behind the keys is shorter: an end, and a line with two paths. */
const maxTailBytes = 1024 * 1024;
/** A line is shorter: a key is a few cells. */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * Reads a state, but not its keys.
 *
 * @param wanted whose it has to be
 * @throws CannotStartError, or what is wrong with it: only a state that was rendered to its end was ever given its name
 */
export async function readStateText(
  file: DiskFile,
  path: string,
  wanted: StateOwner,
): Promise<StateText> {
  const bytes = await file.size();
  const top = await wholeLines(chunksOf(file, bytes)).next();
  const header: unknown = JSON.parse(top.value?.toString().split("\n", 1)[0] ?? "");
  const { eventload_state: format } = (header ?? {}) as { eventload_state?: unknown };
  if (format === undefined) throw new LogDamagedError(0);
  if (format !== 1 && format !== 2) {
    const why = "another version of eventload wrote it: use that version";
    throw cannotStart("state_unreadable", path, why);
  }
  const owner = parseMember(ownerSchema, header);
  checkOwner(path, owner, wanted);
  if (format === 1) {
    const read = await readFormat1(chunksOf(file, bytes), owner);
    return { ...noText, ...read, count: read.known.length, renderedBytes: bytes };
  }
  const tailAt = Math.max(0, bytes - maxTailBytes);
  const fromThere = { read: (into: Buffer, at: number) => file.read(into, tailAt + at) };
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(fromThere, bytes - tailAt))
    tail = Buffer.concat([tail, chunk]);
  // No JSON text has a line feed.
  const endAt = tail.lastIndexOf('\n{"keys":') + 1;
  const [endLine = "", added, isWhole] = tail.toString("utf8", endAt).split("\n");
  if (added === undefined) throw new LogDamagedError(0);
  const { keys: count, sum } = parseMember(stateEndSchema, JSON.parse(endLine));
  const keysEnd = tailAt + endAt;
  return {
    nights: parseMember(nightsSchema, header),
    ...{ keysEnd, count, sum, renderedBytes: keysEnd + Buffer.byteLength(endLine) + 1 },
    // One that is torn counts for nothing: nothing was sent on its account.
    run: isWhole === undefined ? undefined : readRunLine(added),
  };
}

async function readFormat1(chunks: AsyncIterable<Buffer>, owner: StateOwner) {
  const known = new Map<string, KnownKey>();
  let nights: LastNight | undefined;
  for await (const { lines } of readLog(chunks)) {
    for (const one of lines as object[]) {
      if (nights === undefined)
        nights = {}; // the header
      else if ("run" in one) nights = { night: parseMember(stateNightSchema, one), broken: true };
      else if ("end" in one) nights = nights.night === undefined ? {} : { night: nights.night };
      else {
        const { line: _, ...found } = parseKeyLine(JSON.stringify(one), owner);
        known.set(found.key, found);
      }
    }
  }
  if (nights === undefined) throw new LogDamagedError(0);
  return { nights, known: [...known.values()] };
}

/**
 * The lines of the keys of a file, some at a time. What is not wanted is the text of lines, many at once.
 *
 * @throws LogDamagedError at their end
 */
export async function* readKeyLines(
  file: DiskFile,
  { keysEnd, sum: wanted }: StateText,
  owner: StateOwner,
  isWanted?: (key: string) => boolean,
): AsyncGenerator<(KnownKey | string)[]> {
  let sum = 0;
  for await (const batch of wholeLines(chunksOf(file, keysEnd))) {
    const lines = batch.toString();
    const found: (KnownKey | string)[] = [];
    let at = sum === 0 ? lines.indexOf("\n") + 1 : 0; // behind the header
    let unwantedFrom = at;
    sum = crc32(batch, sum);
    while (at < lines.length) {
      const end = lines.indexOf("\n", at) + 1;
      if (isWanted === undefined || isWanted(keyAt(lines, at, owner))) {
        if (unwantedFrom < at) found.push(lines.slice(unwantedFrom, at));
        found.push(parseKeyLine(lines.slice(at, end - 1), owner));
        unwantedFrom = end;
      }
      at = end;
    }
    if (unwantedFrom < at) found.push(lines.slice(unwantedFrom));
    yield found;
  }
  if (hexOfSum(sum) !== wanted) throw new LogDamagedError(0);
}

/** The bytes up to a line feed; what is behind the last one was not written as a whole. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf("\n") + 1;
    if (end > 0) yield all.subarray(0, end);
    rest = all.subarray(end);
    if (rest.length > maxLineBytes) throw new LogDamagedError(0);
  }
}

/** `{"k":["a@example.com"],"d":"0123456789abcdef","m":"…"}`. There may be millions, and JSON and zod take longer. */
const keyLinePattern =
  /^\{"k":(\["[^"\\]*(?:\\.[^"\\]*)*"(?:,"[^"\\]*(?:\\.[^"\\]*)*")*\])(?:,"d":"([\da-f]{16})")?(?:,"m":"(\w*)")?(?:,"gone":(true))?(?:,"away":(true))?\}$/;

function parseKeyLine(line: string, owner: StateOwner): KnownKey {
  const [, k, d, m, gone, away] = keyLinePattern.exec(line) ?? [];
  if (k === undefined) throw new Error("a line is not as eventload writes it");
  const known: { -readonly [name in keyof KeyState]: KeyState[name] } = {};
  if (d !== undefined) known.d = d;
  if (m !== undefined) known.m = m;
  if (gone !== undefined) known.gone = true;
  if (away !== undefined) known.away = true;
  return { key: keyOf(k, owner), known, line };
}

/** The text of a key is its one cell, or its cells as JSON. */
function keyOf(k: string, { ordering_key }: StateOwner): string {
  if (ordering_key.length > 1) return k;
  return k.includes("\\") ? String(JSON.parse(k)) : k.slice(2, -2);
}

/** The key of the line that begins there. Of most lines, a night needs no more. */
function keyAt(lines: string, at: number, owner: StateOwner): string {
  const k = lines.slice(at + keyStart.length, lines.indexOf('"]', at) + 2);
  if (k.includes("\\")) return parseKeyLine(lines.slice(at, lines.indexOf("\n", at)), owner).key;
  return keyOf(k, owner);
}

const keyStart = '{"k":';

/** The line of a key, made by hand. @param m the hashes of the members, if it has a digest */
export function keyLine(
  key: string,
  { d, gone, away }: KeyState,
  m: string | undefined,
  { ordering_key }: StateOwner,
): string {
  const k = ordering_key.length === 1 ? `[${JSON.stringify(key)}]` : key;
  const digest = d === undefined ? "" : `,"d":"${d}"`;
  const hashes = d === undefined || m === undefined ? "" : `,"m":"${m}"`;
  return `${keyStart}${k}${digest}${hashes}${gone ? ',"gone":true' : ""}${away ? ',"away":true' : ""}}\n`;
}

export function runLine(run: RunLine): string {
  return `${JSON.stringify({ ...run, sum: hexOfSum(crc32(JSON.stringify(run))) })}\n`;
}

function readRunLine(text: string): RunLine | undefined {
  try {
    const { sum, ...line } = JSON.parse(text) as { sum?: unknown };
    return sum === hexOfSum(crc32(JSON.stringify(line))) ? parseMember(runSchema, line) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws if the line does not fit, naming the member */
function parseMember<Schema extends z.ZodType>(schema: Schema, line: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(line);
  if (error !== undefined) throw new Error(describeWrong(error));
  return data;
}

export function hexOfSum(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

/** @throws CannotStartError if the state is of another owner */
function checkOwner(path: string, found: StateOwner, owner: StateOwner): void {
  const wanted = JSON.parse(JSON.stringify(owner)) as StateOwner;
  for (const [name, what] of ownerMembers) {
    if (isDeepStrictEqual(found[name], wanted[name])) continue;
    const [one = "", other = ""] = [found[name], wanted[name]].map((value) =>
      value === null ? "none" : quoteWhole(value),
    );
    throw cannotStart("state_of_another", path, what, one, other);
  }
}

const ownerMembers = [
  ["base_url", "service"],
  ["ordering_key", "ordering key"],
  ["shard", "shard"],
] as const;
