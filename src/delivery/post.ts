import { type Dispatcher, Pool } from "undici";
import type { Clock } from "./clock.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";

/** What came of one POST. */
export type Attempt =
  /** A status line came back, whatever happened to the body after it. */
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      /** `Retry-After`, as it was sent, each time that it was sent. */
      readonly retryAfter?: readonly string[];
      /** What it says of quotas: `RateLimit` and the like by name, in lower case. */
      readonly rateLimit?: Readonly<Record<string, string>>;
      /** `Location`, as it was sent. */
      readonly location?: string;
      /** The beginning of the body, 64 KiB at most; blank for a success. */
      readonly body: string;
      /** Whether the body goes on after that. */
      readonly isCut?: boolean;
    }
  /** The request may have left, and no status line came back. */
  | { readonly kind: "unanswered"; readonly code: string; readonly message: string }
  /** The request never left. */
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
}

const maxAnswerBytes = 64 * 1024;

/** POSTs over kept-alive HTTP/1.1 connections. Redirects are answers; they are never followed. */
export function createPoster(settings: PosterSettings): Poster {
  const { endpoint, connections, timeoutMs, clock } = settings;
  const pool = new Pool(endpoint.origin, {
    connections,
    pipelining: 1,
    // The deadline of the attempt covers all of these.
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const open = new Set<(code: string, message: string) => void>();

  return {
    post: ({ path, headers, body }) =>
      new Promise((resolve) => {
        const exchange = createExchange(resolve);
        const giveUp = (code: string, message: string) => exchange.giveUp(code, message);
        open.add(giveUp);
        const cancelDeadline = clock.schedule(timeoutMs, () =>
          giveUp("timeout", `no answer within ${timeoutMs / 1000} s`),
        );
        exchange.onSettled(() => {
          open.delete(giveUp);
          cancelDeadline();
        });
        pool.dispatch({ path, method: "POST", headers, body }, exchange.handler);
      }),
    cutOff() {
      for (const giveUp of [...open]) giveUp("interrupted", "the run was interrupted");
    },
    close: () => pool.destroy(),
  };
}

/**
 * Follows one request through undici. Its phase, and not the error, tells whether the service may
 * have seen it: undici calls `onRequestStart` right before it writes the first byte.
 */
function createExchange(resolve: (attempt: Attempt) => void) {
  let controller: Dispatcher.DispatchController | undefined;
  let answer: Omit<Extract<Attempt, { kind: "answered" }>, "body"> | undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let settled = false;
  let afterwards = () => {};

  const settle = (attempt: Attempt) => {
    if (settled) return;
    settled = true;
    afterwards();
    resolve(attempt);
  };
  const settleAnswered = (isCut: boolean) => {
    if (answer === undefined) return false;
    const body = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString("utf8");
    settle({ ...answer, body, ...(isCut && body !== "" ? { isCut } : {}) });
    return true;
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
      answer = {
        kind: "answered",
        httpStatus,
        ...(retryAfter === undefined ? {} : { retryAfter: [retryAfter].flat() }),
        ...(typeof location === "string" ? { location } : {}),
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
      const code = (error as NodeJS.ErrnoException).code ?? error.name;
      settleWith(code, messageOf(error));
    },
  };

  return {
    handler,
    onSettled(run: () => void) {
      afterwards = run;
    },
    giveUp(code: string, message: string) {
      settleWith(code, message);
      controller?.abort(new Error(message));
    },
  };
}

function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

/** Several addresses of one host that all fail come as one error without a message of its own. */
function messageOf(error: Error): string {
  if (error.message !== "") return error.message;
  const errors = error instanceof AggregateError ? error.errors : [];
  return errors.map(String).join("; ") || error.name;
}
