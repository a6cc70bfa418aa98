import { asTypedRate, count, duration, grouped, shortTime } from "../../model/quantities.ts";
import type { RunSummary } from "../../model/run-events.ts";
import {
  type LimitedBy,
  type PauseReason,
  pauseReasons,
  type SendingFigures,
} from "../../model/sending-state.ts";
import { rateText } from "./lines.ts";

export function renderSending({ sending, limitedBy }: RunSummary): string[] {
  if (sending === undefined) return [];
  const share = Math.round((limitedBy?.share ?? 0) * 100);
  const [which, time] =
    sending.processes === 1 ? ["Limited", "the time"] : ["The last part was limited", "its time"];
  return [
    ...(sending.attempts === 0 ? [] : renderFigures(sending)),
    ...(limitedBy === undefined
      ? []
      : [`${which} for ${share} % of ${time} by ${limitText(limitedBy)}`]),
  ];
}

function renderFigures(sending: SendingFigures): string[] {
  const { attempts, retries, latency, pausedMs, pauses, processes, durationMs } = sending;
  const { p50_ms, p95_ms, p99_ms, max_ms } = latency;
  const [half, most, nearlyAll, all] = [p50_ms, p95_ms, p99_ms, max_ms].map(shortTime);
  const repeats =
    retries === 0 ? "" : `, ${grouped(retries)} of them ${retries === 1 ? "a retry" : "retries"}`;
  const time = processes === 1 ? "" : ` in ${duration(durationMs)} of sending`;
  const rate = rateText((attempts * 1000) / Math.max(1, durationMs), "request");
  // One alone has no rate.
  const made = `${count(attempts, "attempt")}${time}${attempts === 1 ? "" : ` (${rate})`}${repeats}`;
  const answered =
    latency.answers === 1
      ? `Latency: ${all}`
      : `Latency: median ${half}, 95 % ${most}, 99 % ${nearlyAll}, longest ${all}`;
  const reasons = pauseReasons.filter((reason) => pausedMs[reason] >= shortestPauseMs);
  const each = reasons.map((reason) => `${duration(pausedMs[reason])} ${pauseWords[reason]}`);
  return [
    made,
    ...(latency.answers === 0 ? [] : [answered]),
    ...(each.length === 0 ? [] : [`${count(pauses, "pause")}: ${each.join(", ")}`]),
  ];
}

function limitText({ limit, perSecond = 0, allowed, refusedWith }: LimitedBy): string {
  switch (limit) {
    case "rate":
      return `--rate (${asTypedRate(perSecond)})`;
    case "throttling":
      if (perSecond === 0) return "the service, which took more requests as time went on";
      return `the service, which takes about ${rateText(perSecond, "request")}${beyondThat(perSecond, refusedWith)}`;
    case "quota":
      return "the service's quota";
    case "adapted_concurrency":
      return `the service, which handles about ${count(allowed, "request")} at a time`;
    case "concurrency":
      return `latency, with ${count(allowed, "request")} in flight`;
    default:
      return limit satisfies never;
  }
}

/** A service that answers 503 does not say that it limits the rate. */
function beyondThat(perSecond: number, status: number | undefined): string {
  if (status === undefined) return "";
  if (status !== 503) return ` and answers ${status} beyond that`;
  // A little less avoids refusals.
  const rate = 0.95 * perSecond;
  const avoids = rate >= 1 ? `${Math.floor(rate)}/s` : `${Math.max(1, Math.floor(60 * rate))}/m`;
  return ` and answers 503 beyond that, like a rate limit: --rate ${avoids} would avoid it`;
}

/** A shorter one would be shown as 0.0 s. */
const shortestPauseMs = 50;

const pauseWords: Record<PauseReason, string> = {
  asked: "as the service asked",
  outage: "during an outage",
};
