import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Answer, acceptedAnswer, errorAnswer, sendAnswer } from "./answer.ts";
import { checkBody, type Head, type Resource } from "./check-request.ts";
import type { FailureStatus, Fault } from "./faults.ts";
import type { SandboxCounts } from "./sandbox-counts.ts";

const maxBodyBytes = 1024 * 1024;

/** The parts of request handling; each can be replaced on its own. */
export interface HandlerParts {
  checkHead(request: IncomingMessage): Head;
  /** The wait in whole seconds, 0 for none. */
  throttle(): number;
  nextFault(): Fault;
  /** Called once for each accepted event, in the order of their numbers. */
  onAccepted(request: IncomingMessage, resource: Resource, body: Buffer, text: string): void;
  latencyMs: number;
  counts: SandboxCounts;
}

/**
 * Creates the listener for all requests. It refuses invalid ones at once. Throttling, faults and latency
 * apply only to valid ones.
 */
export function createHandler(parts: HandlerParts): RequestListener {
  const { counts, latencyMs } = parts;

  function refuse(response: ServerResponse, answer: Answer): void {
    increment(counts.refused, answer.status);
    sendAnswer(response, answer);
  }

  /** Decides on a valid request, counts it, and returns the function that answers it after the latency. */
  function decide(
    request: IncomingMessage,
    response: ServerResponse,
    accept: () => void,
  ): () => void {
    const retryAfterSeconds = parts.throttle();
    if (retryAfterSeconds > 0) {
      counts.throttled += 1;
      return () => sendAnswer(response, tooManyRequests(retryAfterSeconds));
    }
    const fault = parts.nextFault();
    switch (fault.kind) {
      case "none":
        accept();
        return () => sendAnswer(response, acceptedAnswer);
      case "fail":
        increment(counts.failed, fault.status);
        return () => sendAnswer(response, failureAnswers[fault.status]);
      case "reset":
        if (fault.isAccepted) {
          accept();
          counts.resets.afterAccepting += 1;
        } else {
          counts.resets.beforeAccepting += 1;
        }
        return () => request.socket.resetAndDestroy();
      default:
        return fault satisfies never;
    }
  }

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    resource: Resource,
    body: Buffer,
  ): void {
    const checked = checkBody(body);
    if (checked.kind === "refused") {
      refuse(response, checked.answer);
      return;
    }
    const finish = decide(request, response, () =>
      parts.onAccepted(request, resource, body, checked.text),
    );
    // A pending answer must not keep a process alive after its sandbox has stopped.
    if (latencyMs > 0) setTimeout(finish, latencyMs).unref();
    else finish();
  }

  return (request, response) => {
    counts.requests += 1;
    const head = parts.checkHead(request);
    if (head.kind === "refused") {
      refuse(response, head.answer);
      return;
    }
    readBody(request, maxBodyBytes, (read) => {
      switch (read.kind) {
        case "whole":
          serve(request, response, head.resource, read.body);
          break;
        case "too_large":
          refuse(response, tooLarge);
          break;
        case "broken_off":
          counts.brokenOff += 1;
          break;
        default:
          read satisfies never;
      }
    });
  };
}

function increment(counts: Record<string, number>, status: number): void {
  counts[status] = (counts[status] ?? 0) + 1;
}

function tooManyRequests(retryAfterSeconds: number): Answer {
  const message = `Too many requests; wait ${retryAfterSeconds} s before the next one.`;
  const headers = ["Retry-After", String(retryAfterSeconds)];
  return errorAnswer(429, "too_many_requests", message, headers);
}

const tooLarge = errorAnswer(413, "payload_too_large", "The body is larger than 1 MiB.");

const onPurpose = "The sandbox fails this request on purpose; the event was not accepted.";
const failureAnswers = {
  500: errorAnswer(500, "internal_server_error", onPurpose),
  502: errorAnswer(502, "bad_gateway", onPurpose),
  503: errorAnswer(503, "service_unavailable", onPurpose),
  504: errorAnswer(504, "gateway_timeout", onPurpose),
} satisfies Record<FailureStatus, Answer>;

/** The result of reading a request's body. */
type ReadBody = { kind: "whole"; body: Buffer } | { kind: "too_large" } | { kind: "broken_off" };

/**
 * Reads a body of at most `maxBytes` and calls `done` once. If the body is larger, `done` is called at
 * once and the rest is read and dropped: if the connection closed while the client still sends, it would
 * see a reset instead of its answer.
 */
function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (outcome: ReadBody) => void,
): void {
  let chunks: Buffer[] = [];
  let receivedBytes = 0;
  let settled = false;

  function settle(outcome: ReadBody): void {
    if (settled) return;
    settled = true;
    chunks = [];
    done(outcome);
  }

  request.on("data", (chunk: Buffer) => {
    if (settled) return;
    receivedBytes += chunk.length;
    if (receivedBytes > maxBytes) settle({ kind: "too_large" });
    else chunks.push(chunk);
  });
  request.on("end", () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, receivedBytes);
    settle({ kind: "whole", body });
  });
  request.on("close", () => settle({ kind: "broken_off" }));

  if (Number(request.headers["content-length"] ?? 0) > maxBytes) settle({ kind: "too_large" });
}
