// What a service can bear and does not tell, on a clock that is passed in: the same rules answer in
// the process that `npm run bench:rate` starts and in the simulation on a virtual clock.

/** @typedef {import("./hidden-limit.d.mts").HiddenLimit} HiddenLimit */

/** Decides on each request as it arrives. Times are milliseconds since the first one. */
export function createHiddenLimit(limit, random = Math.random) {
  switch (limit.kind) {
    case "tokens":
      return createTokenBucket(limit, random);
    case "window":
      return createFixedWindow(limit, random);
    case "in_flight":
      return createPlaces(limit, random);
    case "load":
      return createLoaded(limit, random);
    default:
      throw new Error(`no such limit: ${JSON.stringify(limit)}`);
  }
}

/** By how much a limit that changes differs from what it began with. */
export function factorAt({ change }, atMs) {
  return change !== undefined && atMs >= change.atS * 1000 ? change.factor : 1;
}

/** Refuses what comes faster than tokens do. */
function createTokenBucket(limit, random) {
  const { perSecond, burst = Math.max(1, perSecond / 10), status = 429, retryAfterS } = limit;
  let tokens = burst;
  let filledAtMs = 0;
  const fill = (untilMs) => {
    const factor = factorAt(limit, filledAtMs);
    tokens += ((untilMs - filledAtMs) / 1000) * perSecond * factor;
    tokens = Math.min(tokens, Math.max(1, burst * factorAt(limit, untilMs)));
    filledAtMs = untilMs;
  };
  return {
    arrive(nowMs) {
      fill(nowMs);
      if (tokens < 1) return { status, retryAfterS, answerAtMs: nowMs };
      tokens--;
      return { status: 202, answerAtMs: nowMs + varied(limit.latencyMs, random) };
    },
    left() {},
  };
}

/** Takes so many in each second by its clock, and refuses the rest of that second. */
function createFixedWindow(limit, random) {
  const { perSecond, status = 429, retryAfterS } = limit;
  let second = 0;
  let taken = 0;
  return {
    arrive(nowMs) {
      if (Math.floor(nowMs / 1000) !== second) {
        second = Math.floor(nowMs / 1000);
        taken = 0;
      }
      if (taken >= perSecond * factorAt(limit, nowMs)) {
        return { status, retryAfterS, answerAtMs: nowMs };
      }
      taken++;
      return { status: 202, answerAtMs: nowMs + varied(limit.latencyMs, random) };
    },
    left() {},
  };
}

/** Refuses what comes while all places are taken. */
function createPlaces(limit, random) {
  const { places, status = 503, retryAfterS } = limit;
  let taken = 0;
  return {
    arrive(nowMs) {
      if (taken >= places * factorAt(limit, nowMs)) {
        return { status, retryAfterS, answerAtMs: nowMs };
      }
      taken++;
      return { status: 202, answerAtMs: nowMs + varied(limit.latencyMs, random) };
    },
    left() {
      taken--;
    },
  };
}

/** Refuses nothing: what comes while all servers are at work stands in line. */
function createLoaded({ servers, latencyMs }, random) {
  const freeAtMs = new Array(servers).fill(0);
  return {
    arrive(nowMs) {
      let next = 0;
      for (let server = 1; server < servers; server++) {
        if (freeAtMs[server] < freeAtMs[next]) next = server;
      }
      freeAtMs[next] = Math.max(nowMs, freeAtMs[next]) + varied(latencyMs, random);
      return { status: 202, answerAtMs: freeAtMs[next] };
    },
    left() {},
  };
}

/** Real services do not take the same time twice; without this all requests would march in step. */
function varied(latencyMs, random) {
  return latencyMs * (0.9 + 0.2 * random());
}
