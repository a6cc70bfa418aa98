import type { Clock } from "../../model/clock.ts";
import { wordOf } from "../../model/outcome.ts";
import type { OutcomeGroup } from "../../model/outcome-groups.ts";
import { asTypedRate, count, duration, grouped } from "../../model/quantities.ts";
import type { CheckProgress, ImportProgress, SendProgress } from "../../model/run-events.ts";
import type { SendingState } from "../../model/sending-state.ts";
import { rateText } from "./lines.ts";
import { reasonOfGroup } from "./render-problems.ts";

export interface ProgressDescription {
  readonly phase: string;
  /** From 0 to 1; undefined if the end is not known. */
  readonly share: number | undefined;
  /** Where not all of them fit, the last ones are left out. */
  readonly parts: readonly string[];
  /** What does not succeed and why, the most frequent first. */
  readonly reasons: readonly string[];
}

export function describeProgress(
  clock: Pick<Clock, "now">,
): (progress: ImportProgress) => ProgressDescription {
  const [ofRows, ofEvents] = [createRate(clock), createRate(clock)];
  return (progress) =>
    progress.phase === "check"
      ? describeCheck(progress, ofRows)
      : describeSending(progress, ofEvents);
}

type Rate = ReturnType<typeof createRate>;

function describeCheck(progress: CheckProgress, rate: Rate): ProgressDescription {
  const { rows, invalidRows, bytesRead, totalBytes } = progress;
  const share = shareOf(bytesRead, totalBytes);
  const { perSecond, elapsed } = rate.at(rows);
  const hasEta = share !== undefined && share > 0 && share < 1 && perSecond !== undefined;
  const parts = [
    count(rows, "row"),
    invalidRows > 0 && `${count(invalidRows, "row")} invalid`,
    hasEta && etaText(rows / share - rows, perSecond),
    perSecond !== undefined && rateText(perSecond, "row"),
    elapsed,
  ];
  return { phase: "checking", share, parts: parts.filter((part) => part !== false), reasons: [] };
}

function describeSending(progress: SendProgress, rate: Rate): ProgressDescription {
  const { sending, counts, rowsEnded, rowsTotal, eventsTotal, problems } = progress;
  const { waitsFor, inFlight, allowed, toRetry } = sending;
  const isPaused = waitsFor?.kind === "pause";
  const bad = counts.rejected + counts.failed + counts.unknown + counts.blocked;
  const eventsEnded = counts.succeeded + bad;
  // Rows that send nothing take almost no time, so the rate is that of events.
  const { perSecond, elapsed } = rate.at(eventsEnded);
  const rowsLeft = rowsTotal === undefined ? 0 : Math.max(0, rowsTotal - rowsEnded);
  // A resume does not count events before it sends: the rows to come are taken to be like those before.
  const ofLike = rowsEnded === 0 ? rowsLeft : (rowsLeft * eventsEnded) / rowsEnded;
  const left = eventsTotal === undefined ? ofLike : Math.max(0, eventsTotal - eventsEnded);
  const isStopping = waitsFor?.kind === "stop";
  const ofAll = rowsTotal === undefined ? "" : ` of ${grouped(rowsTotal)}`;
  const rowsOf = (rowsTotal ?? rowsEnded) === 1 ? "row" : "rows";
  const parts = [
    `${grouped(rowsEnded)}${ofAll} ${rowsOf}`,
    ...describeWait(sending),
    !isStopping && rowsLeft > 0 && etaText(left, perSecond),
    bad > 0 && `${grouped(bad)} did not succeed`,
    counts.invalid > 0 && `${grouped(counts.invalid)} invalid`,
    perSecond !== undefined && rateText(perSecond, "event"),
    elapsed,
    !isPaused && `${grouped(inFlight)}/${grouped(allowed)} in flight`,
    !isPaused && toRetry > 0 && `${grouped(toRetry)} to retry`,
  ].filter((part) => part !== false);
  const share = shareOf(rowsEnded, rowsTotal);
  return { phase: "sending", share, parts, reasons: problems.map(describeReason) };
}

/** `12 × 422 email is taken`, `3 × failed ECONNREFUSED` */
function describeReason(group: OutcomeGroup): string {
  const { status, code, count } = group;
  const [, http] = /^http_(\d+)$/.exec(code) ?? [];
  return `${grouped(count)} × ${http ?? wordOf(status)} ${reasonOfGroup(group) || code}`;
}

/** Why sending is not faster, if that is known, in parts. */
function describeWait({ waitsFor, perSecond = 0, inFlight }: SendingState): string[] {
  switch (waitsFor?.kind) {
    case undefined:
      return [];
    case "stop":
      return [inFlight === 0 ? "stopping" : `stopping: waiting for ${count(inFlight, "answer")}`];
    case "pause": {
      const isAsked = waitsFor.reason === "asked";
      const why = isAsked ? "service asked to wait" : "service unavailable";
      if (waitsFor.forMs <= 0) return [why, "trying one request"];
      const time = wholeSeconds(waitsFor.forMs);
      return [why, isAsked ? `${time} left` : `next probe in ${time}`];
    }
    case "token":
      return ["waiting for a new token"];
    case "first_answer":
      return ["waiting for the first answer"];
    case "rate": {
      // A rate that is not known yet is 0.
      if (perSecond === 0) return ["service refuses some"];
      const rate = rateText(perSecond, "request");
      if (waitsFor.bound === "rate") return [`--rate: ${asTypedRate(perSecond)}`];
      return [waitsFor.bound === "quota" ? `quota: ${rate}` : `service takes ${rate}`];
    }
    default:
      return waitsFor satisfies never;
  }
}

/** The rate of the last ten seconds, pauses included, and the time since the first look. */
function createRate(clock: Pick<Clock, "now">) {
  let samples: { readonly atMs: number; readonly amount: number }[] = [];
  let perSecond: number | undefined;
  let startMs: number | undefined;
  return {
    at(amount: number) {
      const nowMs = clock.now();
      startMs ??= nowMs;
      const elapsed = `${wholeSeconds(nowMs - startMs)} elapsed`;
      samples = samples.filter(({ atMs }) => atMs >= nowMs - 10_000);
      const [first, last] = [samples[0], samples.at(-1)];
      // Over less than a second, a handful at the beginning would look like a high rate.
      if (first !== undefined && nowMs - first.atMs >= 1000) {
        perSecond = ((amount - first.amount) * 1000) / (nowMs - first.atMs);
      }
      if (last === undefined || nowMs - last.atMs >= 500) samples.push({ atMs: nowMs, amount });
      return { perSecond, elapsed };
    },
  };
}

const longestEtaMs = 999 * 3_600_000;

function etaText(left: number, perSecond = 0): string {
  const leftMs = (left / perSecond) * 1000;
  return `ETA ${leftMs <= longestEtaMs ? wholeSeconds(leftMs) : "unknown"}`;
}

function wholeSeconds(ms: number): string {
  return duration(Math.ceil(ms / 1000) * 1000).replace(".0 s", " s");
}

function shareOf(done: number, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  return total === 0 ? 1 : Math.min(1, done / total);
}
