import { InputDamagedError, reasonOf } from "./domain/errors.ts";
import type { LoadEvent } from "./domain/event.ts";
import { isDone, type Outcome } from "./domain/outcome.ts";
import { endedLine, type OutcomeGroups } from "./domain/outcome-groups.ts";
import { type PlannedRow, planRow } from "./domain/plan-row.ts";
import { charsOf, type Row } from "./domain/row.ts";
import type { EventRecord } from "./domain/run-record.ts";
import type { StopReason } from "./domain/stop.ts";
import { createErrorLimit } from "./error-limit.ts";
import type { ImportProgress } from "./import-options.ts";
import type { ImportSettings } from "./import-settings.ts";
import { rowsSettled } from "./journal/unfinished-run.ts";
import type { OpenRun } from "./open-run.ts";
import type { PreparedInput } from "./prepare-input.ts";
import type { CountedInput } from "./prepare-run.ts";
import type { ResultsPlace } from "./results/results-writer.ts";
import type { RunContext } from "./run-context.ts";

const progressEveryMs = 250;
const noRecords: readonly EventRecord[] = [];

/**
 * Reads rows, maps them, has their events delivered, and keeps each its place in the results, until
 * the input ends or the run stops. When it returns, nothing is under way any more.
 *
 * @returns rows of the run that were read, those of an interrupted part among them
 */
export async function sendRows(
  context: RunContext,
  input: PreparedInput,
  { results, delivery, window, positions, meter, problems }: OpenRun,
  { rows: rowsTotal, events: eventsTotal }: CountedInput,
): Promise<number> {
  const { settings, files, unfinished, stop } = context;
  const { clock, cutOffSignal, onNotice: notify } = settings;
  const retryUnknown = settings.delivery === "at-least-once";
  const from = unfinished?.checkpoint;
  const rowsLost = from?.rowsLost ?? 0;
  const source = await input.open(from);
  const delivering = new Set<Promise<void>>();
  let rowsRead = positions.rowsBefore;
  let damage: StopReason | undefined;
  const errorLimit = createErrorLimit(settings.maxErrors, stop, () =>
    unfinished === undefined && delivery.figures.attempts === 0
      ? "Mend the input, or allow more."
      : `Look at ${files.failed}, then resume, perhaps with a higher --max-errors.`,
  );

  const ended = (
    row: Row,
    place: ResultsPlace,
    before: readonly EventRecord[],
    outcomes: readonly Outcome[],
  ) => {
    place.settle(outcomes);
    addProblems(problems, row, outcomes);
    const fresh =
      before.length === 0 ? outcomes : outcomes.filter((outcome) => !wasKnown(outcome, before));
    errorLimit.ended(fresh);
    meter.ended(fresh);
    for (const outcome of fresh) {
      if (isDone(outcome.ending) || outcome.ending === "not_sent") continue;
      const { row: number, line, source: file } = row;
      const here = { row: number, line };
      const at = file === undefined ? here : { ...here, source: file };
      notify({ kind: "not_succeeded", row: at, outcome });
    }
  };
  const deliver = (
    { events, orderKey }: Extract<PlannedRow, { kind: "send" }>,
    row: Row,
    rowOfRun: number,
    place: ResultsPlace,
  ) => {
    const before =
      rowOfRun <= rowsLost
        ? events.map((event) => lostOutcome(event, rowOfRun))
        : (unfinished?.events.get(rowOfRun) ?? noRecords);
    unfinished?.events.delete(rowOfRun); // there may be hundreds of thousands
    const delivered = delivery
      .deliverRow({ row: row.row, rowOfRun, events, orderKey, before })
      .then((outcomes) => {
        delivering.delete(delivered);
        ended(row, place, before, outcomes);
      });
    delivering.add(delivered);
  };

  cutOffSignal?.addEventListener("abort", delivery.cutOff);
  const rowsBefore = unfinished === undefined ? 0 : rowsSettled(unfinished);
  const progress = watch(settings, () => ({
    phase: "send",
    rowsRead,
    rowsEnded: results.rowsEnded,
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
    traffic: meter.soFar(),
  }));

  try {
    reading: for await (const batch of source.batches) {
      positions.beginBatch(rowsRead, source.batchStart());
      for (const row of batch) {
        if (rowsRead < (from?.rows ?? 0)) {
          rowsRead++; // it stands in the results already
          continue;
        }
        const chars = charsOf(row);
        // Where there is nothing to wait for, not even a promise is waited for.
        const room = delivery.room();
        if (room !== undefined) await room;
        const entered = window.enter(chars);
        if (entered !== undefined) await entered;
        if (stop.reason !== undefined) {
          window.leave(chars);
          break reading;
        }
        const rowOfRun = ++rowsRead;
        const place = results.place(row);
        errorLimit.read();
        const planned = planRow(row, input.mapRow, retryUnknown);
        if (planned.kind === "send") {
          deliver(planned, row, rowOfRun, place);
          continue;
        }
        if (planned.kind === "unchanged") {
          const finishedAt = clock.date().toISOString();
          place.settle(planned.outcomes.map((outcome) => ({ ...outcome, finishedAt })));
          meter.endedUnsent(planned.outcomes);
          errorLimit.ended([]);
          continue;
        }
        const outcome = { ...planned.outcome, finishedAt: clock.date().toISOString() };
        place.settle([outcome]);
        addProblems(problems, row, [outcome]);
        meter.endedUnsent([outcome]);
        if (planned.orderKey !== undefined) {
          delivery.pass(planned.orderKey, row.row, outcome.ending);
        }
        if (rowsTotal === undefined) {
          for (const problem of planned.problems) notify({ kind: "invalid", row, problem });
        } // else a check has told of its problems
        // An event that an earlier run left unknown did not go wrong in this one.
        errorLimit.ended(outcome.ending === "invalid" ? [outcome] : []);
      }
    }
  } catch (error) {
    // The rows before the damage are sound: they are sent before the run stops.
    const isDamage = error instanceof InputDamagedError;
    const why = isDamage ? error.message : reasonOf(error);
    const file = (isDamage ? error.file : undefined) ?? input.name;
    damage = { code: "input_damaged", message: `${file}: ${why}` };
  } finally {
    await Promise.all(delivering);
    cutOffSignal?.removeEventListener("abort", delivery.cutOff);
    await delivery.close();
    await source.close();
    progress.end();
  }
  if (damage !== undefined) stop.request(damage);
  return rowsRead;
}

function addProblems(problems: OutcomeGroups, row: Row, outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if (isDone(outcome.ending)) continue;
    const line = endedLine(row, outcome);
    if (line !== undefined) problems.add(line);
  }
}

/** What is known of an event whose line was in results that are gone: it may have arrived. */
function lostOutcome({ index, id }: LoadEvent, rowOfRun: number): EventRecord {
  const outcome: Outcome = {
    ending: "unknown",
    event: index,
    eventId: id,
    attempts: 1,
    unanswered: 1,
    errorCode: "results_lost",
    error: "what became of it stood in results that are gone",
  };
  return { kind: "outcome", rowOfRun, outcome };
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
