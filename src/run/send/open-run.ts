import { openJournal } from "../../journal/journal.ts";
import type { RunIdentity } from "../../journal/run-identity.ts";
import {
  countsOnRecord,
  countUnanswered,
  rowsSettled,
  type UnfinishedRun,
  unwritten,
} from "../../journal/unfinished-run.ts";
import { cannotStart, DiskError, reasonOf, stopForDisk } from "../../model/errors.ts";
import { createOutcomeGroups } from "../../model/outcome-groups.ts";
import { sum } from "../../model/quantities.ts";
import { charsWhileSent } from "../../model/row.ts";
import type { Checkpoint, EventRecord } from "../../model/run-record.ts";
import { openResultsWriter, type ResultsWriter } from "../../results/results-writer.ts";
import { createTally } from "../../results/tally.ts";
import { createRunMeter } from "../../stats/run-meter.ts";
import type { RunContext } from "../options/run-context.ts";
import { sealOf } from "../options/seal.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import { createReadAhead, type ReadAheadLimits } from "./read-ahead.ts";

/** The files of a run, opened, and what bounds and counts it. */
export type OpenRun = Awaited<ReturnType<typeof openRun>>;

/** A character takes up to two bytes in memory. */
const windowLimits: ReadAheadLimits = {
  maxRows: 10_000,
  maxChars: 4 * 1024 * 1024,
  maxPending: 200_000,
  maxHeldChars: 16 * 1024 * 1024,
};
/** What an outcome and its neighbours may take in the journal when the disk is full. */
const journalBytesPerEvent = 2048;

const reserveFor = (concurrency: number) => 2 * concurrency * journalBytesPerEvent;

/** The most that a journal of so many events takes, which is compacted when it has grown by so much. */
export function journalRoom(events: number, concurrency: number, growthBytes: number): number {
  const written = Math.min(events * usualBytesPerEvent, 2 * growthBytes);
  return written + reserveFor(concurrency) + allocatedAtOnce;
}

/** Measured: some 310. */
const usualBytesPerEvent = 512;
const allocatedAtOnce = 256 * 1024;

/**
 * Opens the journal and the results, new ones or those of an unfinished run. The journal is the first file
 * that a run makes, and the last that it removes.
 *
 * @throws CannotStartError if there is no space, or no permission, to start
 */
export async function openRun(
  context: RunContext,
  input: PreparedInput,
  identity: RunIdentity,
  rowsTotal: number | undefined,
) {
  const { settings, files, account, unfinished, stop, ports } = context;
  const { clock, concurrency, onNotice: notify } = settings;
  const from = unfinished?.checkpoint;

  const window = createReadAhead(windowLimits, stop.signal);
  let results: ResultsWriter | undefined;
  const journal = await openJournal({
    disk: ports.disk,
    path: files.journal,
    run: await sealed(context, {
      ...identity,
      rowsTotal: (unfinished === undefined ? rowsTotal : unfinished.run.rowsTotal) ?? null,
    }),
    isFirst: unfinished === undefined,
    reserveBytes: reserveFor(concurrency),
    growthBytes: ports.journalGrowthBytes,
    waitUntil: unfinished?.waitUntil,
    now: clock.now,
    async snapshot(take) {
      const known = unfinished === undefined ? [] : knownRecords(unfinished);
      if (results === undefined) {
        return take({ checkpoint: from ?? beginning(), records: known });
      }
      await results.snapshot((checkpoint, records) =>
        take({ checkpoint, records: both(known, records) }),
      );
    },
    onFailure(error, standing) {
      const message = `${files.journal} cannot be written: ${reasonOf(error)}`;
      const cause = error instanceof DiskError ? error : new DiskError(message);
      // Then the results belong to the other process, too.
      if (standing === "taken_over") results?.abort(cause);
      stop.abort(stopForDisk(cause));
    },
  }).catch((error: NodeJS.ErrnoException) => {
    // A process that the lock does not reach has made it since we looked.
    if (error.code === "EEXIST") throw cannotStart("locked", files.results);
    throw cannotStart("output_not_writable", files.journal, reasonOf(error));
  });

  results = await openResultsWriter({
    disk: ports.disk,
    path: files.part,
    columns: input.columns,
    hasSources: input.hasSources,
    inputId: identity.imported.input.id,
    part: identity.part,
    from,
    schedule: clock.schedule,
    onSettled: (row, chars) => window.hold(charsWhileSent(row), chars),
    onWritten: window.leaveHeld,
    onDiskError: (error) => stop.abort(stopForDisk(error)),
  }).catch(async (error: unknown) => {
    // If it cannot be removed, it says that nothing has been sent yet.
    if (unfinished === undefined) await journal.remove().catch(() => {});
    else await journal.close();
    throw error;
  });

  // Lines that the journal does not keep settle again when an import is resumed; they have been counted.
  const linesBefore =
    unfinished?.run.kind === "import"
      ? sum(Object.values(countsOnRecord(unfinished)))
      : Number.POSITIVE_INFINITY;
  const meter = createRunMeter(clock, account?.figures, linesBefore);
  const problems = createOutcomeGroups();
  if (unfinished !== undefined) {
    notify({
      kind: "resumed",
      rows: rowsSettled(unfinished),
      ...countUnanswered(unfinished),
    });
  }
  return { journal, results, window, meter, problems };
}

/** Nothing is written. */
export function beginning(): Checkpoint {
  return { rows: 0, resultsBytes: 0, tally: createTally().copy() };
}

/**
 * What an interrupted part of the run knew about rows that this one has not read yet. An attempt whose end
 * it did not record is unanswered: once recorded as such, it stays so at the next interruption.
 */
function* knownRecords(unfinished: UnfinishedRun): Generator<EventRecord> {
  for (const ofRow of unwritten(unfinished)) {
    for (const record of ofRow) {
      if (record.kind !== "intent") yield record;
      else {
        const { attempt, unanswered, ...others } = record;
        yield { ...others, kind: "attempted", attempts: attempt, unanswered: unanswered + 1 };
      }
    }
  }
}

function* both<Item>(first: Iterable<Item>, second: Iterable<Item>): Generator<Item> {
  yield* first;
  yield* second;
}

/** Seals what a run was started with, so that a resume can trust it. */
async function sealed({ files, settings }: RunContext, run: RunIdentity): Promise<RunIdentity> {
  try {
    return { ...run, seal: await sealOf(files.journal, run, settings.stateFolder) };
  } catch (error) {
    const message = `This run is not sealed (${reasonOf(error)}): retry and resume will ask for its address and mapping. XDG_STATE_HOME names another folder for the key.`;
    settings.onNotice({ kind: "warning", message });
    return run;
  }
}
