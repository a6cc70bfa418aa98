import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { LogDamagedError, readLog } from "../../journal/log.ts";
import { type JournalRecord, journalNumbers, readJournal } from "../../journal/read-journal.ts";
import { chunksOf, type Disk, type DiskFile, writeAll } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import {
  amount,
  describeWrong,
  path as fullPath,
  moment,
  shortHash,
  text,
} from "../../model/members.ts";
import { quoteWhole } from "../../model/row.ts";
import { journalOfState } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { createHashedFile } from "../../results/hashed-file.ts";
import { type PartOnRecord, readPartRecord } from "../options/part-record.ts";
import {
  createKnownKeys,
  fateOf,
  flags,
  hasFlag,
  type Known,
  knownOf,
  openOf,
  renderedOf,
  setFlag,
  setKnown,
} from "./known-keys.ts";

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
  base_url: text,
  /** The parts of the mapping's, with their transforms. */
  ordering_key: z.array(z.json()).min(1).readonly(),
  /** Of which part of the input: `3/8`, or null for all of it. */
  shard: text.nullable(),
});

/** Whose state it is, as its first line says. */
export type StateOwner = Readonly<z.infer<typeof ownerSchema>>;

const nightSchema = z.object({
  /** When it began. */
  run: moment,
  /** Path of its results; absent in a state of format 1 if it had nothing to send. */
  results: fullPath.exactOptional(),
  input: text,
  /** A hash of what its events are made of, and what sets their ids apart. */
  of: shortHash,
  ids: shortHash,
  /** Whether it could send the events of gone keys. */
  gone: z.literal(true).exactOptional(),
});
export type NightLine = Readonly<z.infer<typeof nightSchema>>;

/** A night has begun that the state does not have yet, or a retry of the last one. */
const runSchema = z.union([
  nightSchema.extend({ results: fullPath }),
  z.object({ run: moment, results: fullPath, retry: z.literal(true) }),
]);
export type RunLine = Readonly<z.infer<typeof runSchema>>;

const nightsSchema = z.object({
  /** The last night. */
  night: nightSchema.exactOptional(),
  /** Whether it broke, and none was completed since. */
  broken: z.literal(true).exactOptional(),
});
export type LastNight = Readonly<z.infer<typeof nightsSchema>>;

const endSchema = z.object({ keys: amount, sum: z.string() });

type KeyLine = { readonly k: readonly string[] } & Known;

/** What a line or a record says of a key, with the line as it stands in a file that was rendered. */
type KnownKey = readonly [key: string, known: Known, text: string | undefined];

export type StateFile = Awaited<ReturnType<typeof openState>>;

export interface StateSettings {
  readonly disk: Disk;
  readonly path: string;
  readonly owner: StateOwner;
}

/**
 * Reads a state, and what the journal of a broken night makes of it. Nothing is written. Whoever is going to write holds
 * the lock on its path.
 *
 * @throws CannotStartError if it is not a state, is damaged, or is of another service, key or shard
 */
export async function openState({ disk, path, owner }: StateSettings) {
  const keys = createKnownKeys();
  let file: DiskFile | undefined;
  let isFirst = false;
  let hasJournal = false;
  let nights: LastNight = {};
  let format = 0;
  /** How much of the file was rendered. */
  let renderedBytes = 0;
  let line: RunLine | undefined;
  /** What was left beside it that says what became of the run of that line. */
  let part: PartOnRecord | undefined;
  let isJournalLost = false;

  const takeHeader = (header: unknown) => {
    const { eventload_state: found } = (header ?? {}) as { eventload_state?: unknown };
    if (found === undefined) throw new LogDamagedError(0);
    if (found !== 1 && found !== 2) {
      const why = "another version of eventload wrote it: use that version";
      throw cannotStart("state_unreadable", path, why);
    }
    format = found;
    checkOwner(path, header, owner);
    nights = parse(nightsSchema, header);
  };
  const take = (one: unknown) => {
    if (format === 0) return takeHeader(one);
    if (isKeyLine(one, owner)) {
      const entry = keys.entry(keyOf(one));
      setKnown(entry, one);
      setFlag(entry, flags.isInFile, one.gone !== true);
      return;
    }
    if (format === 2) throw new Error("a line is not as eventload writes it");
    const { run, end } = (one ?? {}) as { run?: unknown; end?: unknown };
    if (run !== undefined) nights = { night: parse(nightSchema, one), broken: true };
    else if (end === undefined) throw new Error("a line is not as eventload writes it");
    else if (nights.night !== undefined) nights = { night: nights.night };
  };

  /** Only a state that was rendered to its end was ever given its name. */
  const read = async (from: DiskFile) => {
    const bytes = await from.size();
    if (await isFormat1(from, bytes)) {
      for await (const { lines } of readLog(chunksOf(from, bytes))) lines.forEach(take);
      if (format === 0) throw new LogDamagedError(0);
      renderedBytes = bytes;
      return;
    }
    let lines = 0;
    let sum = 0;
    let tail = "";
    let hasEnd = false;
    for await (const whole of wholeLines(chunksOf(from, bytes))) {
      const endAt = hasEnd ? 0 : placeOfEnd(whole);
      const body = whole.subarray(0, endAt < 0 ? whole.length : endAt);
      for (const one of parseLines(body)) {
        take(one);
        lines++;
      }
      sum = crc32(body, sum);
      renderedBytes += body.length;
      if (endAt < 0) continue;
      tail += whole.toString("utf8", endAt);
      if (hasEnd) continue;
      hasEnd = true;
      const length = tail.indexOf("\n") + 1;
      const end = parse(endSchema, JSON.parse(tail.slice(0, length)));
      if (end.keys !== lines - 1 || end.sum !== hex(sum)) throw new LogDamagedError(0);
      renderedBytes += length;
      tail = tail.slice(length);
    }
    if (!hasEnd) throw new LogDamagedError(0);
    line = readRunLine(tail);
  };

  /** Takes what a journal says of keys. */
  const takeRecord = (record: JournalRecord) => {
    if (!("key" in record) || record.key === undefined) return;
    const entry = keys.entry(record.key);
    setKnown(entry, record.kind === "key" ? record : openOf(entry));
  };

  const fold = async () => {
    hasJournal = (await journalNumbers(disk, journalOfState(path))).length > 0;
    // Whoever has taken the state away wants every key to be sent.
    if (isFirst || (line === undefined && !hasJournal)) return;
    let isOfRun = false;
    try {
      const found = await readPartRecord(disk, journalOfState(path), (record) => {
        if (record.kind !== "run") return isOfRun && takeRecord(record);
        isOfRun = line === undefined || record.run.imported.started_at === line.run;
      });
      if (isOfRun) part = found;
    } catch (error) {
      const isBeyondUse = error instanceof CannotStartError && error.code.startsWith("journal_");
      if (!isBeyondUse) throw error;
    }
    isJournalLost = line !== undefined && part === undefined;
    if (!isJournalLost) return;
    keys.forEach((entry) => {
      setKnown(entry, hasFlag(entry, flags.isInFile) ? openOf(entry) : { gone: true });
    });
  };

  /** It is closed before another takes its name: Windows replaces no file that is open. */
  const opened = async () => {
    file ??= await disk.open(path);
    return file;
  };
  const close = async () => {
    await file?.close();
    file = undefined;
  };

  /** The keys of the file with what it says of them; in format 1, each as often as it has lines. */
  async function* keyLines(): AsyncGenerator<KnownKey[]> {
    if (renderedBytes === 0) return;
    const chunks = chunksOf(await opened(), renderedBytes);
    const batches = format === 1 ? readLog(chunks) : wholeLines(chunks);
    for await (const batch of batches) {
      const lines = "lines" in batch ? batch.lines : parseLines(batch);
      const texts = "lines" in batch ? [] : batch.toString().split("\n");
      yield lines.flatMap((one, at): KnownKey[] =>
        isKeyLine(one, owner) ? [[keyOf(one), one, texts[at]]] : [],
      );
    }
  }

  /** What a journal says of keys, in its order. */
  async function* keyRecords(): AsyncGenerator<KnownKey[]> {
    if (isJournalLost) return;
    for await (const { records } of readJournal(disk, journalOfState(path))) {
      yield records.flatMap((one): KnownKey[] =>
        "key" in one ? [[one.key, one.kind === "key" ? one : {}, undefined]] : [],
      );
    }
  }

  /** The line of a key of the file; blank if a record says more, or there is nothing to say. */
  const renderedLine = ([key, { d, m, gone, away }, text]: KnownKey): string => {
    const entry = keys.entry(key);
    if (!hasFlag(entry, flags.isInFile)) return "";
    const known = renderedOf(entry);
    const isSame = known.d === d && known.gone === gone && known.away === away;
    if (isSame && text !== undefined) return `${text}\n`;
    const isElsewhere = known.d !== undefined && known.d !== d && format === 2;
    // In format 1 it may come again, and the state is read again once it is rendered.
    const isSaid = known.gone === true || isElsewhere;
    if (format === 1 || isSaid) setFlag(entry, flags.isInFile, false);
    return isSaid ? "" : keyLine(key, known, m, owner);
  };

  /** The line of a key that is new in a journal, or has other events; blank if it was written. */
  const renderedRecord = ([key, { d, m }]: KnownKey): string => {
    const entry = keys.entry(key);
    const known = renderedOf(entry);
    if (hasFlag(entry, flags.isInFile) || known.gone === true) return "";
    if (known.d !== undefined && known.d !== d) return "";
    setFlag(entry, flags.isInFile);
    return keyLine(key, known, m, owner);
  };

  async function* rendered(next: LastNight): AsyncGenerator<Buffer> {
    let batch = `${JSON.stringify({ eventload_state: 2, ...owner, ...next })}\n`;
    let sum = 0;
    let count = 0;
    const flush = () => {
      const bytes = Buffer.from(batch);
      sum = crc32(bytes, sum);
      batch = "";
      return bytes;
    };
    const add = (line: string) => {
      batch += line;
      if (line !== "") count++;
    };
    for await (const lines of keyLines()) {
      for (const line of lines) add(renderedLine(line));
      yield flush();
    }
    for await (const records of keyRecords()) {
      for (const record of records) add(renderedRecord(record));
      if (batch.length > batchChars) yield flush();
    }
    yield flush();
    yield Buffer.from(`${JSON.stringify({ keys: count, sum: hex(sum) })}\n`);
  }

  try {
    file = await disk.open(path).catch(undefinedIfMissing);
    isFirst = file === undefined;
    if (file !== undefined) await read(file);
    await fold();
  } catch (error) {
    await close().catch(() => {});
    if (error instanceof CannotStartError) throw error;
    const isDamaged = error instanceof LogDamagedError || error instanceof SyntaxError;
    const why = isDamaged ? "it is not a state, or it is damaged or was edited" : reasonOf(error);
    throw cannotStart("state_unreadable", path, why);
  }

  /** Renders the state beside its place. @throws DiskError */
  const renderTo = async (next: LastNight): Promise<Fingerprint> => {
    const made = await createHashedFile(disk, `${path}.new`);
    try {
      for await (const bytes of rendered(next)) await made.add(bytes);
      await close();
      return await made.finish();
    } catch (error) {
      await made.discard();
      throw error;
    }
  };

  const changeTail = async (tail: string) => {
    try {
      const at = await opened();
      await at.truncate(renderedBytes);
      await writeAll(at, Buffer.from(tail), renderedBytes);
      await at.datasync();
    } catch (error) {
      throw cannotStart("output_not_writable", path, reasonOf(error));
    }
  };

  return {
    /** What the service has of each key, also by the journal of a run that broke. */
    keys,
    path,
    isFirst,
    isOutdated: format === 1,
    /** Whether a broken run has left something, or an earlier version. */
    isLeft: line !== undefined || hasJournal || format === 1,
    nights,
    keyLines,
    keyRecords,
    takeRecord,
    /** The run that has begun and that the state does not have yet. */
    get line() {
      return line;
    },
    /** What its journal says. */
    part,
    /** Whether that is gone or of no use: what the service has of any key is not known. */
    isJournalLost,
    /** The last night that has begun. */
    get lastNight() {
      return line === undefined || "retry" in line ? nights.night : line;
    },
    /** Renders the state in its place, with what is known by now. @throws CannotStartError */
    async rewrite(next: LastNight) {
      try {
        const { bytes } = await renderTo(next);
        await disk.rename(`${path}.new`, path);
        await disk.syncFolder(path);
        renderedBytes = bytes;
        nights = next;
        line = undefined;
      } catch (error) {
        throw cannotStart("output_not_writable", path, reasonOf(error));
      }
    },
    renderTo,
    /** A run begins: that is on the disk when it returns. @throws CannotStartError */
    async append(next: RunLine) {
      const sum = hex(crc32(JSON.stringify(next)));
      await changeTail(`${JSON.stringify({ ...next, sum })}\n`).catch(async (error: unknown) => {
        await changeTail("").catch(() => {});
        throw error;
      });
      line = next;
    },
    /** The run that has begun has reached nobody. @throws CannotStartError */
    async cut() {
      await changeTail("");
      line = undefined;
    },
    close,
  };
}

/** Of so many keys at most: their hashes are held in memory. */
const mostChanged = 10_000;

/** The hashes of members that the state has of keys that changed. */
export async function hashesOfChanged({ keys, keyLines, keyRecords }: StateFile) {
  const hashes = new Map<string, string>();
  let isAny = false;
  keys.forEach((entry) => {
    isAny ||= fateOf(entry) === "changed";
  });
  if (!isAny) return hashes;
  for (const batches of [keyLines(), keyRecords()]) {
    for await (const batch of batches) {
      for (const [key, { d, m }] of batch) {
        if (m === undefined || hashes.size === mostChanged) continue;
        const entry = keys.entry(key);
        if (fateOf(entry) === "changed" && knownOf(entry).d === d) hashes.set(key, m);
      }
    }
  }
  return hashes;
}

/** What the state says of nights once a run has ended. */
export function nightsAfter({ line, nights }: StateFile, isBroken: boolean): LastNight {
  if (line === undefined || "retry" in line) return nights;
  return { night: line, ...(isBroken ? { broken: true } : {}) };
}

/** @throws if it is none of these, naming the member */
function parse<Schema extends z.ZodType>(schema: Schema, line: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(line);
  if (error !== undefined) throw new Error(describeWrong(error));
  return data;
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

const batchChars = 64 * 1024;
/** A line is shorter: a key is a few cells. */
const maxLineBytes = 64 * 1024 * 1024;

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

/** Where the line begins that ends what was rendered; -1 if it is not there. No JSON text has a line feed. */
function placeOfEnd(lines: Buffer): number {
  const start = '{"keys":';
  if (lines.subarray(0, start.length).equals(Buffer.from(start))) return 0;
  const before = lines.indexOf(`\n${start}`);
  return before < 0 ? -1 : before + 1;
}

/** One parse is faster than many. @throws SyntaxError */
function parseLines(lines: Buffer): unknown[] {
  return JSON.parse(`[${lines.toString().trimEnd().replaceAll("\n", ",")}]`) as unknown[];
}

/** Undefined if it is torn: then nothing was sent on its account. */
function readRunLine(tail: string): RunLine | undefined {
  try {
    const { sum, ...line } = JSON.parse(tail.slice(0, tail.indexOf("\n"))) as { sum?: unknown };
    if (sum !== hex(crc32(JSON.stringify(line)))) return undefined;
    return parse(runSchema, line);
  } catch {
    return undefined;
  }
}

async function isFormat1(file: DiskFile, bytes: number): Promise<boolean> {
  const start = '{"eventload_state":1,';
  let text = "";
  for await (const chunk of chunksOf(file, Math.min(bytes, start.length))) text += chunk.toString();
  return text === start;
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

/** Checked by hand, as there may be millions. */
function isKeyLine(line: unknown, { ordering_key }: StateOwner): line is KeyLine {
  if (typeof line !== "object" || line === null) return false;
  const { k, d, m, gone, away } = line as Partial<Record<keyof KeyLine, unknown>>;
  if (!Array.isArray(k) || k.length !== ordering_key.length) return false;
  for (let at = 0; at < k.length; at++) if (typeof k[at] !== "string") return false;
  if (d !== undefined && !(typeof d === "string" && digest.test(d))) return false;
  if (m !== undefined && typeof m !== "string") return false;
  return (gone === undefined || gone === true) && (away === undefined || away === true);
}

const digest = /^[\da-f]{16}$/;

/** The text of a key is its one cell, or its cells as JSON. */
function keyOf({ k }: KeyLine): string {
  return k.length === 1 ? (k[0] ?? "") : JSON.stringify(k);
}

/**
 * The line of a key, made by hand.
 *
 * @param m the hashes of the members, if it has a digest
 */
function keyLine(
  key: string,
  { d, gone, away }: Known,
  m: string | undefined,
  { ordering_key }: StateOwner,
): string {
  const k = ordering_key.length === 1 ? `[${JSON.stringify(key)}]` : key;
  const digest = d === undefined ? "" : `,"d":"${d}"`;
  const hashes = d === undefined || m === undefined ? "" : `,"m":"${m}"`;
  return `{"k":${k}${digest}${hashes}${gone ? ',"gone":true' : ""}${away ? ',"away":true' : ""}}\n`;
}

/** @throws CannotStartError if the state is of another owner */
function checkOwner(path: string, header: unknown, owner: StateOwner): void {
  const found = parse(ownerSchema, header);
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
