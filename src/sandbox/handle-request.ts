import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { reasonOf } from "../model/errors.ts";
import {
  acceptedAnswer,
  checkBody,
  createHeadCheck,
  errorAnswer,
  type ReceivedEvent,
  type ServiceAnswer,
} from "./check-request.ts";
import { type CutOff, createFates } from "./faults.ts";
import type { RequestLog } from "./request-log.ts";
import type { SandboxCounts } from "./sandbox-counts.ts";
import type { SandboxSettings } from "./sandbox-options.ts";

const maxBodyBytes = 1024 * 1024;

/**
 * Creates the listener for all requests. It refuses invalid ones at once. Throttling, faults and latency apply only to
 * valid ones.
 *
 * @param accept called once for each accepted event, in the order of their numbers; if it throws, the event is none
 */
export function createHandler(
  settings: SandboxSettings,
  counts: SandboxCounts,
  log: RequestLog,
  accept: (event: ReceivedEvent) => void,
): RequestListener {
  const { pathPrefix, token, latencyMs } = settings;
  const checkHead = createHeadCheck(pathPrefix, token);
  const fateOf = createFates(settings);
  const isRepeat = createRepeatCheck();

  function end(response: ServerResponse, text: string, ending: ServiceAnswer | CutOff): void {
    log.add(response.req.method ?? "", response.req.url ?? "", text, ending);
    if ("status" in ending) {
      // node:http drops it if the client has disconnected.
      response.writeHead(ending.status, ending.headers);
      response.end(ending.body);
    } else if (ending.kind === "reset") response.req.socket.resetAndDestroy();
  }

  function refuse(response: ServerResponse, answer: ServiceAnswer): void {
    counts.requests += 1;
    increment(counts.refused, answer.status);
    end(response, "", answer);
  }

  function take(event: ReceivedEvent): void {
    accept(event);
    counts.accepted[event.resource] += 1;
    if (isRepeat(event)) counts.repeats += 1;
  }

  function decide(event: ReceivedEvent): ServiceAnswer | CutOff {
    counts.requests += 1;
    const fate = fateOf(event);
    switch (fate.kind) {
      case "throttled":
        counts.throttled += 1;
        return fate.answer;
      case "failed":
        increment(counts.failed, fate.answer.status);
        return fate.answer;
      case "rejected":
        increment(counts.refused, fate.answer.status);
        return fate.answer;
      case "accepted":
        take(event);
        return acceptedAnswer;
      default:
        if (fate.isAccepted) take(event);
        counts[`${fate.kind}s`][fate.isAccepted ? "afterAccepting" : "beforeAccepting"] += 1;
        return fate;
    }
  }

  /** An event that cannot be recorded is not accepted: a record with a gap would look complete. */
  function decideOrFail(event: ReceivedEvent): ServiceAnswer | CutOff {
    try {
      return decide(event);
    } catch (error) {
      increment(counts.failed, 500);
      return errorAnswer(500, "not_recorded", `The event is not recorded: ${reasonOf(error)}.`);
    }
  }

  return async (request, response) => {
    const resource = checkHead(request);
    if (typeof resource === "object") return refuse(response, resource);
    // A client that leaves before it has sent its body has sent no request.
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return;
    const checked = "status" in body ? body : checkBody(body);
    if ("status" in checked) return refuse(response, checked);
    const { method = "", headers } = request;
    const ending = decideOrFail({ method, headers, resource, ...checked });
    const finish = () => end(response, checked.text, ending);
    // A pending answer must not keep a process alive after its sandbox has stopped.
    if (latencyMs > 0) setTimeout(finish, latencyMs).unref();
    else finish();
  };
}

function increment(counts: Record<string, number>, status: number): void {
  counts[status] = (counts[status] ?? 0) + 1;
}

/** The body; what is too large is read to its end and dropped. */
async function readBody(request: IncomingMessage): Promise<Buffer | ServiceAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  return bytes <= maxBodyBytes
    ? Buffer.concat(chunks)
    : errorAnswer(413, "payload_too_large", "The body is larger than 1 MiB.");
}

/** A limit, so that the memory of a sandbox does not grow. */
const maxRemembered = 1_000_000;

/**
 * Creates a function that says whether the same event already came by the same method for the same resource. The id in
 * `Idempotency-Key` tells events apart or, where there is none, the whole body. When a million different ones have
 * come, it begins anew.
 */
function createRepeatCheck(): (event: ReceivedEvent) => boolean {
  const seen = new Set<number>();
  return ({ method, resource, headers, text }) => {
    const key = `${method} ${resource} ${headers["idempotency-key"] ?? text}`;
    // 48 bits fit in a number, and make a false repeat among a million events unlikely.
    const digest = createHash("sha1").update(key).digest().readUIntBE(0, 6);
    if (seen.has(digest)) return true;
    if (seen.size === maxRemembered) seen.clear();
    seen.add(digest);
    return false;
  };
}
