import type { Dispatcher } from "undici";
import { type AnswerBody, type BodyHeaders, readAnswerBody } from "./answer-body.ts";
import type { Attempt } from "./attempt.ts";
import { messageOf } from "./message-of.ts";
import { rateLimitFields } from "./rate-limit-fields.ts";

/** What all exchanges of a poster have in common. */
export interface ExchangeRules {
  /** Whether the body of an answer says nothing that is wanted. */
  readonly isSuccess: (httpStatus: number) => boolean;
  /** What kept a request from leaving, told of the one whose doing it was. */
  readonly blame: (error: Error) => Error;
  /** Nothing more will come of it. */
  readonly onSettled: (exchange: Exchange) => void;
}

type Answered = Writable<Extract<Attempt, { kind: "answered" }>>;
type Writable<Type> = { -readonly [member in keyof Type]: Type[member] };

const maxAnswerBytes = 64 * 1024;

/**
 * Follows one request through undici. Its phase, and not the error, tells whether the service may
 * have seen it: undici calls `onRequestStart` right before it writes the first byte.
 *
 * A class, as each row makes one: closures would be a dozen objects.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #rules: ExchangeRules;
  readonly #resolve: (attempt: Attempt) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: Answered | undefined;
  #bodyHeaders: BodyHeaders | undefined;
  #chunks: Buffer[] | undefined;
  #bytes = 0;
  #isSettled = false;

  constructor(rules: ExchangeRules, resolve: (attempt: Attempt) => void) {
    this.#rules = rules;
    this.#resolve = resolve;
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection: it must not leave any more.
    if (this.#isSettled) started.abort(new Error("given up"));
    else this.#controller = started;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    httpStatus: number,
    headers: Parameters<typeof rateLimitFields>[0],
  ): void {
    if (httpStatus < 200) return; // an interim answer (RFC 9110, section 15.2) settles nothing
    const { isSuccess } = this.#rules;
    const retryAfter = headers["retry-after"];
    const { location } = headers;
    const rateLimit = rateLimitFields(headers);
    const answer: Answered = { kind: "answered", httpStatus, body: "" };
    if (retryAfter !== undefined) answer.retryAfter = [retryAfter].flat();
    if (typeof location === "string") answer.location = location;
    if (rateLimit !== undefined) answer.rateLimit = rateLimit;
    this.#answer = answer;
    if (isSuccess(httpStatus)) return;
    this.#bodyHeaders = {
      contentEncoding: headers["content-encoding"]?.toString(),
      contentType: headers["content-type"]?.toString(),
    };
  }

  onResponseData(control: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bodyHeaders !== undefined) {
      this.#chunks ??= [];
      this.#chunks.push(chunk);
    }
    if (this.#bytes <= maxAnswerBytes) return;
    this.#settleAnswered(true);
    control.abort(new Error("answer longer than 64 KiB"));
  }

  onResponseEnd(): void {
    this.#settleAnswered(false);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const blamed = this.#controller === undefined ? this.#rules.blame(error) : error;
    const code = (blamed as NodeJS.ErrnoException).code ?? blamed.name;
    this.#settleWith(code, messageOf(blamed));
  }

  /** Ends it as it stands; what may have left is cut off. */
  giveUp(code: string, message: string): void {
    if (this.#isSettled) return;
    this.#settleWith(code, message);
    this.#controller?.abort(new Error(message));
  }

  #settleWith(code: string, message: string): void {
    if (this.#settleAnswered(true)) return;
    const kind = this.#controller === undefined ? "not_sent" : "unanswered";
    this.#settle({ kind, code, message });
  }

  /** @returns whether there is an answer */
  #settleAnswered(isCut: boolean): boolean {
    if (this.#answer === undefined) return false;
    if (this.#isSettled) return true;
    const chunks = this.#chunks;
    this.#settle(chunks === undefined ? this.#answer : this.#withBody(this.#answer, chunks, isCut));
    return true;
  }

  #withBody(
    answered: Answered,
    chunks: readonly Buffer[],
    isCut: boolean,
  ): Attempt | Promise<Attempt> {
    const start = Buffer.concat(chunks).subarray(0, maxAnswerBytes);
    const body = readAnswerBody(start, isCut, this.#bodyHeaders ?? {}, maxAnswerBytes);
    const toAttempt = (read: AnswerBody): Attempt => ({
      ...answered,
      body: read.text,
      ...(read.isCut && read.text !== "" ? { isCut: true } : {}),
    });
    return body instanceof Promise ? body.then(toAttempt) : toAttempt(body);
  }

  #settle(attempt: Attempt | Promise<Attempt>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (attempt instanceof Promise) void attempt.then((read) => this.#end(read));
    else this.#end(attempt);
  }

  #end(attempt: Attempt): void {
    this.#rules.onSettled(this);
    this.#resolve(attempt);
  }
}
