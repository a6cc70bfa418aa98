import { openDelivery } from "../../delivery/delivery.ts";
import type { DeliveryJournal } from "../../delivery/delivery-contract.ts";
import type { Connections } from "../../delivery/http/connections.ts";
import type { PendingEvent } from "../../delivery/pending-event.ts";
import {
  countsOnRecord,
  eventOf,
  isServiceKnown,
  rowsSettled,
  unwritten,
} from "../../journal/unfinished-run.ts";
import { isSameService } from "../../model/endpoint.ts";
import { InputDamagedError, reasonOf, stopForDisk } from "../../model/errors.ts";
import type { LoadEvent } from "../../model/event.ts";
import type { Manifest } from "../../model/manifest.ts";
import { holdsBackKey, isDone, noCounts, type Outcome } from "../../model/outcome.ts";
import { endedLine, type OutcomeGroups } from "../../model/outcome-groups.ts";
import { PendingRow, type RowLine } from "../../model/pending-row.ts";
import { placeOf } from "../../model/place.ts";
import { type AccountLine, charsWhileSent, type Row } from "../../model/row.ts";
import type { EventRecord } from "../../model/run-record.ts";
import type { DeliveryNotice, LimitedBy } from "../../model/sending-state.ts";
import { createStatusRules } from "../../model/status-rules.ts";
import { onAbort, type StopReason } from "../../model/stop.ts";
import { createTally } from "../../results/tally.ts";
import type { RunMeter } from "../../stats/run-meter.ts";
import type { CountedInput } from "../check/check.ts";
import type { ImportSettings } from "../options/import-settings.ts";
import type { RunContext } from "../options/run-context.ts";
import type { ImportProgress } from "../options/run-events.ts";
import { type PlannedRow, planRow } from "../prepare/plan-row.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import { createErrorLimit } from "./error-limit.ts";
import { endedLineOf, readOpenLines } from "./open-lines.ts";
import type { OpenRun } from "./open-run.ts";

const progressEveryMs = 250;

export type SentRows = Awaited<ReturnType<typeof sendRows>>;

/** What a night changes in sending: it leaves rows out, adds some for gone keys, and keeps its state. */
export interface SendingNight {
  /** The batches of the input, then rows for the keys that are gone, once all others have settled. */
  withGone(
    batches: AsyncIterable<readonly Row[]>,
    isSameInput: () => Promise<boolean>,
  ): AsyncGenerator<readonly Row[]>;
  /** Whether the service has taken events of an earlier night. */
  readonly isKnownService: boolean;
  /** Whether gone keys wait for the rows of the input to settle. */
  readonly isWaiting: boolean;
  /** Whether the key of a row does not differ, so that the row is counted and not listed. */
  leavesOut(row: Row): boolean;
  /** What is done with a row that is listed; undefined if the input has changed since it was compared. */
  plan(row: Row, planned: PlannedRow): PlannedRow | undefined;
  /** The events of a row are about to be handed to delivery. @returns what is on record of them */
  send(row: PendingRow<PendingEvent>, events: readonly LoadEvent[]): EventRecord[];
  settled(row: PendingRow<PendingEvent>): void;
  /** Writes the state with the journal: a key is not known from before its first event leaves. */
  before(journal: DeliveryJournal): DeliveryJournal;
  /** Nothing is in flight any more. What is known by now is written. */
  finish(): Promise<void>;
}

/**
 * Reads rows, maps them, has their events delivered, and keeps each its place in the results, until
 * the input ends or the run stops. When it returns, nothing is in flight any more.
 *
 * @param isSameInput whether the input is what the check has read, which had so many rows
 * @returns rows of the part that were read, those of an interrupted run among them; rows of the input that were read,
 *   listed or not; what this run did; why the input could not be read further; and what limited the sending
 */
export async function sendRows(
  context: RunContext,
  prepared: PreparedRun,
  { results, journal, window, meter, problems }: OpenRun,
  { rows: rowsTotal, events: eventsTotal }: CountedInput,
  night: SendingNight | undefined,
  isSameInput: (rowsRead: number) => Promise<boolean>,
) {
  const { settings, account, unfinished, stop, ports } = context;
  const { clock, onNotice: notify } = settings;
  const { input } = prepared;
  const from = unfinished?.checkpoint;
  const source = await input.open();
  let rowsRead = 0;
  let inputRows = 0;
  let damage: StopReason | undefined;
  const did = createTally();
  let rowsDone = 0;
  const errorLimit = createErrorLimit(
    settings.maxErrors,
    stop,
    unfinished === undefined ? noCounts() : countsOnRecord(unfinished),
  );

  const settled = (pending: PendingRow<PendingEvent>) => {
    night?.settled(pending);
    results.settled(pending);
    addProblems(problems, pending.row, pending.outcomes);
    rowsDone++;
    errorLimit.ended(pending.lines === undefined ? 0 : invalidIn(settledIn(pending.lines)));
  };
  const onOutcome = ({ row, events }: PendingRow<PendingEvent>, outcome: Outcome) => {
    errorLimit.settled(outcome);
    if (outcome.status === "blocked") meter.settledUnsent([outcome]);
    else meter.settled([outcome]);
    if (outcome.status === "succeeded") {
      const done = events.find(({ event }) => event.index === outcome.event);
      if (done !== undefined) meter.succeeded(done.event.name);
    }
    did.add([outcome]);
    if (isDone(outcome.status)) return;
    notify({ kind: "not_succeeded", row: placeOf(row), outcome });
  };

  const { endpoint, route, token } = prepared;
  let connections: Connections | undefined;
  let endGrace = () => {};
  const { signal, graceMs } = settings;
  const forgetInterrupt =
    signal &&
    onAbort(signal, () => {
      // What is in flight then is unanswered.
      endGrace = clock.schedule(graceMs, () => void connections?.close());
    });
  const delivery = openDelivery(
    {
      ...settings,
      endpoint,
      route,
      token,
      mode: settings.delivery,
      tokenSource: settings.token,
      // What the service has of a key is known if all its events succeed in their order.
      onKeyFailure: night === undefined ? input.onKeyFailure : "block",
      statuses: createStatusRules(settings),
      isResumed: unfinished !== undefined,
      isKnown:
        night?.isKnownService === true ||
        (unfinished !== undefined && isServiceKnown(unfinished)) ||
        (account !== undefined && hadSuccess(account, endpoint.baseUrl)),
      waitUntil: unfinished?.waitUntil,
    },
    {
      connect(to) {
        connections = ports.connect(to);
        return connections;
      },
      journal: night?.before(journal) ?? journal,
      clock,
      stop,
      tap: {
        sent: meter.attemptStarted,
        ended: meter.attemptEnded,
        notice(notice) {
          meterNotice(meter, notice);
          notify(notice);
        },
      },
      isReaderWaiting: () => window.isWaitedFor || night?.isWaiting === true,
      onOutcome,
      onSettled: settled,
    },
  );
  // What did not succeed before the part was interrupted.
  if (from !== undefined && from.rows > 0) {
    await readOpenLines(ports.disk, context.files.part, (line) => {
      const ended = endedLineOf(line);
      // One that is superseded has others of its key behind it that have arrived.
      const holdsBack =
        ended.code !== "superseded" && holdsBackKey(ended.status, input.onKeyFailure);
      const key = holdsBack ? input.keyOf?.(line.inputCells()) : undefined;
      if (key !== undefined) delivery.block(key, ended.row);
      problems.add(ended);
    });
  }

  const rowsBefore = unfinished === undefined ? 0 : rowsSettled(unfinished);
  const progress = watch(settings, () => ({
    phase: "send",
    rowsRead,
    rowsEnded: results.rowsSettled,
    rowsBefore,
    rowsTotal,
    eventsTotal,
    bytesRead: source.bytesRead(),
    totalBytes: source.totalBytes,
    counts: results.tally.counts,
    problems: problems.groups().slice(0, 3),
    sending: delivery.state(),
    pending: window.pending,
    attemptsSoFar: meter.soFar(),
  }));

  let limitedBy: LimitedBy | undefined;
  try {
    const isSame = () => isSameInput(inputRows);
    const batches = night?.withGone(source.batches, isSame) ?? source.batches;
    reading: for await (const batch of batches) {
      if (stop.signal.aborted) break;
      for (const row of batch) {
        if (row.isGone !== true) inputRows++;
        if (rowsRead < (from?.rows ?? 0)) {
          rowsRead++; // it stands in the results already
          continue;
        }
        if (night?.leavesOut(row)) continue;
        const chars = charsWhileSent(row);
        // Where there is nothing to wait for, not even a promise is waited for.
        const room = delivery.room();
        if (room !== undefined) await room;
        const entered = window.enter(chars);
        if (entered !== undefined) await entered;
        if (stop.signal.aborted) {
          window.leave(chars);
          break reading;
        }
        const mapped = planRow(row, input);
        const planned = night === undefined ? mapped : night.plan(row, mapped);
        if (planned === undefined) {
          window.leave(chars);
          const message = `${input.name} was changed while it was read: the results hold what was read.`;
          damage = { code: "input_changed", message };
          break reading;
        }
        const pending = new PendingRow<PendingEvent>(row, ++rowsRead);
        results.add(pending);
        errorLimit.read();
        const { events, problems: invalid, outcomes } = planned;
        if (rowsTotal === undefined) {
          for (const problem of invalid) notify({ kind: "invalid", row, problem });
        } // else a check has reported its problems
        pending.lines = planned.lines;
        // All of it is known without sending, or some lines of a row that is retried.
        if (outcomes.length > 0) {
          const finishedAt = clock.date().toISOString();
          for (const outcome of outcomes) outcome.finishedAt = finishedAt;
          addProblems(problems, row, outcomes);
          meter.settledUnsent(outcomes);
          did.add(outcomes);
        }
        if (events.length === 0) {
          if (pending.lines === undefined) pending.outcomes = [...outcomes];
          results.settled(pending);
          rowsDone++;
          errorLimit.ended(invalidIn(outcomes));
        } else {
          pending.orderingKey = planned.orderingKey;
          const recorded = unfinished?.events.get(rowsRead);
          unfinished?.events.delete(rowsRead); // there may be hundreds of thousands
          const before =
            night?.send(pending, events) ??
            (row.lines && attemptsBefore(row.lines, rowsRead, recorded));
          delivery.send(pending, events, before ?? recorded);
        }
        if (planned.orderingKey !== undefined && invalid.length > 0) {
          delivery.pass(planned.orderingKey, row.row, "invalid");
        }
      }
    }
  } catch (error) {
    // The rows before the damage are sound: they are sent before the run stops.
    const isDamage = error instanceof InputDamagedError;
    const why = isDamage ? error.message : reasonOf(error);
    const file = (isDamage ? error.file : undefined) ?? input.name;
    // Selected rows are a file of the run, which a resume reads again.
    if (context.given !== undefined) stop.abort(stopForDisk(error));
    else damage = { code: "input_damaged", message: `${file}: ${why}` };
  } finally {
    await delivery.finish();
    forgetInterrupt?.();
    endGrace();
    limitedBy = meter.mainLimit(delivery.state());
    await delivery.close();
    await night?.finish();
    await source.close();
    results.countUnsettled(unfinished === undefined ? [] : unwritten(unfinished));
    progress.end();
  }
  const { counts } = did.tally;
  const { attempts, unanswered } = delivery.figures;
  return { rowsRead, inputRows, rowsDone, counts, attempts, unanswered, damage, limitedBy };
}

function meterNotice(meter: RunMeter, notice: DeliveryNotice): void {
  if (notice.kind === "pause") meter.pauseStarted(notice.reason, notice.message);
  if (notice.kind === "open") meter.pauseEnded();
}

function addProblems(problems: OutcomeGroups, row: Row, outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if (isDone(outcome.status)) continue;
    const line = endedLine(row, outcome);
    if (line !== undefined) problems.add(line);
  }
}

function invalidIn(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ status }) => status === "invalid").length;
}

/** The outcomes of a row's lines that were known without sending. */
function settledIn(lines: readonly RowLine[]): readonly Outcome[] {
  return lines.flatMap((line) => (line.kind === "settled" ? [line.outcome] : []));
}

/** What is on record of the events of a row that is retried, with the attempts of earlier parts. */
function attemptsBefore(
  lines: readonly AccountLine[],
  rowOfRun: number,
  recorded: readonly EventRecord[] = [],
): EventRecord[] {
  const before = lines.flatMap(({ event, attempts, unanswered, httpStatus }): EventRecord[] => {
    if (event === undefined || attempts === 0) return [];
    if (recorded.some((one) => eventOf(one) === event)) return [];
    const answered = httpStatus === undefined ? {} : { httpStatus };
    const soFar = { attempts, unanswered, importedAt: "", ...answered };
    return [{ kind: "attempted", rowOfRun, event, ...soFar }];
  });
  return [...recorded, ...before];
}

/** Calls back a few times a second. */
function watch({ clock, onProgress }: ImportSettings, snapshot: () => ImportProgress) {
  if (onProgress === undefined) return { end() {} };
  let cancel = () => {};
  const tick = () => {
    onProgress(snapshot());
    cancel = clock.schedule(progressEveryMs, tick);
  };
  tick();
  return {
    end() {
      cancel();
      onProgress(snapshot());
    },
  };
}

/** Whether the service that is sent to has accepted an event of the account. */
function hadSuccess({ counts, base_url: address }: Manifest, baseUrl: string): boolean {
  return (counts.succeeded ?? 0) > 0 && isSameService(baseUrl, address);
}
