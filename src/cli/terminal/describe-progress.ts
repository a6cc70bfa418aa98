import type { Clock } from "../../model/clock.ts";
import { type OutcomeStatus, statusOrder } from "../../model/outcome.ts";
import { count, duration, grouped, sum } from "../../model/quantities.ts";
import type { SendingState } from "../../model/sending-state.ts";
import type { CheckProgress, ImportProgress, SendProgress } from "../../run/options/run-events.ts";
import { capText, rateText } from "./rate-text.ts";

/** A piece of a line of the progress. */
export interface ProgressPart {
  readonly text: string;
  /** Where not all fit, the one with the lowest rank is dropped first. */
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
  return (progress) => (progress.phase === "check" ? check(progress) : send(progress));
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
    const parts = [
      percentPart(share),
      { text: count(rows, "row"), rank: 9 },
      perSecond !== undefined && { text: rateText(perSecond, "row"), rank: 7 },
      invalidRows > 0 && { text: `${count(invalidRows, "row")} invalid`, rank: 6 },
      hasEta && etaPart(rows / share - rows, perSecond, 0),
    ];
    return { phase: "checking", share, parts: parts.filter((part) => part !== false), below: [] };
  };
}

/** Describes the sending. */
function describeSending(clock: Pick<Clock, "now">) {
  const rate = createRate();
  return (progress: SendProgress): ProgressDescription => {
    const { sending, counts, rowsEnded, rowsTotal, eventsTotal } = progress;
    const { waitsFor, inFlight, allowed, toRetry, retriesHeld } = sending;
    const isPaused = waitsFor?.kind === "pause";
    const isHeld = isPaused || waitsFor?.kind === "first_answer";
    const eventsEnded = countBut(counts, ["invalid", "skipped", "not_sent"]);
    // Rows that ended before this part of the run are not its work, though some reach the results
    // only now.
    const ownRows = Math.max(0, rowsEnded - progress.rowsBefore);
    // Rows that send nothing take almost no time, so the rate is that of events where their number
    // is known.
    rate.add(clock.now(), eventsTotal === undefined ? ownRows : eventsEnded, isHeld);
    const perSecond = rate.perSecond();
    const rowsLeft = rowsTotal === undefined ? 0 : Math.max(0, rowsTotal - rowsEnded);
    const left = eventsTotal === undefined ? rowsLeft : Math.max(0, eventsTotal - eventsEnded);
    const hasEta = waitsFor?.kind !== "stop" && rowsLeft > 0;
    const share = shareOf(rowsEnded, rowsTotal);
    const rows =
      rowsTotal === undefined
        ? count(rowsEnded, "row")
        : `${grouped(rowsEnded)} of ${count(rowsTotal, "row")}`;
    const parts = [
      percentPart(share),
      { text: rows, rank: 9 },
      !isHeld &&
        perSecond !== undefined && {
          ...{ text: rateText(perSecond, eventsTotal === undefined ? "row" : "event"), rank: 7 },
          isPassing: true,
        },
      hasEta && etaPart(left, perSecond, heldForMs(waitsFor)),
    ];
    const wait = describeWait(sending);
    const notSucceeded = countBut(counts, ["succeeded", "skipped", "not_sent"]);
    const below = [
      { text: `${grouped(counts.succeeded)} succeeded`, rank: 7 },
      { text: `${grouped(notSucceeded)} did not`, rank: 8 },
      !isPaused && {
        ...{ text: `${grouped(inFlight)}/${grouped(allowed)} in flight`, rank: 2 },
        isPassing: true,
      },
      !isPaused &&
        retriesHeld > 0 && { text: `${grouped(toRetry)} to retry`, rank: 1, isPassing: true },
      wait !== undefined && { text: wait, rank: 9, isPassing: true },
    ];
    return {
      ...{ phase: "sending", share, parts: parts.filter((part) => part !== false) },
      below: below.filter((part) => part !== false),
    };
  };
}

/** Why it does not go faster, if that is known. */
function describeWait({ waitsFor, perSecond = 0, inFlight }: SendingState): string | undefined {
  switch (waitsFor?.kind) {
    case undefined:
      return undefined;
    case "stop":
      return inFlight === 0 ? "stopping" : `stopping: waiting for ${count(inFlight, "answer")}`;
    case "pause": {
      const why =
        waitsFor.reason === "asked" ? "service asked to wait" : "paused: service unavailable";
      if (waitsFor.forMs <= 0) return `${why}, trying one request`;
      const time = wholeSeconds(waitsFor.forMs / 1000);
      return waitsFor.reason === "asked" ? `${why}, ${time} left` : `${why}, next probe in ${time}`;
    }
    case "token":
      return "waiting for a new token";
    case "first_answer":
      return "waiting for the first answer";
    case "rate": {
      const rate = rateText(perSecond, "request");
      if (waitsFor.bound === "cap") return `--rate: ${capText(perSecond, "request")}`;
      return waitsFor.bound === "quota" ? `quota: ${rate}` : `service takes ${rate}`;
    }
    default:
      return waitsFor satisfies never;
  }
}

/** The rate of the last ten seconds. */
function createRate() {
  let samples: { readonly atMs: number; readonly amount: number }[] = [];
  let perSecond: number | undefined;
  let wasHeld = false;
  return {
    /**
     * Pauses count like any other time, but during a pause the rate stays as it was.
     *
     * @param isHeld whether nothing can be sent from now until the next call
     */
    add(nowMs: number, amount: number, isHeld: boolean) {
      const isWithinPause = wasHeld && isHeld;
      wasHeld = isHeld;
      if (isWithinPause) return;
      samples = samples.filter(({ atMs }) => atMs >= nowMs - 10_000);
      const [first, last] = [samples[0], samples.at(-1)];
      // Over less than a second, a handful at the beginning would look like a high rate.
      if (first !== undefined && nowMs - first.atMs >= 1000) {
        perSecond = ((amount - first.amount) * 1000) / (nowMs - first.atMs);
      }
      if (last === undefined || nowMs - last.atMs >= 500) samples.push({ atMs: nowMs, amount });
    },
    perSecond: () => perSecond,
  };
}

/** How long nothing is sent; undefined if that is unknown. */
function heldForMs(wait: SendingState["waitsFor"]): number | undefined {
  if (wait?.kind === "pause") return wait.hasKnownEnd ? wait.forMs : undefined;
  return wait?.kind === "first_answer" || wait?.kind === "token" ? undefined : 0;
}

const longestEtaSeconds = 999 * 3600;

function etaPart(left: number, perSecond = 0, heldForMs = Number.NaN): ProgressPart {
  const seconds = heldForMs / 1000 + left / perSecond;
  const eta = seconds <= longestEtaSeconds ? wholeSeconds(seconds) : "unknown";
  return { text: `ETA ${eta}`, rank: 8, isPassing: true };
}

function wholeSeconds(seconds: number): string {
  return duration(Math.ceil(seconds) * 1000).replace(".0 s", " s");
}

function countBut(counts: SendProgress["counts"], leftOut: readonly OutcomeStatus[]): number {
  return sum(statusOrder.map((status) => (leftOut.includes(status) ? 0 : counts[status])));
}

function shareOf(done: number, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  return total === 0 ? 1 : Math.min(1, done / total);
}

/** Rounded down, so that 100 % means that it is over. */
function percentPart(share: number | undefined): ProgressPart | false {
  return share !== undefined && { text: `${Math.floor(share * 100)} %`, rank: 3 };
}
