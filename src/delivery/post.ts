import type { Dispatcher } from "undici";
import { type AnswerBody, type BodyHeaders, readAnswerBody } from "./answer-body.ts";
import type { Clock } from "./clock.ts";
import { type Connections, openConnections } from "./connections.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";
import { messageOf } from "./message-of.ts";
import { rateLimitFields } from "./rate-limit-fields.ts";
import { createRedact, type Redact } from "./redact.ts";
import type { Route } from "./route.ts";

/** What came of one POST. */
export type Attempt =
  /** A status line came back, whatever happened to the body after it. */
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      /** `Retry-After`, as it was sent, each time that it was sent. */
      readonly retryAfter?: readonly string[];
      /** `Location`, as it was sent. */
      readonly location?: string;
      /** `RateLimit` and its kin, by their names in lower case; absent where there is none. */
      readonly rateLimit?: Readonly<Record<string, string>>;
      /** The beginning of the body as text, unpacked, 64 KiB at most; blank for a success. */
      readonly body: string;
      /** Whether the body goes on after that. */
      readonly isCut?: boolean;
    }
  /** The request may have left, and no status line came back. */
  | { readonly kind: "unanswered"; readonly code: string; readonly message: string }
  /**
   * The request never left. Where a proxy was in the way, the code is `proxy_auth` (it wants, or does
   * not accept, a user name and password), `proxy_refused` or `proxy_unreachable`.
   */
  | { readonly kind: "not_sent"; readonly code: string; readonly message: string };

export interface Poster {
  /** Tries once. Never rejects. */
  post(request: EventRequest): Promise<Attempt>;
  /** Cuts off what is on the wire; those attempts end as unanswered. */
  cutOff(): void;
  close(): Promise<void>;
}

export interface PosterSettings {
  readonly endpoint: Endpoint;
  /** Connections at most; each carries one request at a time. */
  readonly connections: number;
  /** Deadline of an attempt, from the moment it may leave to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Default: straight there, with the usual authorities. */
  readonly route?: Route;
  /** Whether the body of an answer says nothing that is wanted; default: of every 2xx. */
  readonly isSuccess?: (httpStatus: number) => boolean;
}

const maxAnswerBytes = 64 * 1024;

/** POSTs over kept-alive HTTP/1.1 connections. Redirects are answers; they are never followed. */
export function createPoster(settings: PosterSettings): Poster {
  const { timeoutMs, clock, route = {}, isSuccess = is2xx } = settings;
  const connections = openConnections({ ...settings, route });
  const reading = { isSuccess, hide: hiding(route), connections };
  const open = new Set<(code: string, message: string) => void>();

  return {
    post: (request) =>
      new Promise((resolve) => {
        const exchange = createExchange(reading, resolve);
        const giveUp = (code: string, message: string) => exchange.giveUp(code, message);
        open.add(giveUp);
        const cancelDeadline = clock.schedule(timeoutMs, () =>
          giveUp("timeout", `no answer within ${timeoutMs / 1000} s`),
        );
        exchange.onSettled(() => {
          open.delete(giveUp);
          cancelDeadline();
        });
        connections.dispatch(request, exchange.handler);
      }),
    cutOff() {
      for (const giveUp of [...open]) giveUp("interrupted", "the run was interrupted");
    },
    close: connections.close,
  };
}

/**
 * Follows one request through undici. Its phase, and not the error, tells whether the service may
 * have seen it: undici calls `onRequestStart` right before it writes the first byte.
 */
function createExchange(
  { isSuccess, hide, connections }: Reading,
  resolve: (attempt: Attempt) => void,
) {
  let controller: Dispatcher.DispatchController | undefined;
  let answer: Answered | undefined;
  let bodyHeaders: BodyHeaders = {};
  const chunks: Buffer[] = [];
  let bytes = 0;
  let settled = false;
  let afterwards = () => {};

  const end = (attempt: Attempt) => {
    afterwards();
    resolve(attempt);
  };
  const settle = (attempt: Attempt | Promise<Attempt>) => {
    if (settled) return;
    settled = true;
    if (attempt instanceof Promise) void attempt.then(end);
    else end(attempt);
  };
  const settleAnswered = (isCut: boolean) => {
    if (answer === undefined) return false;
    if (!settled) settle(chunks.length === 0 ? answer : withBody(answer, isCut));
    return true;
  };
  const withBody = (answered: Answered, isCut: boolean) => {
    const start = Buffer.concat(chunks).subarray(0, maxAnswerBytes);
    const body = readAnswerBody(start, isCut, bodyHeaders, maxAnswerBytes);
    const toAttempt = (read: AnswerBody): Attempt => {
      const text = hide(read.text, read.isCut);
      return { ...answered, body: text, ...(read.isCut && text !== "" ? { isCut: true } : {}) };
    };
    return body instanceof Promise ? body.then(toAttempt) : toAttempt(body);
  };
  const settleWith = (code: string, message: string) => {
    if (settleAnswered(true)) return;
    if (controller !== undefined) settle({ kind: "unanswered", code, message });
    else settle({ kind: "not_sent", code, message });
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // Given up while it waited for a connection: it must not leave any more.
      if (settled) started.abort(new Error("given up"));
      else controller = started;
    },
    onResponseStart(_, httpStatus, headers) {
      if (httpStatus < 200) return; // an interim answer (RFC 9110, section 15.2) settles nothing
      const retryAfter = headers["retry-after"];
      const { location } = headers;
      const rateLimit = rateLimitFields(headers);
      answer = { kind: "answered", httpStatus, body: "" };
      if (retryAfter !== undefined) answer.retryAfter = [retryAfter].flat();
      if (typeof location === "string") answer.location = hide(location);
      if (rateLimit !== undefined) answer.rateLimit = rateLimit;
      if (isSuccess(httpStatus)) return;
      bodyHeaders = {
        contentEncoding: headers["content-encoding"]?.toString(),
        contentType: headers["content-type"]?.toString(),
      };
    },
    onResponseData(control, chunk) {
      bytes += chunk.length;
      if (answer !== undefined && !isSuccess(answer.httpStatus)) chunks.push(chunk);
      if (bytes <= maxAnswerBytes) return;
      settleAnswered(true);
      control.abort(new Error("answer longer than 64 KiB"));
    },
    onResponseEnd() {
      settleAnswered(false);
    },
    onResponseError(_, error) {
      const blamed = controller === undefined ? connections.blame(error) : error;
      const code = (blamed as NodeJS.ErrnoException).code ?? blamed.name;
      settleWith(code, messageOf(blamed));
    },
  };

  return {
    handler,
    onSettled(run: () => void) {
      afterwards = run;
    },
    giveUp(code: string, message: string) {
      if (settled) return;
      settleWith(code, message);
      controller?.abort(new Error(message));
    },
  };
}

/** An answer while it is put together, member by member: every success comes this way. */
type Answered = Writable<Extract<Attempt, { kind: "answered" }>>;
type Writable<Type> = { -readonly [member in keyof Type]: Type[member] };

/** What all exchanges of a poster have in common. */
interface Reading {
  readonly isSuccess: (httpStatus: number) => boolean;
  /** Takes out what a proxy may repeat of its own user name and password. */
  readonly hide: Redact;
  readonly connections: Connections;
}

function hiding({ proxy }: Route): Redact {
  const hides = (proxy?.secrets ?? []).map((secret) => createRedact(secret, "********"));
  return (text, isCut) => hides.reduce((hidden, hide) => hide(hidden, isCut), text);
}

function is2xx(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}
