import { openDelivery } from "../delivery/delivery.ts";
import type { PendingEvent } from "../delivery/pending-event.ts";
import { hasSucceeded, rowsSettled } from "../journal/unfinished-run.ts";
import { isoTime } from "../model/clock.ts";
import { InputDamagedError, reasonOf } from "../model/errors.ts";
import type { LoadEvent } from "../model/event.ts";
import { isDone, type Outcome } from "../model/outcome.ts";
import { endedLine, type OutcomeGroups } from "../model/outcome-groups.ts";
import { PendingRow } from "../model/pending-row.ts";
import { charsOf, type Row } from "../model/row.ts";
import type { LimitedBy } from "../model/run-figures.ts";
import type { EventRecord } from "../model/run-record.ts";
import type { DeliveryNotice } from "../model/sending-state.ts";
import {
  createStatusRules,
  parseStatusLists,
  type StatusLists,
  type StatusRules,
} from "../model/status-rules.ts";
import { onAbort, type StopReason } from "../model/stop.ts";
import { createLimitTimes } from "../stats/limit-times.ts";
import type { RunMeter } from "../stats/run-meter.ts";
import { readEarlierFailures } from "./earlier-failures.ts";
import { createErrorLimit } from "./error-limit.ts";
import type { ImportProgress } from "./import-options.ts";
import type { ImportSettings } from "./import-settings.ts";
import type { OpenRun } from "./open-run.ts";
import { type EventSentBefore, otherRetries, planRow } from "./plan-row.ts";
import type { PreparedInput } from "./prepare-input.ts";
import type { CountedInput, PreparedRun } from "./prepare-run.ts";
import type { RunContext } from "./run-context.ts";

const progressEveryMs = 250;

/**
 * Reads rows, maps them, has their events delivered, and keeps each its place in the results, until
 * the input ends or the run stops. When it returns, nothing is in flight any more.
 *
 * @returns rows of the run that were read, those of an interrupted part among them; why the input could not be
 *   read further; and what limited the sending
 */
export async function sendRows(
  context: RunContext,
  prepared: PreparedRun,
  input: PreparedInput,
  { results, journal, window, positions, meter, problems }: OpenRun,
  { rows: rowsTotal, events: eventsTotal }: CountedInput,
): Promise<{
  readonly rowsRead: number;
  readonly damage: StopReason | undefined;
  readonly limitedBy: LimitedBy | undefined;
}> {
  const { settings, files, unfinished, stop, ports } = context;
  const { clock, onNotice: notify } = settings;
  const retryUnknown = settings.delivery === "at-least-once";
  const from = unfinished?.checkpoint;
  const rowsLost = from?.rowsLost ?? 0;
  const others = otherRetries(prepared.findSentBefore);
  // In a retry, each event of a row has a line of its own: the row is the key of those without one.
  const isRowKey = context.kind === "retry" && input.memberNames?.length !== 2; // the first is of `gone`
  const keyOf = ({ row }: Row, { orderingKey }: { readonly orderingKey?: string }) =>
    orderingKey ?? (isRowKey ? `row ${row}` : undefined);
  const plan = (row: Row) => planRow(row, input.mapRow, retryUnknown, others);
  // What is left out of an ordering key depends on the rows before, also on those that are in the results.
  const source = await input.open(others === undefined ? from : undefined);
  let rowsRead = others === undefined ? positions.rowsBefore : 0;
  let damage: StopReason | undefined;
  /** Rows of which an interrupted part of the run has settled an event. */
  const resumed = new Map<number, readonly EventRecord[]>();
  /** Rows of which other retries sent an event that got no answer. */
  const unansweredBefore = new Map<number, readonly EventSentBefore[]>();
  const errorLimit = createErrorLimit(settings.maxErrors, stop, () =>
    unfinished === undefined && delivery.figures.attempts === 0
      ? "Correct the input, or allow more."
      : `Look at ${files.failed}, then resume, perhaps with a higher --max-errors.`,
  );

  /** Rows with events that have not settled. */
  let unsettled = 0;
  let wake: (() => void) | undefined;
  /** Resolves when every row that was read has settled, or the run stops. */
  const allSettled = async () => {
    if (unsettled === 0) return;
    let forget = () => {};
    await new Promise<void>((resolve) => {
      wake = resolve;
      forget = onAbort(stop.signal, resolve);
    });
    wake = undefined;
    forget();
  };
  const settled = (pending: PendingRow) => {
    const { row, rowOfRun } = pending;
    const sentBefore = unansweredBefore.get(rowOfRun);
    if (sentBefore !== undefined) {
      unansweredBefore.delete(rowOfRun);
      pending.outcomes = pending.outcomes.map((outcome) => withUnanswered(outcome, sentBefore));
    }
    const { outcomes } = pending;
    if (--unsettled === 0) wake?.();
    results.settled(pending);
    addProblems(problems, row, outcomes);
    const before = resumed.get(rowOfRun);
    resumed.delete(rowOfRun);
    const fresh =
      before === undefined ? outcomes : outcomes.filter((outcome) => !wasKnown(outcome, before));
    errorLimit.ended(fresh);
    meter.settled(fresh);
    for (const outcome of fresh) {
      if (isDone(outcome.status) || outcome.status === "not_sent") continue;
      const { row: number, line, source: file } = row;
      const here = { row: number, line };
      const at = file === undefined ? here : { ...here, source: file };
      notify({ kind: "not_succeeded", row: at, outcome });
    }
  };
  const settleUnsent = (pending: PendingRow, outcomes: readonly Outcome[]) => {
    const finishedAt = isoTime(clock.date());
    pending.outcomes = outcomes.map((outcome) => ({ ...outcome, finishedAt }));
    pending.isSettled = true;
    results.settled(pending);
    addProblems(problems, pending.row, pending.outcomes);
    meter.settledUnsent(pending.outcomes);
  };

  const { endpoint, route, token } = prepared;
  const limits = createLimitTimes(clock.now);
  const delivery = openDelivery(
    {
      ...settings,
      ...{ endpoint, route, token, mode: settings.delivery },
      tokenSource: settings.token,
      onKeyFailure: input.onKeyFailure,
      statuses: statusRulesOf(settings.statuses),
      isResumed: unfinished !== undefined,
      hasSucceeded: unfinished !== undefined && hasSucceeded(unfinished),
      waitUntil: unfinished?.waitUntil,
    },
    {
      connect: ports.connect,
      journal,
      clock,
      stop,
      tap: {
        sent(inFlight, allowed, isRetry, limit) {
          limits.note(limit);
          meter.attemptStarted(inFlight, allowed, isRetry);
        },
        ended(attempt, inFlight, allowed, limit) {
          limits.note(limit);
          meter.attemptEnded(attempt, inFlight, allowed);
        },
        notice(notice) {
          meterNotice(meter, notice);
          notify(notice);
        },
      },
      isReaderWaiting: () => window.isWaitedFor || wake !== undefined,
      onSettled: settled,
    },
  );
  if (unfinished !== undefined) {
    const failures = readEarlierFailures(ports.disk, results.failedRowsFile, {
      onKeyFailure: input.onKeyFailure,
      keyOf: (row) => keyOf(row, input.mapRow(row)),
    });
    for await (const { row, ended, blockedKey } of failures) {
      if (blockedKey !== undefined) delivery.block(blockedKey, row);
      // A line number in the results of a retry is one of the original input.
      if (ended !== undefined) {
        problems.add(context.kind === "retry" ? { ...ended, line: undefined } : ended);
      }
    }
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
    inFlight: delivery.figures.inFlight,
    sending: delivery.state(),
    pending: window.pending,
    pausedForMs: delivery.pausedForMs(),
    pausedBecause: delivery.pausedBecause(),
    attemptsSoFar: meter.soFar(),
  }));

  let limitedBy: LimitedBy | undefined;
  let isAtGone = false;
  try {
    reading: for await (const batch of source.batches) {
      positions.beginBatch(rowsRead, source.batchStart());
      for (const row of batch) {
        if (rowsRead < (from?.rows ?? 0)) {
          rowsRead++; // it stands in the results already
          if (others !== undefined) plan(row);
          continue;
        }
        if (row.isGone && !isAtGone) {
          // A new key of the same person is to be there before the old one goes.
          await allSettled();
          isAtGone = true;
        }
        const chars = charsOf(row);
        // Where there is nothing to wait for, not even a promise is waited for.
        const room = delivery.room();
        if (room !== undefined) await room;
        const entered = window.enter(chars);
        if (entered !== undefined) await entered;
        if (stop.signal.aborted) {
          window.leave(chars);
          break reading;
        }
        const pending = new PendingRow<PendingEvent>(row, ++rowsRead);
        results.add(pending);
        errorLimit.read();
        const planned = plan(row);
        switch (planned.kind) {
          case "send": {
            pending.orderingKey = keyOf(row, planned);
            const { events } = planned;
            const rowOfRun = rowsRead;
            const recorded =
              rowOfRun <= rowsLost
                ? events.map((event) => lostOutcome(event, rowOfRun))
                : unfinished?.events.get(rowOfRun);
            const { settledBefore } = planned;
            const before =
              settledBefore === undefined
                ? recorded
                : withSettled(recorded ?? [], settledBefore, rowOfRun, isoTime(clock.date()));
            if (settledBefore !== undefined) {
              meter.settledUnsent(settledBefore.map(({ outcome }) => outcome));
            }
            if (before !== undefined) resumed.set(rowOfRun, before);
            if (planned.sentBefore?.some(({ unanswered }) => unanswered > 0)) {
              unansweredBefore.set(rowOfRun, planned.sentBefore);
            }
            unfinished?.events.delete(rowOfRun); // there may be hundreds of thousands
            unsettled++;
            delivery.send(pending, events, before);
            break;
          }
          case "unchanged":
            settleUnsent(pending, planned.outcomes);
            errorLimit.ended([]);
            break;
          case "settled": {
            const { outcome } = planned;
            settleUnsent(pending, [outcome]);
            const key = keyOf(row, planned);
            if (key !== undefined) delivery.pass(key, row.row, outcome.status);
            if (rowsTotal === undefined) {
              for (const problem of planned.problems) notify({ kind: "invalid", row, problem });
            } // else a check has reported its problems
            // An event that an earlier run left unknown did not go wrong in this one.
            errorLimit.ended(outcome.status === "invalid" ? [outcome] : []);
            break;
          }
          default:
            planned satisfies never;
        }
      }
    }
  } catch (error) {
    // The rows before the damage are sound: they are sent before the run stops.
    const isDamage = error instanceof InputDamagedError;
    const why = isDamage ? error.message : reasonOf(error);
    const file = (isDamage ? error.file : undefined) ?? input.name;
    damage = { code: "input_damaged", message: `${file}: ${why}` };
  } finally {
    await delivery.finish();
    limitedBy = limits.mainLimit(delivery.state());
    await delivery.close();
    await source.close();
    results.countUnsettled();
    progress.end();
  }
  return { rowsRead, damage, limitedBy };
}

function meterNotice(meter: RunMeter, notice: DeliveryNotice): void {
  switch (notice.kind) {
    case "pause":
      meter.pauseStarted(notice.reason, notice.message);
      break;
    case "open":
      meter.pauseEnded();
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

function addProblems(problems: OutcomeGroups, row: Row, outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if (isDone(outcome.status)) continue;
    const line = endedLine(row, outcome);
    if (line !== undefined) problems.add(line);
  }
}

/** What is known of an event whose line was in results that are gone: it may have arrived. */
function lostOutcome({ index, id }: LoadEvent, rowOfRun: number): EventRecord {
  const outcome: Outcome = {
    status: "unknown",
    event: index,
    eventId: id,
    attempts: 1,
    unanswered: 1,
    errorCode: "results_lost",
    error: "what became of it stood in results that are gone",
  };
  return { kind: "outcome", rowOfRun, outcome };
}

/** What is known of a row's events, with what other retries have settled of them. */
function withSettled(
  recorded: readonly EventRecord[],
  settled: readonly { readonly outcome: Outcome }[],
  rowOfRun: number,
  finishedAt: string,
): EventRecord[] {
  const eventOf = (record: EventRecord) =>
    record.kind === "outcome" ? record.outcome.event : record.event;
  const isSettled = (event: number | undefined) =>
    settled.some(({ outcome }) => outcome.event === event);
  return [
    ...recorded.filter((record) => !isSettled(eventOf(record))),
    ...settled.map(({ outcome }) => ({
      ...({ kind: "outcome", rowOfRun } as const),
      outcome: { ...outcome, finishedAt },
    })),
  ];
}

/** An outcome with the attempts of other retries that got no answer. */
function withUnanswered(outcome: Outcome, sentBefore: readonly EventSentBefore[]): Outcome {
  const before = sentBefore.find(({ event }) => event === outcome.event);
  return before === undefined ? outcome : { ...outcome, unansweredBefore: before.unanswered };
}

/** Whether an interrupted part of the run has settled an event. */
function wasKnown({ event }: Outcome, before: readonly EventRecord[]): boolean {
  return before.some((record) => record.kind === "outcome" && record.outcome.event === event);
}

/** Calls back a few times a second. */
function watch({ clock, onProgress, isWatched }: ImportSettings, snapshot: () => ImportProgress) {
  let cancel = () => {};
  const tick = () => {
    onProgress(snapshot());
    cancel = clock.schedule(progressEveryMs, tick);
  };
  if (isWatched) tick();
  return {
    end() {
      cancel();
      onProgress(snapshot());
    },
  };
}
