import type { PaceClock } from "./pace-clock.ts";

/** What a service bears and does not say; the tables of limiters in front of real services are made of these. */
export interface ServiceModel {
  readonly limiter: Limiter;
  /** How long an answer takes with the way there and back, or from how long to how long. */
  readonly latencyMs: number | readonly [number, number];
  /** What refuses. */
  readonly status?: number;
  /** How a refusal says when to come again; `draft-…`: what every answer says of the quota. */
  readonly hint?: "integer" | "decimal" | "draft-6" | "draft-7" | "draft-8";
  /** This share of all requests fails with a status, or is never answered, whatever the load is. */
  readonly fails?: { readonly share: number; readonly status: number | "never" };
  /** At most so many connections; a further one is refused, or reset as it opens. */
  readonly connections?: { readonly most: number; readonly extra: "refused" | "reset" };
  /** Connections that are not used close after this. */
  readonly idleMs?: number;
  readonly outages?: readonly Outage[];
  /** All connections close so often. */
  readonly closesEveryMs?: number;
}

export type Limiter =
  | { readonly kind: "none" }
  /** Tokens come at a rate; so many are kept. */
  | { readonly kind: "bucket"; readonly perSecond: number; readonly burst: number }
  /** So many in each window by its clock; or in any time as long as a window, with `slides`. */
  | {
      readonly kind: "window";
      readonly most: number;
      readonly windowMs: number;
      readonly slides?: boolean;
    }
  | { readonly kind: "places"; readonly most: number }
  /** Requests stand in line for processors. */
  | { readonly kind: "processors"; readonly most: number; readonly workMs: number };

export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  readonly as: number | "refused" | "reset" | "silent";
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** How a request fares that the limiter lets in. */
interface LetIn {
  readonly workMs: number;
  readonly headers?: Record<string, string>;
}

interface Refused {
  /** Until it would take another. */
  readonly refusedForMs: number;
  readonly headers?: Record<string, string>;
}

type Take = (now: number) => LetIn | Refused;

export type SimulatedService = ReturnType<typeof createSimulatedService>;

/** Where in a window the run begins: in none of the models does it begin with one. */
const phase = 0.37;

export function createSimulatedService(model: ServiceModel, clock: PaceClock) {
  const { latencyMs, status = 429, hint, fails, outages = [] } = model;
  const [shortest, longest] =
    typeof latencyMs === "number" ? [0.8 * latencyMs, 1.2 * latencyMs] : latencyMs;
  const wayMs = Math.min(100, 0.2 * (shortest + longest)) / 2;
  const accepted: number[] = [];
  const refused: number[] = [];
  let inWork = 0;
  const workMs = () => Math.max(0, shortest + (longest - shortest) * clock.random() - 2 * wayMs);
  const take = takes(model, workMs, () => inWork, clock.random);
  const outageAt = (now: number) => outages.find(({ fromMs, toMs }) => now >= fromMs && now < toMs);

  const refusal = (forMs: number, headers: Record<string, string> = {}): Reply => {
    const seconds = forMs / 1000;
    const hints: Record<string, string> =
      hint === "integer"
        ? { "retry-after": String(Math.ceil(seconds)) }
        : hint === "decimal"
          ? { "retry-after": seconds.toFixed(3) }
          : {};
    return { status, headers: { ...headers, ...hints } };
  };

  return {
    wayMs: () => wayMs * (0.95 + 0.1 * clock.random()),
    outage: () => outageAt(clock.now())?.as,
    /** When events were accepted, and attempts refused. */
    accepted,
    refused,
    /** @param reply is not called if there is no answer */
    arrive(reply: (reply: Reply) => void) {
      const now = clock.now();
      const outage = outageAt(now)?.as;
      if (typeof outage === "number") return reply({ status: outage, headers: {} });
      if (outage !== undefined) return;
      if (fails !== undefined && clock.random() < fails.share) {
        const { status: failure } = fails;
        if (failure === "never") return;
        clock.exactly(workMs(), () => reply({ status: failure, headers: {} }));
        return;
      }
      const taken = take(now);
      if ("refusedForMs" in taken) {
        refused.push(now);
        return reply(refusal(taken.refusedForMs, taken.headers));
      }
      inWork++;
      clock.exactly(taken.workMs, () => {
        inWork--;
        accepted.push(clock.now());
        reply({ status: 202, headers: taken.headers ?? {} });
      });
    },
  };
}

function takes(
  { limiter, hint }: ServiceModel,
  workMs: () => number,
  inWork: () => number,
  random: () => number,
): Take {
  switch (limiter.kind) {
    case "none":
      return () => ({ workMs: workMs() });
    case "bucket":
      return takesByBucket(limiter, hint, workMs);
    case "window":
      return limiter.slides
        ? takesBySliding(limiter, workMs)
        : takesByWindow(limiter, hint, workMs);
    case "places":
      return () => (inWork() >= limiter.most ? { refusedForMs: 1000 } : { workMs: workMs() });
    case "processors": {
      const freeAt: number[] = Array(limiter.most).fill(0);
      return (now) => {
        const next = freeAt.indexOf(Math.min(...freeAt));
        const end = Math.max(now, freeAt[next] ?? 0) + limiter.workMs * (0.8 + 0.4 * random());
        freeAt[next] = end;
        return { workMs: end - now };
      };
    }
    default:
      return limiter satisfies never;
  }
}

function takesByBucket(
  { perSecond, burst }: Extract<Limiter, { kind: "bucket" }>,
  hint: ServiceModel["hint"],
  workMs: () => number,
): Take {
  let tokens = burst;
  let filledAt = 0;
  const quota = () => {
    const left = Math.floor(tokens + 1e-9);
    return quotaFields(hint, left, (1000 * (burst - tokens)) / perSecond, burst);
  };
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
    filledAt = now;
    if (tokens < 1 - 1e-9) {
      return { refusedForMs: ((1 - tokens) * 1000) / perSecond, headers: quota() };
    }
    tokens--;
    return { workMs: workMs(), headers: quota() };
  };
}

function takesByWindow(
  { most, windowMs }: Extract<Limiter, { kind: "window" }>,
  hint: ServiceModel["hint"],
  workMs: () => number,
): Take {
  let current = -1;
  let taken = 0;
  return (now) => {
    const at = now + phase * windowMs;
    const window = Math.floor(at / windowMs);
    const leftMs = (window + 1) * windowMs - at;
    if (window !== current) taken = 0;
    current = window;
    if (taken >= most) {
      return { refusedForMs: leftMs, headers: quotaFields(hint, 0, leftMs, most) };
    }
    taken++;
    return { workMs: workMs(), headers: quotaFields(hint, most - taken, leftMs, most) };
  };
}

function takesBySliding(
  { most, windowMs }: Extract<Limiter, { kind: "window" }>,
  workMs: () => number,
): Take {
  const times: number[] = [];
  let head = 0;
  return (now) => {
    while (head < times.length && (times[head] ?? 0) <= now - windowMs) head++;
    if (times.length - head >= most) return { refusedForMs: (times[head] ?? 0) + windowMs - now };
    times.push(now);
    return { workMs: workMs() };
  };
}

/** Of a quota, as three drafts of draft-ietf-httpapi-ratelimit-headers write it. */
function quotaFields(
  hint: ServiceModel["hint"],
  left: number,
  resetMs: number,
  limit: number,
): Record<string, string> {
  const reset = Math.ceil(resetMs / 1000);
  switch (hint) {
    case "draft-6":
      return {
        "ratelimit-limit": `${limit}`,
        "ratelimit-remaining": `${left}`,
        "ratelimit-reset": `${reset}`,
        "ratelimit-policy": `${limit};w=${reset}`,
      };
    case "draft-7":
      return { ratelimit: `limit=${limit}, remaining=${left}, reset=${reset}` };
    case "draft-8":
      return {
        ratelimit: `"default"; r=${left}; t=${reset}`,
        "ratelimit-policy": `"default"; q=${limit}; w=${reset}`,
      };
    default:
      return {};
  }
}
