import { crc32 } from "node:zlib";
import { LogDamagedError } from "../../journal/log.ts";
import { type JournalRecord, journalNumbers, readJournal } from "../../journal/read-journal.ts";
import { type Disk, type DiskFile, writeAll } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { journalOfState } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { createHashedFile } from "../../results/hashed-file.ts";
import { type PartOnRecord, readPartRecord } from "../send/part-record.ts";
import {
  createKnownKeys,
  flags,
  hasFlag,
  notKnown,
  renderedOf,
  setFlag,
  setKnown,
} from "./known-keys.ts";
import {
  hexOfSum,
  type KnownKey,
  keyLine,
  type LastNight,
  noText,
  type RunLine,
  readKeyLines,
  readStateText,
  runLine,
  type StateOwner,
} from "./state-text.ts";

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
  const journal = journalOfState(path);
  let file: DiskFile | undefined;
  let text = noText;
  let isFirst = false;
  let hasJournal = false;
  /** What was left beside the state, and says what became of its run. */
  let part: PartOnRecord | undefined;
  let isJournalLost = false;

  const readKeys = async () => {
    for await (const found of keyLines()) {
      for (const { key, known } of found as KnownKey[]) {
        const entry = keys.entry(key);
        setKnown(entry, known);
        setFlag(entry, flags.isInFile, known.gone !== true);
      }
    }
    if (keys.size !== text.count) throw new LogDamagedError(0);
  };

  const takeRecord = (record: JournalRecord) => {
    if (!("key" in record) || record.key === undefined) return;
    const entry = keys.entry(record.key);
    setKnown(entry, record.kind === "key" ? record : notKnown(entry));
  };

  const fold = async () => {
    const { run } = text;
    hasJournal = (await journalNumbers(disk, journal)).length > 0;
    // Whoever has taken the state away wants every key to be sent.
    if (isFirst || (run === undefined && !hasJournal)) return;
    let isOfRun = false;
    try {
      const found = await readPartRecord(disk, journal, (record) => {
        if (record.kind !== "run") return isOfRun && takeRecord(record);
        isOfRun = run === undefined || record.run.imported.started_at === run.run;
      });
      if (isOfRun) part = found;
    } catch (error) {
      const isBeyondUse = error instanceof CannotStartError && error.code.startsWith("journal_");
      if (!isBeyondUse) throw error;
    }
    isJournalLost = run !== undefined && part === undefined;
    if (!isJournalLost) return;
    keys.forEach((entry) => {
      setKnown(entry, hasFlag(entry, flags.isInFile) ? notKnown(entry) : { gone: true });
    });
  };

  /** The file is closed before another takes its name: Windows replaces no file that is open. */
  const opened = async () => {
    file ??= await disk.open(path);
    return file;
  };
  const close = async () => {
    await file?.close();
    file = undefined;
  };

  /** The keys of the file with what it says of them; what is not wanted as text. */
  async function* keyLines(isWanted?: (key: string) => boolean) {
    if (text.known !== undefined) yield text.known;
    if (text.keysEnd > 0) yield* readKeyLines(await opened(), text, owner, isWanted);
  }

  async function* keyRecords(): AsyncGenerator<KnownKey[]> {
    if (isJournalLost) return;
    for await (const { records } of readJournal(disk, journal)) {
      yield records.flatMap((one): KnownKey[] =>
        "key" in one ? [{ key: one.key, known: one.kind === "key" ? one : {} }] : [],
      );
    }
  }

  try {
    file = await disk.open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return undefined;
    });
    isFirst = file === undefined;
    if (file !== undefined) text = await readStateText(file, path, owner);
    await readKeys();
    await fold();
  } catch (error) {
    await close().catch(() => {});
    if (error instanceof CannotStartError) throw error;
    const isDamaged = error instanceof LogDamagedError || error instanceof SyntaxError;
    const why = isDamaged ? "it is not a state, or it is damaged or was edited" : reasonOf(error);
    throw cannotStart("state_unreadable", path, why);
  }

  /** The line of a key of the file; blank if a record says more, or there is nothing to say. */
  const renderedLine = ({ key, known: { d, m, gone, away }, line }: KnownKey): string => {
    const entry = keys.entry(key);
    const known = renderedOf(entry);
    const isSame = known.d === d && known.gone === gone && known.away === away;
    if (isSame && line !== undefined) return `${line}\n`;
    const isSaid = known.gone === true || (known.d !== undefined && known.d !== d);
    if (isSaid) setFlag(entry, flags.isInFile, false);
    return isSaid ? "" : keyLine(key, known, m, owner);
  };

  /** The line of a key that is new in a journal, or has other events; blank if it was written. */
  const renderedRecord = ({ key, known: { d, m } }: KnownKey): string => {
    const entry = keys.entry(key);
    const known = renderedOf(entry);
    if (hasFlag(entry, flags.isInFile) || known.gone === true) return "";
    if (known.d !== undefined && known.d !== d) return "";
    setFlag(entry, flags.isInFile);
    return keyLine(key, known, m, owner);
  };

  async function* rendered(
    next: LastNight,
    mayChange: ((key: string) => boolean) | undefined,
  ): AsyncGenerator<Buffer> {
    let batch = `${JSON.stringify({ eventload_state: 2, ...owner, ...next })}\n`;
    let sum = 0;
    let { count } = text;
    const flush = () => {
      const bytes = Buffer.from(batch);
      sum = crc32(bytes, sum);
      batch = "";
      return bytes;
    };
    for await (const found of keyLines(mayChange)) {
      for (const one of found) {
        const line = typeof one === "string" ? one : renderedLine(one);
        if (line === "") count--;
        batch += line;
      }
      yield flush();
    }
    for await (const records of keyRecords()) {
      for (const record of records) {
        const line = renderedRecord(record);
        if (line !== "") count++;
        batch += line;
      }
      if (batch.length > batchChars) yield flush();
    }
    yield flush();
    yield Buffer.from(`${JSON.stringify({ keys: count, sum: hexOfSum(sum) })}\n`);
  }

  /**
   * Renders the state beside its place.
   *
   * @param mayChange the keys of which it may say something else; default all
   * @throws DiskError
   */
  const renderTo = async (
    next: LastNight,
    mayChange?: (key: string) => boolean,
  ): Promise<Fingerprint> => {
    const made = await createHashedFile(disk, `${path}.new`);
    try {
      for await (const bytes of rendered(next, mayChange)) await made.add(bytes);
      await close();
      return await made.finish();
    } catch (error) {
      await made.discard();
      throw error;
    }
  };

  /** Replaces what stands behind what was rendered. */
  const changeTail = async (run?: RunLine) => {
    try {
      const at = await opened();
      await at.truncate(text.renderedBytes);
      await writeAll(at, Buffer.from(run === undefined ? "" : runLine(run)), text.renderedBytes);
      await at.datasync();
    } catch (error) {
      throw cannotStart("output_not_writable", path, reasonOf(error));
    }
    text = { ...text, run };
  };

  return {
    /** What the service has of each key, also by the journal of a run that broke. */
    keys,
    path,
    isFirst,
    /** Whether a broken run has left something, or an earlier version. */
    isLeft: text.run !== undefined || hasJournal || text.known !== undefined,
    nights: text.nights,
    keyLines,
    keyRecords,
    takeRecord,
    get line() {
      return text.run;
    },
    part,
    /** Whether the journal is gone or of no use: what the service has of any key is not known. */
    isJournalLost,
    get lastNight() {
      const { run, nights } = text;
      return run === undefined || "retry" in run ? nights.night : run;
    },
    /** Renders the state in its place, with what is known by now. @throws CannotStartError */
    async rewrite(next: LastNight) {
      try {
        await renderTo(next);
        await disk.rename(`${path}.new`, path);
        await disk.syncFolder(path);
        text = await readStateText(await opened(), path, owner);
      } catch (error) {
        throw cannotStart("output_not_writable", path, reasonOf(error));
      }
    },
    renderTo,
    /** A run begins: that is on the disk when it returns. @throws CannotStartError */
    async append(next: RunLine) {
      await changeTail(next).catch(async (error: unknown) => {
        await changeTail().catch(() => {});
        throw error;
      });
    },
    /** The run that has begun has reached nobody. @throws CannotStartError */
    cut: () => changeTail(),
    close,
  };
}

const batchChars = 64 * 1024;

export function nightsAfter({ line, nights }: StateFile, isBroken: boolean): LastNight {
  if (line === undefined || "retry" in line) return nights;
  return { night: line, ...(isBroken ? { broken: true } : {}) };
}
