import { basename } from "node:path";
import { z } from "zod";
import type { Disk } from "../model/disk/disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../model/errors.ts";
import { amount, describeWrong } from "../model/members.ts";
import type { Row } from "../model/row.ts";
import {
  figuresBefore,
  type LineRecord,
  type RecordAfterBegin,
  recordSchemas,
} from "../model/run-record.ts";
import { LogDamagedError, readLog } from "./log.ts";
import { journalVersion, type RunIdentity, runIdentitySchema } from "./run-identity.ts";

const beginSchema = z.object({
  kind: z.literal("run"),
  run: runIdentitySchema,
  /** How much the process read of the files of those before it, by their numbers, in bytes. */
  read: z.record(z.string(), amount),
  /** Figures of the account before the part; in its first process only. */
  figures: figuresBefore,
});

/** A process began: it stands first in its file. */
export type BeginRecord = Readonly<z.infer<typeof beginSchema>> & { readonly run: RunIdentity };

export type JournalRecord = BeginRecord | RecordAfterBegin;

const recordSchema = z.discriminatedUnion("kind", [beginSchema, ...recordSchemas]);

type JournalDisk = Pick<Disk, "readChunks" | "namesBeside">;

/** The file of a process: `people.results.csv.journal.2`. */
export function journalFile(path: string, number: number): string {
  return `${path}.${number}`;
}

/** The numbers of the processes that have written to a journal, in their order. */
export async function journalNumbers(
  disk: Pick<Disk, "namesBeside">,
  path: string,
): Promise<number[]> {
  const start = `${basename(path)}.`;
  const numbers = (await disk.namesBeside(path)).flatMap((name) =>
    name.startsWith(start) && /^[1-9]\d{0,8}$/.test(name.slice(start.length))
      ? [Number(name.slice(start.length))]
      : [],
  );
  return numbers.toSorted((one, other) => one - other);
}

/**
 * Reads the journal of a part, process by process. What a process has written after a later one had read its file
 * decides nothing, nor does the file of one that was held up until its part was over, and wrote it again.
 *
 * @param kind only records of this kind are returned, of a journal that has been read whole: they are not checked again
 * @returns the records of each batch, the number of its process, and where it ends
 * @throws CannotStartError if the journal is damaged, so that nobody knows what was sent; if another version of
 *   eventload wrote it; or if it cannot be read
 */
export async function* readJournal(disk: JournalDisk, path: string, kind?: JournalRecord["kind"]) {
  const begun: { readonly number: number; readonly begin: BeginRecord | undefined }[] = [];
  for (const number of await journalNumbers(disk, path)) {
    begun.push({ number, begin: await readBegin(disk, path, number) });
  }
  const last = begun.findLast(({ begin }) => begin !== undefined)?.begin;
  const isOfPart = ({ run }: BeginRecord) =>
    run.part === last?.run.part && run.parts[0]?.startedAt === last.run.parts[0]?.startedAt;
  const ofPart = begun.filter(({ begin }) => begin === undefined || isOfPart(begin));
  const readUpTo = new Map<number, number>();
  for (const { number, begin } of ofPart) {
    for (const [of, bytes] of Object.entries(begin?.read ?? {})) {
      // Its own file was there, and empty.
      if (Number(of) >= number) continue;
      readUpTo.set(Number(of), Math.min(bytes, readUpTo.get(Number(of)) ?? bytes));
    }
  }
  for (const { number } of ofPart) {
    const upTo = readUpTo.get(number) ?? Number.POSITIVE_INFINITY;
    readUpTo.delete(number);
    if (upTo === 0) continue;
    let reached = 0;
    for await (const batch of readFile(disk, journalFile(path, number), kind)) {
      yield { number, ...batch };
      reached = batch.end;
      if (batch.end >= upTo) break;
    }
    if (upTo < Number.POSITIVE_INFINITY && reached < upTo) throw lacking(path, number);
  }
  for (const [number, bytes] of readUpTo) if (bytes > 0) throw lacking(path, number);
}

/** The rows that a retry has selected, with their numbers in the part, as the journal has them. */
export async function* selectedRows(
  disk: JournalDisk,
  path: string,
): AsyncGenerator<readonly { readonly rowOfRun: number; readonly row: Row }[]> {
  for await (const { records } of readJournal(disk, path)) {
    yield records.flatMap((one) =>
      one.kind === "row" ? [{ rowOfRun: one.rowOfRun, row: one.row as unknown as Row }] : [],
    );
    if (records.some(({ kind }) => kind === "selected")) return;
  }
}

/** The lines of a journal, of some of its rows or of all, in the order in which they were written. */
export async function* journalLines(
  disk: JournalDisk,
  path: string,
  isOf: (rowOfRun: number) => boolean = () => true,
): AsyncGenerator<readonly LineRecord[]> {
  for await (const { records } of readJournal(disk, path, "line")) {
    yield records.filter((one) => one.kind === "line" && isOf(one.rowOfRun)) as LineRecord[];
  }
}

/** What a part was started with, as the last process says that has begun. @throws CannotStartError */
export async function readLastBegin(
  disk: JournalDisk,
  path: string,
): Promise<RunIdentity | undefined> {
  for (const number of (await journalNumbers(disk, path)).toReversed()) {
    const begin = await readBegin(disk, path, number);
    if (begin !== undefined) return begin.run;
  }
  return undefined;
}

/** The first record of a process; undefined if it had not begun. */
async function readBegin(
  disk: JournalDisk,
  path: string,
  number: number,
): Promise<BeginRecord | undefined> {
  for await (const { records } of readFile(disk, journalFile(path, number))) {
    const [begin] = records;
    return begin?.kind === "run" ? begin : undefined;
  }
  return undefined;
}

/** A later process has read more of a file than there is. */
function lacking(path: string, number: number): CannotStartError {
  const why = `${basename(journalFile(path, number))} is missing, or lacks what a later process has read`;
  return cannotStart("journal_edited", path, why);
}

async function* readFile(disk: JournalDisk, path: string, kind?: JournalRecord["kind"]) {
  // As each record is written.
  const start = kind && `{"kind":"${kind}"`;
  try {
    for await (const { lines, end } of readLog(disk.readChunks(path), start)) {
      const toRecord = (line: unknown) =>
        kind === undefined ? parseRecord(line, path) : (line as JournalRecord);
      yield { records: lines.map(toRecord), end };
    }
  } catch (error) {
    if (error instanceof LogDamagedError) throw cannotStart("journal_damaged", path, error.offset);
    if (error instanceof CannotStartError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code === "EBUSY") throw cannotStart("file_in_use", path);
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

/** The record as it was written, because the seal covers that. @throws CannotStartError */
function parseRecord(record: unknown, path: string): JournalRecord {
  const { kind, run } = (record ?? {}) as Readonly<Record<"kind" | "run", unknown>>;
  const { version, eventload } = (run ?? {}) as Partial<RunIdentity>;
  // What its other records mean may differ.
  if (kind === "run" && typeof version === "number" && version !== journalVersion) {
    throw cannotStart("journal_outdated", path, eventload);
  }
  const { error } = recordSchema.safeParse(record);
  if (error !== undefined) throw cannotStart("journal_edited", path, describeWrong(error));
  return record as JournalRecord;
}
