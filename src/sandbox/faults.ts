import { createHash } from "node:crypto";
import { errorAnswer, type ReceivedEvent, type ServiceAnswer } from "./check-request.ts";
import type { SandboxSettings } from "./sandbox-options.ts";

export type RequestFate =
  | { kind: "accepted" }
  | { kind: "throttled" | "failed" | "rejected"; answer: ServiceAnswer }
  | CutOff;

/** The connection is reset, or the request is never answered. */
export interface CutOff {
  kind: "reset" | "hang";
  isAccepted: boolean;
}

const acceptedFate: RequestFate = { kind: "accepted" };

/**
 * Creates a function that says of one valid request after another what becomes of it.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createFates(
  settings: SandboxSettings,
  now = () => performance.now(),
): (event: ReceivedEvent) => RequestFate {
  const { rateLimitPerSecond, outage, failRate, resetRate, hangRate, rejectRate, seed } = settings;
  const throttle = createThrottle(rateLimitPerSecond);
  const random = mulberry32(seed);
  let outageFromMs: number | undefined;

  return (event) => {
    const nowMs = now();
    const waitSeconds = throttle(nowMs);
    if (waitSeconds > 0) return { kind: "throttled", answer: tooManyRequests(waitSeconds) };
    outageFromMs ??= nowMs + outage.afterMs;
    if (nowMs >= outageFromMs && nowMs < outageFromMs + outage.forMs) return fail(503);
    // Two numbers for each request, so that the n-th does not depend on how the earlier ones turned out.
    const [share, choice] = [random(), random()];
    if (share < failRate) return fail(failureStatuses[Math.floor(choice * 4)]!);
    const rejection = rejectionOf(event, rejectRate, seed);
    if (share < failRate + resetRate + hangRate) {
      const kind = share < failRate + resetRate ? "reset" : "hang";
      return { kind, isAccepted: choice < 0.5 && rejection === undefined };
    }
    return rejection === undefined ? acceptedFate : { kind: "rejected", answer: rejection };
  };
}

function tooManyRequests(waitSeconds: number): ServiceAnswer {
  const message = `Too many requests; wait ${waitSeconds} s before the next one.`;
  return errorAnswer(429, "too_many_requests", message, ["Retry-After", String(waitSeconds)]);
}

const failureStatuses = [500, 502, 503, 504];

function fail(status: number): RequestFate {
  const message = "The sandbox fails this request on purpose; the event was not accepted.";
  return { kind: "failed", answer: errorAnswer(status, "failed_on_purpose", message) };
}

// A client that waits exactly as long as it is asked to must get a token, despite rounding errors. So
// almost a whole token is enough.
const rounding = 1e-6;

/**
 * A token bucket that starts full, holds at most `max(1, ratePerSecond)` tokens, and refills continuously. The caller
 * passes the time of each request, and gets 0, or how many whole seconds to wait if there is no token.
 */
export function createThrottle(ratePerSecond: number): (nowMs: number) => number {
  const capacity = Math.max(1, ratePerSecond);
  let tokens = capacity;
  let latestMs = 0;

  return (nowMs) => {
    tokens = Math.min(capacity, tokens + ((nowMs - latestMs) * ratePerSecond) / 1000);
    latestMs = nowMs;
    if (tokens >= 1 - rounding) {
      tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - rounding / 2 - tokens) / ratePerSecond));
  };
}

/**
 * Rejects a share of the events with an answer that names a member. As in a service that checks its events, an event
 * is rejected each time it comes, until it is changed: the draw is from its body.
 */
function rejectionOf(
  { resource, text, value: event }: ReceivedEvent,
  rate: number,
  seed: number,
): ServiceAnswer | undefined {
  if (rate === 0) return undefined;
  const digest = createHash("sha1").update(`${seed} ${resource} ${text}`).digest();
  if (digest.readUInt32BE(0) >= rate * 2 ** 32) return undefined;
  const names = Object.keys(event).filter((name) => name !== "event");
  const member = names[digest.readUInt32BE(4) % names.length] ?? "event";
  return errorAnswer(422, "invalid_member", `${member} is not accepted`, [], member);
}

/**
 * Tommy Ettinger's Mulberry32: random numbers in [0, 1) from 32 bits of state. Only the low 32 bits of the
 * seed count.
 */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
