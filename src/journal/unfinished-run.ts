import type { Disk } from "../model/disk/disk.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import type { EventRecord } from "../model/run-record.ts";
import { type JournalContent, readJournal } from "./read-journal.ts";
import type { RunIdentity, RunOptions } from "./run-identity.ts";

export type UnfinishedRun = Extract<JournalContent, { kind: "run" }>;

/**
 * Finds the run that a journal is about.
 *
 * @throws CannotStartError if the journal is damaged: what was sent cannot be known then
 */
export async function findUnfinishedRun(
  disk: Disk,
  path: string,
): Promise<UnfinishedRun | undefined> {
  let content: JournalContent;
  try {
    content = await readJournal(disk.readChunks(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
  switch (content.kind) {
    case "run":
      return content;
    case "damaged":
      throw cannotStart("journal_damaged", path, content.offset);
    case "outdated":
      throw cannotStart("journal_outdated", path);
    case "unborn":
      // It was interrupted before it was on record, and so before it made or sent anything else.
      return undefined;
  }
}

/** What is known of one event after another, as often as it is asked for. */
export function eventsOf({ events }: UnfinishedRun): Iterable<EventRecord> {
  return {
    *[Symbol.iterator]() {
      for (const ofRow of events.values()) yield* ofRow;
    },
  };
}

/**
 * How many events may have been sent without an answer when the run was interrupted: it was killed, or
 * left the answer for lost.
 */
export function perhapsSent({ events }: UnfinishedRun): number {
  let count = 0;
  for (const ofRow of events.values()) {
    count += ofRow.filter(isPerhapsSent).length;
  }
  return count;
}

function isPerhapsSent(record: EventRecord): boolean {
  switch (record.kind) {
    case "intent":
      return true;
    case "attempted":
      return record.unanswered > 0;
    case "outcome":
      return false;
  }
}

/** How many of them were on their way at that moment: of their last attempt there is no end on record. */
export function inFlight({ events }: UnfinishedRun): number {
  let count = 0;
  for (const ofRow of events.values()) {
    count += ofRow.filter(({ kind }) => kind === "intent").length;
  }
  return count;
}

/** Whether the service has taken or refused an event. */
export function hasSucceeded({ checkpoint, events }: UnfinishedRun): boolean {
  const { succeeded = 0, rejected = 0 } = checkpoint?.tally.counts ?? {};
  if (succeeded + rejected > 0) return true;
  for (const ofRow of events.values()) {
    const isTaken = ofRow.some(
      (record) =>
        record.kind === "outcome" && ["succeeded", "rejected"].includes(record.outcome.status),
    );
    if (isTaken) return true;
  }
  return false;
}

/** How many rows have their outcome, in the results or in the journal. */
export function rowsSettled({ checkpoint, events }: UnfinishedRun): number {
  const written = checkpoint?.rows ?? 0;
  let count = written;
  for (const [row, ofRow] of events) {
    if (row > written && ofRow.every(({ kind }) => kind === "outcome")) count++;
  }
  return count;
}

/** How many lines have their outcome in the results or in the journal. */
export function linesOnRecord({ checkpoint, events }: UnfinishedRun): number {
  let count = checkpoint?.tally.lines ?? 0;
  for (const [row, ofRow] of events) {
    if (row <= (checkpoint?.rows ?? 0)) continue;
    count += ofRow.filter(({ kind }) => kind === "outcome").length;
  }
  return count;
}

/** What a run would do otherwise than the one it is to continue, a part of a sentence each. */
export function differences(before: RunIdentity, now: RunIdentity): string[] {
  const found: string[] = [];
  found.push(...inputDifferences(before, now));
  found.push(...baselineDifferences(before, now));
  if (before.mapping.sha256 !== now.mapping.sha256) {
    found.push(`the mapping ${now.mapping.path} is not what it was`);
  }
  for (const { path, sha256 } of before.mapping.lookups ?? []) {
    const known = now.mapping.lookups?.find((one) => one.path === path);
    if (known?.sha256 !== sha256) {
      found.push(`the file ${path} that the mapping uses is not what it was`);
    }
  }
  if (before.baseUrl !== now.baseUrl) {
    found.push(`the base URL was ${before.baseUrl} and is ${now.baseUrl}`);
  }
  if (before.results !== now.results) {
    found.push(`its results are ${before.results}, not ${now.results}`);
  }
  if (before.kind !== now.kind) found.push(`it was an ${before.kind}, not an ${now.kind}`);
  for (const name of ["delivery", "idempotencyHeader", "skip", "limit"] as const) {
    const [was, is] = [before.options[name], now.options[name]];
    if (was !== is)
      found.push(`${optionNames[name]} was ${was ?? "not given"} and is ${is ?? "not given"}`);
  }
  const [readBefore, readNow] = [before.options.reading ?? {}, now.options.reading ?? {}];
  for (const [name, option] of Object.entries(readingNames)) {
    const [was, is] = [readBefore, readNow].map((one) => one[name as keyof typeof readingNames]);
    if (was === is || readsAlike(name, before.options, now.options)) continue;
    const [given = "not given", after = "not given"] = [was, is].map(asTyped);
    found.push(`${option} was ${given} and is ${after}`);
  }
  const [header, headerNow] = [readBefore.header ?? true, readNow.header ?? true];
  if (header !== headerNow) found.push(`--no-header was ${header ? "not given" : "given"}`);
  return found;
}

function inputDifferences(before: RunIdentity, now: RunIdentity): string[] {
  const notWhatItWas = (path: string) => `the input ${path} is not what it was`;
  if (before.inputs === undefined && now.inputs === undefined) {
    const { path, name, sha256 } = now.input;
    return before.input.sha256 === sha256 ? [] : [notWhatItWas(path ?? name)];
  }
  const [were, are] = [before.inputs ?? [before.input], now.inputs ?? [now.input]];
  const without = (files: typeof were, others: typeof were) =>
    files.map(({ name }) => name).filter((name) => others.every((other) => other.name !== name));
  const [gone, added] = [without(were, are), without(are, were)];
  const found = are.flatMap(({ path, name, sha256 }) => {
    const file = were.find((one) => one.name === name);
    return file === undefined || file.sha256 === sha256 ? [] : [notWhatItWas(path ?? name)];
  });
  if (gone.length > 0) found.unshift(`it read ${gone.join(", ")} too`);
  if (added.length > 0) found.unshift(`it did not read ${added.join(", ")}`);
  const isMoved = are.some(({ name }, at) => were[at]?.name !== name);
  return found.length === 0 && isMoved ? ["its inputs came in another order"] : found;
}

function baselineDifferences(before: RunIdentity, now: RunIdentity): string[] {
  const [were, are] = [before.baseline ?? [], now.baseline ?? []];
  if (were.length !== are.length) {
    const paths = were.map(({ path }) => path).join(", ");
    return [`--baseline was ${paths === "" ? "not given" : paths}`];
  }
  return are.flatMap(({ path, sha256 }, at) =>
    were[at]?.sha256 === sha256 ? [] : [`the baseline ${path} is not what it was`],
  );
}

const optionNames = {
  delivery: "--delivery",
  idempotencyHeader: "--idempotency-header",
  skip: "--skip",
  limit: "--limit",
};

/** Whether one of two runs was told what the other one found out. */
function readsAlike(name: string, before: RunOptions, now: RunOptions): boolean {
  if (name !== "encoding" && name !== "delimiter" && name !== "quote") return false;
  const [was, is] = [before, now].map(({ reading, readAs }) => {
    const part = reading?.[name] ?? readAs?.[name];
    return name === "encoding" ? part?.toLowerCase() : part;
  });
  return was !== undefined && was === is;
}

function asTyped(value: string | number | undefined): string | undefined {
  return value === "" ? "none" : value?.toString();
}

/** What decides on which rows an input has. How long a record may be does not. */
const readingNames = {
  encoding: "--encoding",
  delimiter: "--delimiter",
  quote: "quote (in eventload.yaml)",
  skipLines: "--skip-lines",
  sheet: "--sheet",
};
