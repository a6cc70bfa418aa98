import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Log, LogDamagedError, openLog, readLog, writeLog } from "../../journal/log.ts";
import { chunksOf, type Disk, type DiskFile } from "../../model/disk/disk.ts";
import {
  CannotStartError,
  ChangedFileError,
  cannotStart,
  DiskError,
  reasonOf,
} from "../../model/errors.ts";
import { describeWrong, moment, path, shortHash, text } from "../../model/members.ts";
import { quoteWhole } from "../../model/row.ts";
import {
  createKnownKeys,
  flags,
  hasFlag,
  isLive,
  type Known,
  knownOf,
  setFlag,
  setKnown,
} from "./known-keys.ts";

/*
 * The state of nights is a log of JSON lines. The first says whose state it is; of the lines of a key, the last counts:
 *
 *   {"eventload_state":1,"base_url":…,"ordering_key":[…],"shard":…}
 *   {"run":…,"results":…,"input":…,"of":…,"ids":…}     a night begins; it sends the events of gone keys if "gone":true
 *   {"k":["a@example.com"]}                            what the service has of this key is not known
 *   {"k":["a@example.com"],"d":"0123456789abcdef"}     it has the events of this digest
 *   {"k":["a@example.com"],"d":"…","away":true}        the same; the input does not have the key
 *   {"k":["a@example.com"],"gone":true}                it has nothing of it
 *   {"end":…}                                          the night is over
 *   {"sum":…}                                          a batch ends, as in every log
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
  /** Path of its results; absent if it had nothing to send. */
  results: path.exactOptional(),
  input: text,
  /** A hash of what its events are made of, and what sets their ids apart. */
  of: shortHash,
  ids: shortHash,
  /** Whether it sent the events of gone keys. */
  gone: z.literal(true).exactOptional(),
});
export type NightLine = Readonly<z.infer<typeof nightSchema>>;

const endSchema = z.object({ end: moment });

/** One without an end did not finish. */
export type LastNight = NightLine & { readonly end?: string };

type KeyLine = { readonly k: readonly string[] } & Known;

type HeaderLine = { readonly eventload_state: number } & StateOwner;

type StateLine = HeaderLine | NightLine | z.infer<typeof endSchema> | KeyLine;

/** The state of nights: a log that is read once, into a table, and then appended to. */
export type StateLog = Awaited<ReturnType<typeof openState>>;

export interface StateSettings {
  readonly disk: Disk;
  readonly path: string;
  readonly owner: StateOwner;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** A new log is written in batches of about this many characters. */
const batchChars = 64 * 1024;

/**
 * Reads a state, and changes nothing before `begin`. Whoever is going to begin holds the lock on its path.
 *
 * @throws CannotStartError if it is not a state, is damaged, or is of another service, key or shard
 */
export async function openState(settings: StateSettings) {
  const { disk, path, owner } = settings;
  const keys = createKnownKeys();
  let file: DiskFile | undefined;
  let lastNight: LastNight | undefined;
  /** Lines of keys, stale ones among them. */
  let lineCount = 0;
  /** What the file had when it was opened, and how much of that is whole. */
  let openedBytes = 0;
  let wholeBytes = 0;
  let log: Log | undefined;
  let failure: DiskError | undefined;
  let batch = "";
  let isState = false;

  const take = (line: unknown) => {
    if (isState && isKeyLine(line, owner)) {
      setKnown(keys.entry(keyOf(line)), line);
      lineCount++;
      return;
    }
    const other = (line ?? {}) as Partial<HeaderLine & NightLine & { end: string }>;
    if (other.eventload_state !== undefined) {
      checkOwner(path, other, owner);
      isState = true;
    } else if (!isState) throw new LogDamagedError(0);
    else if (other.run !== undefined) lastNight = parse(nightSchema, line);
    else if (other.end === undefined) {
      throw new Error("a line is not as eventload writes it");
    } else {
      const { end } = parse(endSchema, line);
      if (lastNight !== undefined) lastNight = { ...lastNight, end };
    }
  };
  try {
    file = await disk.open(path).catch(undefinedIfMissing);
    if (file !== undefined) {
      openedBytes = await file.size();
      for await (const { lines, end } of readLog(chunksOf(file, openedBytes))) {
        lines.forEach(take);
        wholeBytes = end;
      }
      // The first batch was on the disk before the file had its name.
      if (!isState) throw new LogDamagedError(0);
    }
  } catch (error) {
    await file?.close().catch(() => {});
    if (error instanceof CannotStartError) throw error;
    const isDamaged = error instanceof LogDamagedError;
    const why = isDamaged ? "it is not a state, or it is damaged or was edited" : reasonOf(error);
    throw cannotStart("state_unreadable", path, why);
  }
  const isFirst = file === undefined;

  /** The keys that the log had when it was begun, each as often as it has lines. @throws DiskError */
  async function* keyTexts(): AsyncGenerator<string> {
    if (file === undefined) return;
    try {
      for await (const { lines } of readLog(chunksOf(file, wholeBytes))) {
        for (const line of lines) if (isKeyLine(line, owner)) yield keyOf(line);
      }
    } catch (error) {
      throw new DiskError(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }
  /** The lines that are not stale. */
  async function* liveLines(): AsyncGenerator<string> {
    let text = textOf(headerOf(owner));
    if (lastNight !== undefined) {
      const { end, ...night } = lastNight;
      text += textOf(night) + (end === undefined ? "" : textOf({ end }));
    }
    for await (const key of keyTexts()) {
      const entry = keys.entry(key);
      const known = knownOf(entry);
      if (known.gone === true || hasFlag(entry, flags.isCopied)) continue;
      setFlag(entry, flags.isCopied);
      text += keyLine(key, known, owner);
      if (text.length < batchChars) continue;
      yield text;
      text = "";
    }
    if (text !== "") yield text;
  }

  const rewrite = async () => {
    const fresh = await writeLog(settings, liveLines());
    await file?.close().catch(() => {});
    file = fresh.file;
    log = fresh;
  };

  const prepare = async () => {
    const length = await (file === undefined ? disk.length(path) : file.lengthAt(path));
    if (length !== (file === undefined ? undefined : openedBytes)) throw changed();
    if (file === undefined) return rewrite();
    // What was not written as a whole is cut off: nothing was sent on its account.
    if (wholeBytes < openedBytes) await file.truncate(wholeBytes);
    // What a killed run wrote may not be on the disk yet.
    await file.datasync();
    await disk.syncFolder(path);
    log = await openLog(file, wholeBytes, settings);
    let live = 0;
    keys.forEach((entry) => {
      if (isLive(entry)) live++;
    });
    if (live < lineCount / 2) await rewrite();
  };

  const changed = () =>
    new ChangedFileError(
      `${path} was changed by something other than this run: look for another eventload that uses it. The run stops so that the state stays correct.`,
    );

  const append = async (mustSync: boolean) => {
    const lines = batch;
    batch = "";
    if (lines !== "") await log?.append(lines);
    if (mustSync && log?.isSynced === false) await log.sync();
  };

  const write = async (mustSync: boolean, isLast = false) => {
    if (failure !== undefined) throw failure;
    try {
      if (log !== undefined && (await log.standing(isLast)) !== "ours") throw changed();
      await append(mustSync);
    } catch (error) {
      const why = `${path} cannot be written: ${reasonOf(error)}`;
      failure = error instanceof DiskError ? error : new DiskError(why, { cause: error });
      throw failure;
    }
  };

  return {
    /** What the service has by the log as it was opened. */
    keys,
    path,
    isFirst,
    keyTexts,
    /** Undefined if none has begun. */
    get lastNight() {
      return lastNight;
    },
    /**
     * Creates the log, or cuts off its torn end and rewrites it if more than half of its lines are stale. Begins a
     * night, if one is given. All of that is on the disk when it returns, and the table must be as it was until then.
     *
     * @throws CannotStartError if the log cannot be written, or has changed since it was opened
     */
    async begin(night?: NightLine) {
      try {
        await prepare();
        if (night !== undefined) {
          lastNight = night;
          batch += textOf(night);
        }
        await append(true);
        wholeBytes = log?.bytes ?? 0;
      } catch (error) {
        const isChanged = error instanceof ChangedFileError;
        const why = isChanged ? "something else has changed it since it was read" : reasonOf(error);
        throw cannotStart("output_not_writable", path, why);
      }
    },
    /** Adds to the next batch what the service has of a key. */
    put(key: string, known: Known) {
      batch += keyLine(key, known, owner);
    },
    /**
     * Writes the batch. Must not be called again before it has returned.
     *
     * @param mustSync whether a key in it, or in a batch before, is open and an event of it is about to leave
     * @throws DiskError; ChangedFileError if somebody else has changed the log
     */
    write: (mustSync: boolean) => write(mustSync),
    /** Writes and syncs what was put, and that the night is over. @param at an ISO 8601 instant; @throws DiskError */
    async end(at: string) {
      batch += textOf({ end: at });
      await write(true, true);
    },
    async close() {
      await file?.close();
      file = undefined;
      log = undefined;
    },
  };
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

const format = 1;

function headerOf(owner: StateOwner): HeaderLine {
  return { eventload_state: format, ...owner };
}

function textOf(line: StateLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Checked by hand, as there may be millions. */
function isKeyLine(line: unknown, { ordering_key }: StateOwner): line is KeyLine {
  if (typeof line !== "object" || line === null) return false;
  const { k, d, gone, away } = line as Partial<Record<keyof KeyLine, unknown>>;
  if (!Array.isArray(k) || k.length !== ordering_key.length) return false;
  for (let at = 0; at < k.length; at++) if (typeof k[at] !== "string") return false;
  if (d !== undefined && !(typeof d === "string" && digest.test(d))) return false;
  return (gone === undefined || gone === true) && (away === undefined || away === true);
}

const digest = /^[\da-f]{16}$/;

/** The text of a key is its one cell, or its cells as JSON. */
function keyOf({ k }: KeyLine): string {
  return k.length === 1 ? (k[0] ?? "") : JSON.stringify(k);
}

/** The line of a key. It is made by hand, as a night writes it for each key. */
function keyLine(key: string, { d, gone, away }: Known, { ordering_key }: StateOwner): string {
  const k = ordering_key.length === 1 ? `[${JSON.stringify(key)}]` : key;
  const digest = d === undefined ? "" : `,"d":"${d}"`;
  return `{"k":${k}${digest}${gone ? ',"gone":true' : ""}${away ? ',"away":true' : ""}}\n`;
}

/** @throws CannotStartError if the state is of another version or owner */
function checkOwner(path: string, line: Partial<HeaderLine>, owner: StateOwner): void {
  if (line.eventload_state !== format) {
    const why = "another version of eventload wrote it: use that version";
    throw cannotStart("state_unreadable", path, why);
  }
  const found = parse(ownerSchema, line);
  const wanted = JSON.parse(textOf(headerOf(owner))) as HeaderLine;
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
