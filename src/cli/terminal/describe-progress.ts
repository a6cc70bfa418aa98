import type { Clock } from "../../model/clock.ts";
import { type OutcomeStatus, statusOrder } from "../../model/outcome.ts";
import { count, grouped, sum } from "../../model/quantities.ts";
import { retriesPerSecond, type SendingState } from "../../model/sending-state.ts";
import type { CheckProgress, ImportProgress, SendProgress } from "../../run/options/run-events.ts";
import { describeWait } from "./describe-wait.ts";
import { createRate, minSamples, rateSeconds, secondsLeft, timeLeft } from "./eta.ts";
import { type Counted, rateText } from "./rate-text.ts";

/** A piece of a line of the progress. */
export interface ProgressPart {
  readonly long: string;
  /** For a narrow terminal. */
  readonly short: string;
  /** If not even the short parts fit, the one with the lowest rank is dropped first. */
  readonly rank: number;
  /** Whether it is dropped when the run has ended. */
  readonly isPassing?: boolean;
}

export interface ProgressDescription {
  readonly phase: string;
  /** From 0 to 1; undefined if the end is not known. */
  readonly share: number | undefined;
  /** In the order in which they stand. */
  readonly parts: readonly ProgressPart[];
  /** The parts of the second line. */
  readonly below: readonly ProgressPart[];
}

/** Puts progress into words. It keeps a rate, so each run needs its own. */
export function describeProgress(
  clock: Pick<Clock, "now">,
): (progress: ImportProgress) => ProgressDescription {
  const check = describeCheck(clock);
  const send = describeSending(clock);
  return (progress) => {
    switch (progress.phase) {
      case "check":
        return check(progress);
      case "send":
        return send(progress);
    }
  };
}

/** Describes the pass over the rows in which nothing is sent. */
function describeCheck(clock: Pick<Clock, "now">) {
  const rate = createRate();
  return (progress: CheckProgress): ProgressDescription => {
    const { rows, invalidRows, bytesRead, totalBytes, isOver = false } = progress;
    const share = isOver && totalBytes !== undefined ? 1 : shareOf(bytesRead, totalBytes);
    rate.add(clock.now(), rows, false);
    const perSecond = rate.perSecond();
    const hasEta = share !== undefined && share > 0 && share < 1 && perSecond !== undefined;
    return {
      phase: "checking",
      share,
      parts: [
        ...percentPart(share),
        partOf(count(rows, "row"), 9, grouped(rows)),
        ...(perSecond === undefined ? [] : [ratePart(perSecond, "row")]),
        ...(invalidRows === 0
          ? []
          : [partOf(`${count(invalidRows, "row")} invalid`, 6, `${grouped(invalidRows)} invalid`)]),
        ...(hasEta
          ? [etaPart(secondsLeft({ left: rows / share - rows, perSecond, heldForMs: 0 }))]
          : []),
      ],
      below: [],
    };
  };
}

/** Describes the sending. */
function describeSending(clock: Pick<Clock, "now">) {
  const ended = createRate();
  const attempted = createRate();
  let advanced = { atMs: clock.now(), to: 0 };

  return (progress: SendProgress): ProgressDescription => {
    const { sending, counts, rowsEnded, rowsTotal, eventsTotal } = progress;
    const { waitsFor, inFlight } = sending;
    const now = clock.now();
    const isHeld = waitsFor?.kind === "pause" || waitsFor?.kind === "first_answer";
    const eventsEnded = countBut(counts, ["invalid", "skipped", "not_sent"]);
    // Rows that ended before this part of the run are not its work, though some reach the results
    // only now.
    const ownRows = Math.max(0, rowsEnded - progress.rowsBefore);
    // Rows that send nothing take almost no time, so the rate is that of events where their number
    // is known.
    const counted = eventsTotal === undefined ? "row" : "event";
    ended.add(now, counted === "row" ? ownRows : eventsEnded, isHeld);
    attempted.add(now, sending.attempts, isHeld);

    const to = rowsEnded + eventsEnded + progress.attemptsSoFar.answers;
    if (isHeld || to !== advanced.to) advanced = { atMs: now, to };
    const hasNoAnswers = inFlight > 0 && now - advanced.atMs >= rateSeconds * 1000;

    const rowsLeft = rowsTotal === undefined ? undefined : Math.max(0, rowsTotal - rowsEnded);
    const left = eventsTotal === undefined ? rowsLeft : Math.max(0, eventsTotal - eventsEnded);
    const hasEta = waitsFor?.kind !== "stop" && rowsLeft !== undefined && rowsLeft > 0;
    const perSecond = ended.perSecond();
    const isTail =
      sending.retriesHeld > 0 && left !== undefined && left <= sending.toRetry + inFlight;
    const cap = isTail ? Math.min(retriesPerSecond, sending.cap ?? retriesPerSecond) : sending.cap;
    const seconds =
      left === undefined || hasNoAnswers
        ? undefined
        : secondsLeft({ left, perSecond, cap, heldForMs: heldForMs(waitsFor) });

    const shown = isAtBound(sending, attempted.perSecond())
      ? sending
      : { ...sending, waitsFor: undefined };
    const [long, short] =
      describeWait(shown, isTail) ?? (hasNoAnswers ? ["waiting for answers", "no answers"] : []);

    const done = grouped(rowsEnded);
    const succeeded = grouped(counts.succeeded);
    const notSucceeded = grouped(countBut(counts, ["succeeded", "skipped", "not_sent"]));
    return {
      phase: "sending",
      share: shareOf(rowsEnded, rowsTotal),
      parts: [
        ...percentPart(shareOf(rowsEnded, rowsTotal)),
        rowsTotal === undefined
          ? partOf(count(rowsEnded, "row"), 9, done)
          : partOf(`${done} of ${count(rowsTotal, "row")}`, 9, `${done}/${grouped(rowsTotal)}`),
        ...(isHeld || perSecond === undefined
          ? []
          : [{ ...ratePart(perSecond, counted), isPassing: true }]),
        ...(hasEta ? [etaPart(seconds)] : []),
      ],
      below: [
        partOf(`${succeeded} succeeded`, 7, `${succeeded} ok`),
        partOf(`${notSucceeded} did not`, 8, `${notSucceeded} not`),
        ...(waitsFor?.kind === "pause" ? [] : inFlightParts(sending)),
        ...(long === undefined || short === undefined
          ? []
          : [{ ...partOf(long, 9, short), isPassing: true }]),
      ],
    };
  };
}

function inFlightParts({ inFlight, allowed, retriesHeld, toRetry }: SendingState): ProgressPart[] {
  const inFlightText = `${grouped(inFlight)}/${grouped(allowed)} in flight`;
  const retries = retriesHeld === 0 ? [] : [partOf(`${grouped(toRetry)} to retry`, 1)];
  return [partOf(inFlightText, 2), ...retries].map((part) => ({ ...part, isPassing: true }));
}

function countBut(counts: SendProgress["counts"], leftOut: readonly OutcomeStatus[]): number {
  return sum(statusOrder.map((status) => (leftOut.includes(status) ? 0 : counts[status])));
}

const nearBound = 0.8;

/** A bound explains the rate only if the rate comes near it. */
function isAtBound({ waitsFor, perSecond = 0 }: SendingState, attempts: number | undefined) {
  if (waitsFor?.kind !== "rate" || perSecond * rateSeconds < minSamples) return true;
  return (attempts ?? 0) >= nearBound * perSecond;
}

/** How long nothing is sent; undefined if that is unknown. */
function heldForMs(wait: SendingState["waitsFor"]): number | undefined {
  switch (wait?.kind) {
    case "pause":
      return wait.hasKnownEnd ? wait.forMs : undefined;
    case "first_answer":
    case "token":
      return undefined;
    default:
      return 0;
  }
}

function shareOf(done: number, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  return total === 0 ? 1 : Math.min(1, done / total);
}

function partOf(long: string, rank: number, short = long): ProgressPart {
  return { long, short, rank };
}

function percentPart(share: number | undefined): ProgressPart[] {
  // Rounded down, so that 100 % means that it is over.
  return share === undefined ? [] : [partOf(`${Math.floor(share * 100)} %`, 3)];
}

function ratePart(perSecond: number, counted: Counted): ProgressPart {
  return partOf(rateText(perSecond, counted), 7, rateText(perSecond));
}

/** @param seconds undefined if that is unknown */
function etaPart(seconds: number | undefined): ProgressPart {
  const [long, short] = (seconds === undefined ? undefined : timeLeft(seconds)) ?? [
    "unknown",
    "unknown",
  ];
  return { ...partOf(`ETA ${long}`, 8, `ETA ${short}`), isPassing: true };
}
