import { endOfTurn } from "./delivery/clock.ts";
import type { DeliveryNotice } from "./delivery/notice.ts";
import { type OpenDelivery, openDelivery } from "./delivery/open-delivery.ts";
import {
  createStatusRules,
  parseStatusLists,
  type StatusLists,
  type StatusRules,
} from "./delivery/status-rules.ts";
import { createWindow, type Window, type WindowLimits } from "./delivery/window.ts";
import { cannotStart, DiskError, reasonOf, stopForDisk } from "./domain/errors.ts";
import { createOutcomeGroups, type OutcomeGroups } from "./domain/outcome-groups.ts";
import { count } from "./domain/quantities.ts";
import { charsOf } from "./domain/row.ts";
import { earlierFigures } from "./earlier-figures.ts";
import { addEarlierProblems } from "./earlier-problems.ts";
import { createRunMeter, type RunMeter } from "./figures/run-meter.ts";
import { heldBackKeys } from "./held-back-keys.ts";
import type { RunIdentity } from "./journal/run-identity.ts";
import {
  eventsOf,
  linesOnRecord,
  onTheirWay,
  perhapsSent,
  rowsSettled,
} from "./journal/unfinished-run.ts";
import { type Journal, openJournal } from "./journal/write-journal.ts";
import type { PreparedRun } from "./prepare-run.ts";
import { createReadPositions, type ReadPositions } from "./read-positions.ts";
import { openResultsWriter, type ResultsWriter } from "./results/results-writer.ts";
import type { RunContext } from "./run-context.ts";
import { sealOf } from "./seal.ts";

/** The stages of a run with their files and connections open. */
export interface OpenRun {
  readonly journal: Journal;
  readonly results: ResultsWriter;
  readonly delivery: OpenDelivery;
  /** Bounds the rows that have been read and do not stand in the results yet. */
  readonly window: Window;
  readonly positions: ReadPositions;
  /** Takes down how the sending goes. */
  readonly meter: RunMeter;
  /** What did not succeed, like with like. */
  readonly problems: OutcomeGroups;
}

const mostProblemGroups = 200;
const rowsOfProblem = 5;

const windowLimits: WindowLimits = {
  maxRows: 10_000,
  maxChars: 8 * 1024 * 1024,
  // What a resume may have to load, and what the journal may hold, goes by this.
  maxPending: 200_000,
  maxBytesOnDisk: 256 * 1024 * 1024,
};
/** What an outcome and its neighbours may take in the journal when the disk is full. */
const journalBytesPerEvent = 2048;

/**
 * Opens journal, results and delivery, or goes on with those of an unfinished run. The journal is the
 * first file of a run, and the last to go.
 *
 * @throws CannotStartError where there is no room, or no right, for a start
 */
export async function openRun(
  context: RunContext,
  { endpoint, route, token, input, identity }: PreparedRun,
  rowsTotal: number | undefined,
): Promise<OpenRun> {
  const { settings, files, unfinished, stop, ports } = context;
  const { clock, concurrency, onNotice: notify } = settings;
  const from = unfinished?.checkpoint;

  const window = createWindow(windowLimits, stop);
  const positions = createReadPositions(from);
  let results: ResultsWriter | undefined;
  const journal = await openJournal({
    disk: ports.disk,
    path: files.journal,
    run: await sealed(context, {
      ...identity,
      rowsTotal: (unfinished === undefined ? rowsTotal : unfinished.run.rowsTotal) ?? null,
      startedAt: (unfinished?.run ?? identity).startedAt,
    }),
    isFirst: unfinished === undefined,
    durability: settings.durability,
    events: unfinished === undefined ? [] : eventsOf(unfinished),
    reserveBytes: 2 * concurrency * journalBytesPerEvent,
    maxInDoubt: 2 * concurrency,
    growthBytes: ports.journalGrowthBytes,
    endOfTurn,
    checkpoint: async () => positions.checkpoint(await results?.checkpoint()),
    onFailure(error, standing) {
      const message = `${files.journal} cannot be written: ${reasonOf(error)}`;
      const cause = error instanceof DiskError ? error : new DiskError(message);
      // The results are another's then, too.
      if (standing === "another's") results?.breakOff(cause);
      stop.request(stopForDisk(cause));
    },
  }).catch(async (error: NodeJS.ErrnoException) => {
    await input.close();
    // Made since it was looked for, by a process that the lock does not reach.
    if (error.code === "EEXIST") throw cannotStart("locked", files.results);
    throw cannotStart("output_not_writable", files.journal, reasonOf(error));
  });

  results = await openResultsWriter({
    disk: ports.disk,
    files,
    columns: input.columns,
    hasSources: input.hasSources,
    inputId: input.id,
    from,
    schedule: clock.schedule,
    spillBeyond: ports.spillBeyond,
    onWritten: (row) => window.leave(charsOf(row)),
    onSpilled: (row, bytes) => window.setAside(charsOf(row), bytes),
    onRestored: window.leaveDisk,
    onDiskError: (error) => stop.request(stopForDisk(error)),
  }).catch(async (error: unknown) => {
    // Where it cannot be taken away, it says that nothing has been sent yet.
    if (unfinished === undefined) await journal.remove().catch(() => {});
    else await journal.close();
    await input.close();
    throw error;
  });

  const meter = createRunMeter(
    clock,
    await earlierFigures(files.manifest, unfinished),
    unfinished === undefined ? 0 : linesOnRecord(unfinished),
  );
  const delivery = openDelivery(
    {
      ...settings,
      ...{ endpoint, route, token, mode: settings.delivery },
      tokenSource: settings.token,
      onKeyFailure: input.onKeyFailure,
      statuses: statusRulesOf(settings.statuses),
      isResumed: unfinished !== undefined,
      meter,
    },
    ports.createPoster,
    journal,
    clock,
    stop,
    (notice) => {
      meterNotice(meter, notice);
      notify(notice);
    },
  );
  const problems = createOutcomeGroups(mostProblemGroups, rowsOfProblem);
  if (unfinished !== undefined) {
    const lost = from?.rowsLost ?? 0;
    if (lost > 0) {
      const message = `${files.results} was gone and is written again: what became of ${count(lost, "row")}, which only it knew, is unknown.`;
      notify({ kind: "warning", message });
    }
    notify({
      kind: "resumed",
      rows: rowsSettled(unfinished),
      perhapsSent: perhapsSent(unfinished),
      onTheirWay: onTheirWay(unfinished),
    });
    const { failedRowsFile } = results;
    await addEarlierProblems(problems, ports.disk, failedRowsFile, context.kind);
    for await (const { key, row } of heldBackKeys(ports.disk, failedRowsFile, input)) {
      delivery.block(key, row);
    }
  }
  return { journal, results, delivery, window, positions, meter, problems };
}

/** What a run was started with, so that a resume can trust it; of one that goes on, what it goes on with. */
async function sealed({ files, settings }: RunContext, run: RunIdentity): Promise<RunIdentity> {
  try {
    return { ...run, seal: await sealOf(files.journal, run, settings.stateFolder) };
  } catch (error) {
    const message = `This run is not sealed (${reasonOf(error)}): retry and resume will ask for its address and mapping. XDG_STATE_HOME names another folder for the key.`;
    settings.onNotice({ kind: "warning", message });
    return run;
  }
}

function meterNotice(meter: RunMeter, notice: DeliveryNotice): void {
  switch (notice.kind) {
    case "pause":
      meter.paused(notice.reason, notice.message);
      break;
    case "open":
      meter.opened();
      break;
    case "retry":
    case "token_renewed":
      break; // an attempt is counted when it leaves
    default:
      notice satisfies never;
  }
}

/** Lists that make no sense were refused when the options were checked. */
function statusRulesOf(lists: StatusLists): StatusRules {
  const read = parseStatusLists(lists);
  return createStatusRules(read.kind === "statuses" ? read.statuses : {});
}
