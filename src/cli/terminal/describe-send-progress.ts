import type { Clock } from "../../model/clock.ts";
import { isDone } from "../../model/outcome.ts";
import { count, grouped, sum } from "../../model/quantities.ts";
import type { SendingState } from "../../model/sending-state.ts";
import type { SendProgress } from "../../run/import-options.ts";
import { describeWait, noAnswers, type WaitForms } from "./describe-wait.ts";
import { estimateTimeLeft } from "./estimate-time-left.ts";
import { createProgressPace } from "./progress-pace.ts";
import {
  etaPart,
  longRunSeconds,
  nowSeconds,
  type ProgressDescription,
  type ProgressPart,
  part,
  passing,
  percentPart,
  ratePart,
  rateText,
  shareOf,
} from "./progress-parts.ts";
import { createRecentRate } from "./recent-rate.ts";
import { createTimeUnchanged } from "./time-unchanged.ts";

/** Describes how the sending goes. */
export function describeSendProgress(
  clock: Pick<Clock, "now">,
): (progress: SendProgress) => ProgressDescription {
  const attempts = createRecentRate();
  const rows = createProgressPace();
  const events = createProgressPace();
  const timeWithoutEnd = createTimeUnchanged();
  const timeWithoutAnswer = createTimeUnchanged();
  let begunMs: number | undefined;
  let pause = { untilMs: 0, lengthMs: 0 };

  return (progress: SendProgress): ProgressDescription => {
    const { sending, counts, rowsEnded: done, rowsTotal: total, eventsTotal } = progress;
    // Those that ended long before, some of which are only now put into the results.
    const ownDone = Math.max(0, done - progress.rowsBefore);
    const { waitsFor } = sending;
    const now = clock.now();
    begunMs ??= now;
    // How long the first answer takes says nothing of how fast the others come side by side.
    const isHeld = waitsFor?.kind === "pause" || waitsFor?.kind === "first_answer";
    const eventsEnded = Object.entries(counts).reduce(
      (sum, [ending, number]) => (noEvents.has(ending) ? sum : sum + number),
      0,
    );
    attempts.add(now, sending.attempts, isHeld);
    rows.add(now, ownDone, isHeld);
    events.add(now, eventsEnded, isHeld);
    pause = pauseOf(waitsFor, now, pause);

    const rowsLeft = total === undefined ? undefined : Math.max(0, total - done);
    const eventsLeft = eventsTotal === undefined ? 0 : Math.max(0, eventsTotal - eventsEnded);
    // Rows of which nothing is sent cost next to nothing.
    const left = eventsLeft > 0 ? eventsLeft : rowsLeft;
    const pace = eventsLeft > 0 ? events : rows;
    const isTail = left !== undefined && left <= sending.toRetry + sending.inFlight;
    const isBinding = isAtBound(sending, attempts.perSecond(nowSeconds));
    const shown = isBinding ? sending : { ...sending, waitsFor: undefined };
    const { cap } = sending;
    const isSlow = cap !== undefined && cap * longRunSeconds < fewestSamples;
    const perSecond = isSlow ? cap : pace.lasting();
    const withoutEndMs = timeWithoutEnd(now, done + eventsEnded, isHeld);
    const answers = sum(progress.traffic.answerTimes.counts);
    const withoutAnswerMs = timeWithoutAnswer(now, answers, isHeld);
    const hasNoAnswers =
      sending.inFlight > 0 &&
      hasStalled(withoutEndMs, perSecond, cap) &&
      withoutAnswerMs >= stalledMs;
    const wait =
      describeWait(shown, pause.lengthMs, isTail) ?? (hasNoAnswers ? noAnswers : undefined);
    const seconds =
      left === undefined || waitsFor?.kind === "stop" || hasStalled(withoutEndMs, perSecond, cap)
        ? undefined
        : estimateTimeLeft({
            left,
            perSecond,
            cap,
            toRetry: Math.min(left, sending.toRetry),
            retriedShare: sending.attempts === 0 ? 0 : sending.retries / sending.attempts,
            heldForMs: heldForMs(waitsFor),
          });

    const hasEnded = waitsFor?.kind === "stop" || rowsLeft === 0;
    return {
      phase: "sending",
      share: shareOf(done, total),
      parts: [
        percentPart(shareOf(done, total)),
        total === undefined
          ? part([count(done, "row"), 3], [grouped(done), 9])
          : part(
              [`${grouped(done)} of ${count(total, "row")}`, 1],
              [`${grouped(done)}/${grouped(total)}`, 9],
            ),
        isHeld ? undefined : passing(ratePart(rows.now())),
        // What is sent has no speed yet, and rows that were left out would be taken for it.
        waitsFor?.kind === "first_answer" ? undefined : overallPart(ownDone, now - begunMs),
        hasEnded || rowsLeft === undefined ? undefined : etaPart(seconds),
      ].filter((one) => one !== undefined),
      below: [
        part([`${grouped(counts.succeeded)} succeeded`, 1], [`${grouped(counts.succeeded)} ok`, 7]),
        notSucceededPart(counts),
        inFlightPart(sending, isHeld),
        sending.retriesHeld === 0
          ? undefined
          : passing(part([`${grouped(sending.toRetry)} to retry`, 3])),
        wait === undefined ? undefined : waitPart(wait),
      ].filter((one) => one !== undefined),
    };
  };
}

/** What bounds the rate is why it is no higher only where that is reached. */
function isAtBound({ waitsFor, perSecond = 0 }: SendingState, attempts: number | undefined) {
  if (waitsFor?.kind !== "rate" || perSecond * nowSeconds < fewestSamples) return true;
  return (attempts ?? 0) >= nearBound * perSecond;
}

/** Nothing has ended for a while in which, at the speed until then, some should have. */
function hasStalled(withoutEndMs: number, perSecond = 0, cap?: number): boolean {
  const expected = perSecond > 0 ? Math.min(perSecond, cap ?? perSecond) : cap;
  const missing = (withoutEndMs * (expected ?? 0)) / 1000;
  return withoutEndMs >= stalledMs && (expected === undefined || missing >= leastMissing);
}

function overallPart(rows: number, elapsedMs: number): ProgressPart | undefined {
  if (elapsedMs < leastMs) return undefined;
  const rate = rateText((rows * 1000) / elapsedMs);
  return part([`${rate} overall`, 2], [`avg ${rate}`, 5]);
}

/** While next to nothing may be on the wire, it matters less how much is. */
function inFlightPart({ inFlight, allowed }: SendingState, isHeld: boolean) {
  const text = `${grouped(inFlight)}/${grouped(allowed)} in flight`;
  return passing(part([text, isHeld ? 0 : 4]));
}

function waitPart([long, middle, short, shortest]: WaitForms): ProgressPart | undefined {
  return passing(part([long, 2], [middle, 4], [short, 6], [shortest, 9]));
}

function notSucceededPart(counts: SendProgress["counts"]): ProgressPart {
  let number = 0;
  for (const [ending, ofThem] of Object.entries(counts)) {
    if (ending !== "not_sent" && !isDone(ending as keyof typeof counts)) number += ofThem;
  }
  return part([`${grouped(number)} did not`, 1], [`${grouped(number)} not`, 8]);
}

/** Endings of lines for which nothing was to be sent, or has been yet. */
const noEvents: ReadonlySet<string> = new Set(["invalid", "skipped", "not_sent"]);

const leastMs = 1000;
const stalledMs = 5000;
const leastMissing = 2;
const nearBound = 0.8;
/** Fewer in the time that is looked at say nothing of how fast it goes. */
const fewestSamples = 5;

type Wait = SendProgress["sending"]["waitsFor"];

/** How long the present pause is in all: a pause that lasts longer than it did has been prolonged. */
function pauseOf(wait: Wait, now: number, before: { untilMs: number; lengthMs: number }) {
  if (wait?.kind !== "pause") return { untilMs: 0, lengthMs: 0 };
  const untilMs = now + wait.forMs;
  const isTheSame = Math.abs(untilMs - before.untilMs) < leastMs;
  return isTheSame ? before : { untilMs, lengthMs: wait.forMs };
}

/** For how long nothing leaves; nothing where nobody knows. */
function heldForMs(wait: Wait): number | undefined {
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
