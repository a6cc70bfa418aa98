import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Answer, acceptedAnswer, errorAnswer, sendAnswer } from "./answer.ts";
import { checkBody, type Head, type ReceivedEvent } from "./check-request.ts";
import type { FailureStatus, Fault } from "./faults.ts";
import type { CutOff, RequestLog } from "./request-log.ts";
import type { SandboxCounts } from "./sandbox-counts.ts";

const maxBodyBytes = 1024 * 1024;

/** The parts of request handling; each can be replaced on its own. */
export interface HandlerParts {
  checkHead(request: IncomingMessage): Head;
  /** The wait in whole seconds, 0 for none. */
  throttle(): number;
  isOutage(): boolean;
  nextFault(): Fault;
  reject(event: ReceivedEvent): Answer | undefined;
  /** Called once for each accepted event, in the order of their numbers. */
  accept(event: ReceivedEvent): void;
  latencyMs: number;
  counts: SandboxCounts;
  log: RequestLog;
}

/**
 * Creates the listener for all requests. It refuses invalid ones at once. Throttling, faults and latency
 * apply only to valid ones.
 */
export function createHandler(parts: HandlerParts): RequestListener {
  const { counts, latencyMs, log } = parts;

  function end(response: ServerResponse, text: string, ending: Answer | CutOff): void {
    log.add(response.req.url ?? "", text, ending);
    if (!("kind" in ending)) sendAnswer(response, ending);
    else if (ending.kind === "reset") response.req.socket.resetAndDestroy();
  }

  function refuse(response: ServerResponse, answer: Answer): void {
    increment(counts.refused, answer.status);
    end(response, "", answer);
  }

  /** Decides on a valid request and counts it. */
  function decide(event: ReceivedEvent): Answer | CutOff {
    const retryAfterSeconds = parts.throttle();
    if (retryAfterSeconds > 0) {
      counts.throttled += 1;
      return tooManyRequests(retryAfterSeconds);
    }
    const fault: Fault = parts.isOutage() ? { kind: "fail", status: 503 } : parts.nextFault();
    if (fault.kind === "fail") {
      increment(counts.failed, fault.status);
      return failureAnswers[fault.status];
    }
    const rejection = parts.reject(event);
    const isAccepted = rejection === undefined && (fault.kind === "none" || fault.isAccepted);
    if (isAccepted) parts.accept(event);
    if (fault.kind !== "none") {
      counts[`${fault.kind}s`][isAccepted ? "afterAccepting" : "beforeAccepting"] += 1;
      return { kind: fault.kind, isAccepted };
    }
    if (rejection !== undefined) increment(counts.refused, rejection.status);
    return rejection ?? acceptedAnswer;
  }

  return (request, response) => {
    counts.requests += 1;
    const head = parts.checkHead(request);
    if (head.kind === "refused") {
      refuse(response, head.answer);
      return;
    }
    readBody(request, (body) => {
      if (body === "broken_off") {
        counts.brokenOff += 1;
        return;
      }
      const checked = body === "too_large" ? tooLarge : checkBody(body);
      if (checked.kind === "refused") {
        refuse(response, checked.answer);
        return;
      }
      const { resource } = head;
      const { method = "", headers } = request;
      const ending = decide({ method, headers, resource, ...checked });
      const finish = () => end(response, checked.text, ending);
      // A pending answer must not keep a process alive after its sandbox has stopped.
      if (latencyMs > 0) setTimeout(finish, latencyMs).unref();
      else finish();
    });
  };
}

function increment(counts: Record<string, number>, status: number): void {
  counts[status] = (counts[status] ?? 0) + 1;
}

function tooManyRequests(retryAfterSeconds: number): Answer {
  const message = `Too many requests; wait ${retryAfterSeconds} s before the next one.`;
  const headers = ["Retry-After", String(retryAfterSeconds)];
  return errorAnswer(429, { code: "too_many_requests", message }, headers);
}

const tooLarge = {
  kind: "refused",
  answer: errorAnswer(413, {
    code: "payload_too_large",
    message: "The body is larger than 1 MiB.",
  }),
} as const;

const message = "The sandbox fails this request on purpose; the event was not accepted.";
const failureAnswers = {
  500: errorAnswer(500, { code: "internal_server_error", message }),
  502: errorAnswer(502, { code: "bad_gateway", message }),
  503: errorAnswer(503, { code: "service_unavailable", message }),
  504: errorAnswer(504, { code: "gateway_timeout", message }),
} satisfies Record<FailureStatus, Answer>;

/** Reads a body and calls `done` once. What is too large is read to its end and dropped. */
function readBody(
  request: IncomingMessage,
  done: (body: Buffer | "too_large" | "broken_off") => void,
): void {
  let chunks: Buffer[] = [];
  let receivedBytes = 0;
  request.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > maxBodyBytes) chunks = [];
    else chunks.push(chunk);
  });
  request.on("end", () => {
    done(receivedBytes > maxBodyBytes ? "too_large" : Buffer.concat(chunks));
  });
  request.on("close", () => {
    if (!request.complete) done("broken_off");
  });
}
