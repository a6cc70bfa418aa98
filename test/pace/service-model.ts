import type { PaceClock } from "./pace-clock.ts";

/** What a service bears and does not say; the tables of limiters in front of real services are made of these. */
export interface ServiceModel {
  readonly limiter: Limiter;
  /** How long an answer takes with the way there and back, or from how long to how long. */
  readonly latencyMs: number | readonly [number, number];
  /** Until then, answers come ten times as fast. */
  readonly fastUntilMs?: number;
  /** What refuses. */
  readonly status?: number;
  /**
   * How a refusal says when to come again; `draft-…`: what every answer says of the quota; `express`: both, as
   * express-rate-limit has it; `growing`: twice as long each time, until nothing was refused for a while.
   */
  readonly hint?: "integer" | "decimal" | "draft-6" | "draft-7" | "draft-8" | "express" | "growing";
  /** These requests, by their number from 1, are asked to come again after that, whatever the load is. */
  readonly asks?: { readonly requests: readonly number[]; readonly forMs: number };
  /** Who is refused so often within a minute is refused everything for 30 s. */
  readonly bansAfter?: number;
  /** This share of what is let in fails with a status, or is never answered, whatever the load is. */
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
  /** Tokens come at a rate; so many are kept, for all or for each connection. */
  | {
      readonly kind: "bucket";
      readonly perSecond: number;
      readonly burst: number;
      readonly isPerConnection?: boolean;
      /** The fewer tokens are left, the more is refused at random. */
      readonly isRandom?: boolean;
    }
  /** Requests leave a queue at a rate; when it is full, others are refused (nginx `limit_req` with a burst). */
  | { readonly kind: "leaky"; readonly perSecond: number; readonly burst: number }
  /** So many in each window by its clock; or in any time as long as a window, with `slides`. */
  | {
      readonly kind: "window";
      readonly most: number;
      readonly windowMs: number;
      readonly slides?: boolean;
    }
  /**
   * So many in any time as long as a window, those that are refused included, as haproxy's `http_req_rate` estimates it:
   * of the last whole window, as much counts as this one has left.
   */
  | { readonly kind: "estimate"; readonly most: number; readonly windowMs: number }
  | { readonly kind: "places"; readonly most: number }
  /** Requests stand in line for processors, and are refused if they have waited for too long (haproxy `maxconn`). */
  | {
      readonly kind: "processors";
      readonly most: number;
      readonly workMs: number;
      readonly longestWaitMs?: number;
    };

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
  /** When it is refused; default at once. */
  readonly afterMs?: number;
  readonly headers?: Record<string, string>;
}

type Take = (now: number, connection: object) => LetIn | Refused;

export type SimulatedService = ReturnType<typeof createSimulatedService>;

/** Where in a window the run begins: in none of the models does it begin with one. */
const phase = 0.37;
/** Waits that grow begin anew after this. */
const forgetsMs = 10_000;

export function createSimulatedService(model: ServiceModel, clock: PaceClock) {
  const { latencyMs, fastUntilMs = 0, status = 429, hint, fails, outages = [] } = model;
  const { asks, bansAfter } = model;
  const [shortest, longest] =
    typeof latencyMs === "number" ? [0.8 * latencyMs, 1.2 * latencyMs] : latencyMs;
  const wayMs = Math.min(100, 0.2 * (shortest + longest)) / 2;
  const accepted: number[] = [];
  const refused: number[] = [];
  let inWork = 0;
  let arrived = 0;
  /** The last wait in seconds of those that grow, and when it ends. */
  let [growing, waitEndsMs] = [0, Number.NEGATIVE_INFINITY];
  const times: number[] = [];
  let bannedUntilMs = 0;
  const speed = () => (clock.now() < fastUntilMs ? 10 : 1);
  const workMs = () =>
    Math.max(0, shortest + (longest - shortest) * clock.random() - 2 * wayMs) / speed();
  const take = takes(model, workMs, () => inWork, clock.random);
  const outageAt = (now: number) => outages.find(({ fromMs, toMs }) => now >= fromMs && now < toMs);

  const refusal = (forMs: number, headers: Record<string, string> = {}): Reply => {
    const seconds = forMs / 1000;
    const wait = { "retry-after": String(Math.ceil(seconds)) };
    switch (hint) {
      case "integer":
      case "express":
        return { status, headers: { ...headers, ...wait } };
      case "decimal":
        return { status, headers: { ...headers, "retry-after": seconds.toFixed(3) } };
      case "growing": {
        const now = clock.now();
        if (now >= waitEndsMs) {
          growing = now - waitEndsMs > forgetsMs ? 1 : Math.min(64, 2 * growing);
          waitEndsMs = now + growing * 1000;
        }
        return { status, headers: { "retry-after": String(Math.ceil((waitEndsMs - now) / 1000)) } };
      }
      default:
        return { status, headers };
    }
  };

  const isBanned = (now: number) => now < bannedUntilMs;
  const countForBan = (now: number) => {
    if (bansAfter === undefined) return;
    times.push(now);
    while (now - (times[0] ?? now) > 60_000) times.shift();
    if (times.length < bansAfter) return;
    times.length = 0;
    bannedUntilMs = now + 30_000;
  };

  return {
    wayMs: () => (wayMs / speed()) * (0.95 + 0.1 * clock.random()) + clock.jitterMs(),
    outage: () => outageAt(clock.now())?.as,
    /** When events were accepted, and attempts refused. */
    accepted,
    refused,
    /** @param reply is not called if there is no answer */
    arrive(connection: object, reply: (reply: Reply) => void) {
      const now = clock.now();
      const outage = outageAt(now)?.as;
      if (typeof outage === "number") return reply({ status: outage, headers: {} });
      if (outage !== undefined) return;
      if (asks?.requests.includes(++arrived)) return reply(refusal(asks.forMs));
      const taken: LetIn | Refused = isBanned(now)
        ? { refusedForMs: bannedUntilMs - now }
        : take(now, connection);
      if ("refusedForMs" in taken) {
        refused.push(now);
        if (!isBanned(now)) countForBan(now);
        const { refusedForMs, afterMs, headers } = taken;
        if (afterMs === undefined) return reply(refusal(refusedForMs, headers));
        clock.exactly(afterMs, () => reply(refusal(refusedForMs, headers)));
        return;
      }
      if (fails !== undefined && clock.random() < fails.share) {
        const { status: failure } = fails;
        if (failure === "never") return;
        clock.exactly(workMs(), () => reply({ status: failure, headers: {} }));
        return;
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
      if (limiter.isPerConnection) {
        const ofConnection = new WeakMap<object, Take>();
        return (now, connection) => {
          const take = ofConnection.get(connection) ?? takesByBucket(limiter, hint, workMs, random);
          ofConnection.set(connection, take);
          return take(now, connection);
        };
      }
      return takesByBucket(limiter, hint, workMs, random);
    case "leaky": {
      let freeMs = 0;
      const gapMs = 1000 / limiter.perSecond;
      return (now) => {
        freeMs = Math.max(freeMs, now);
        const waitMs = freeMs - now;
        if (waitMs > limiter.burst * gapMs) return { refusedForMs: waitMs };
        freeMs += gapMs;
        return { workMs: waitMs + workMs() };
      };
    }
    case "window":
      return limiter.slides
        ? takesBySliding(limiter, workMs)
        : takesByWindow(limiter, hint, workMs);
    case "estimate":
      return takesByEstimate(limiter, workMs);
    case "places":
      return () => (inWork() >= limiter.most ? { refusedForMs: 1000 } : { workMs: workMs() });
    case "processors": {
      const freeAt: number[] = Array(limiter.most).fill(0);
      return (now) => {
        const next = freeAt.indexOf(Math.min(...freeAt));
        const waitMs = (freeAt[next] ?? 0) - now;
        const { longestWaitMs } = limiter;
        if (longestWaitMs !== undefined && waitMs > longestWaitMs) {
          return { refusedForMs: waitMs, afterMs: longestWaitMs };
        }
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
  { perSecond, burst, isRandom }: Extract<Limiter, { kind: "bucket" }>,
  hint: ServiceModel["hint"],
  workMs: () => number,
  random: () => number,
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
    if (tokens < 1 - 1e-9 || (isRandom && random() > (2 * tokens) / burst)) {
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
    const isFull = times.length - head >= most;
    if (isFull) return { refusedForMs: (times[head] ?? 0) + windowMs - now };
    times.push(now);
    return { workMs: workMs() };
  };
}

function takesByEstimate(
  { most, windowMs }: Extract<Limiter, { kind: "estimate" }>,
  workMs: () => number,
): Take {
  let beganMs = 0;
  let [before, count] = [0, 0];
  return (now) => {
    if (now - beganMs >= windowMs) {
      before = now - beganMs < 2 * windowMs ? count : 0;
      count = 0;
      beganMs = before > 0 ? beganMs + windowMs : now;
    }
    count++;
    const leftMs = beganMs + windowMs - now;
    if (count + (before * leftMs) / windowMs > most) return { refusedForMs: leftMs };
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
    case "express":
      return {
        ratelimit: `"default"; r=${left}; t=${reset}`,
        "ratelimit-policy": `"default"; q=${limit}; w=${reset}`,
      };
    default:
      return {};
  }
}
