import type { Dispatcher } from "undici";
import type { LoadEvent } from "../model/event.ts";
import type { EventStatus, Outcome } from "../model/outcome.ts";
import type { Row, RowLine } from "../model/row.ts";
import type { AttemptRecord, EventBefore, Intent, Tried, Writable } from "../model/run-record.ts";
import type { StatusRules } from "../model/status-rules.ts";
import type { StopReason } from "../model/stop.ts";
import type { Attempt } from "./classify-attempt.ts";
import { type BodyHeaders, readAnswerBody } from "./http/answer-body.ts";
import { messageOf } from "./http/connection-errors.ts";
import { rateLimitFields } from "./rate-limit-fields.ts";

/** What the attempts of all events have in common. */
export interface AttemptRules {
  readonly statuses: StatusRules;
  readonly onEnd: (event: PendingEvent, attempt: Attempt) => void;
}

type Answered = Writable<Extract<Attempt, { kind: "answered" }>>;

const maxAnswerBytes = 64 * 1024;

/** A row that was read and is not in the results yet. */
export class PendingRow {
  readonly row: Row;
  readonly rowOfRun: number;
  /** Rows with the same key are sent one after another; a row without one waits for no other row. */
  orderingKey: string | undefined = undefined;
  /** The row's lines; none where each of its events has one, with the cells of the row. */
  lines: readonly RowLine[] = [];
  /** The row's events, once delivery has them. */
  events: readonly PendingEvent[] = [];
  /** In the order of the events; filled as they settle. */
  outcomes: Outcome[] = [];
  unsettled = 0;

  constructor(row: Row, rowOfRun: number) {
    this.row = row;
    this.rowOfRun = rowOfRun;
  }
}

/**
 * An event from the moment it is mapped until it has its outcome, with the attempt that is in flight.
 * undici calls `onRequestStart` right before it writes the first byte: so the phase, and not the error, says whether
 * the service may have seen the request.
 *
 * A class, because a run makes one for every event, and little else.
 */
export class PendingEvent implements Dispatcher.DispatchHandler {
  readonly event: LoadEvent;
  readonly row: PendingRow;
  /** The event's index among those of its row, from 0. */
  readonly place: number;

  /** Attempts so far, with those of an interrupted part of the run. */
  attempts = 0;
  /** Attempts that may have reached the service and were never answered. */
  unanswered = 0;
  /** The time of the first attempt, which all attempts carry; blank before it. */
  importedAt = "";
  httpStatus: number | undefined = undefined;
  /** The error of the last attempt that did not succeed. */
  errorCode = "";
  error = "";
  /** The last attempt, until a record has it. */
  tried: Tried | undefined = undefined;

  /** Attempts that count towards the maximum. */
  tries = 0;
  /** Attempts that were refused because of the load. */
  refusals = 0;
  /** Which attempt of the run its first attempt that failed was; 0 if none has. */
  firstFailed = 0;
  /** How many attempts of the run had succeeded at its last failure, and its tries before the first with so many. */
  successesAtFailure = -1;
  triesBefore = 0;
  /** How many pauses the run had made at its last failure. */
  pauses = 0;
  /** Whether the event was answered with 500 in an earlier part. */
  failedEarlier = false;
  /** Whether the event's last failure was a 500, which may be the event's own fault. */
  isSuspect = false;
  /** Why the run stops if its last answer, which refused it, is meant for all events. */
  refusal: StopReason | undefined;
  /** Whether the event's next attempt is a retry, which needs the retry budget. */
  isRetry = false;
  /** When the event's backoff is over. */
  dueMs = 0;

  /** Of the attempt in flight: when it was sent, which of the run it is, and how many were in flight then. */
  sentMs = 0;
  number = 0;
  inFlight = 0;
  hasWaited = false;
  /** The number of the attempt's connection: no other attempt in flight has the same. */
  connection = 0;
  /** Whether the connection was made for this attempt. */
  isNewConnection = false;
  isProbe = false;
  tokenGeneration = 0;
  hasNewToken = false;

  #rules: AttemptRules | undefined = undefined;
  #resolve = () => {};
  #controller: Dispatcher.DispatchController | undefined = undefined;
  #answer: Answered | undefined = undefined;
  #bodyHeaders: BodyHeaders | undefined = undefined;
  #chunks: Buffer[] | undefined = undefined;
  #bytes = 0;
  #isOver = true;
  /** Whether undici will not call back about the last attempt any more. */
  #isReleased = true;

  constructor(event: LoadEvent, row: PendingRow, place: number) {
    this.event = event;
    this.row = row;
    this.place = place;
  }

  /**
   * The object for the next attempt: this one, unless undici may still call back about the last attempt.
   * Its late callbacks must not be taken for callbacks about the next attempt.
   */
  forNextAttempt(): PendingEvent {
    if (this.#isReleased) return this;
    return Object.assign(new PendingEvent(this.event, this.row, this.place), this);
  }

  /** Takes over what an interrupted part of the run recorded. */
  resume({ attempts, unanswered, importedAt, httpStatus }: EventBefore): void {
    this.attempts = attempts;
    this.unanswered = unanswered;
    this.importedAt = attempts === 0 ? "" : importedAt; // it was never sent
    this.httpStatus = httpStatus;
    this.failedEarlier = httpStatus === 500;
    if (unanswered === 0) return;
    this.errorCode = "perhaps_sent";
    this.error = "perhaps sent when the run was interrupted";
  }

  /** After an outage, the event gets new attempts. */
  resetAttempts(): void {
    this.tries = 0;
    this.refusals = 0;
    this.firstFailed = 0;
    this.successesAtFailure = -1;
  }

  intent(): Intent {
    const { rowOfRun, row, events } = this.row;
    const intent: Writable<Intent> = {
      kind: "intent",
      rowOfRun,
      row: row.row,
      event: this.event.index,
      attempt: this.attempts + 1,
      unanswered: this.unanswered,
      importedAt: this.importedAt,
    };
    if (events.length > 1) intent.events = events.map(({ event }) => event.index);
    return intent;
  }

  /** No attempt is in flight, and the event has no outcome yet. */
  attempted(): AttemptRecord {
    const { row, event, attempts, unanswered, importedAt, httpStatus } = this;
    const answered = httpStatus === undefined ? {} : { httpStatus };
    const tried = this.takeTried();
    return {
      kind: "attempt",
      ...{ rowOfRun: row.rowOfRun, row: row.row.row, event: event.index },
      ...{ attempts, unanswered, importedAt, ...answered },
      ...(tried === undefined ? {} : { tried }),
    };
  }

  takeTried(): Tried | undefined {
    const { tried } = this;
    this.tried = undefined;
    return tried;
  }

  /** @param finishedAt undefined if the run stopped before the event had its outcome */
  outcome(status: EventStatus | "not_sent", finishedAt?: string): Outcome {
    const { event, attempts, unanswered, httpStatus, errorCode, error } = this;
    const outcome: Writable<Outcome> = {
      status,
      event: event.index,
      eventId: event.id,
      attempts,
      unanswered,
    };
    if (httpStatus !== undefined) outcome.httpStatus = httpStatus;
    if (status !== "succeeded" && errorCode !== "") {
      outcome.errorCode = errorCode;
      outcome.error = error;
    }
    if (finishedAt !== undefined) outcome.finishedAt = finishedAt;
    return outcome;
  }

  /** An attempt begins. @param resolve is called after its end */
  begin(rules: AttemptRules, resolve: () => void = () => {}): void {
    this.#rules = rules;
    this.#resolve = resolve;
    this.#controller = undefined;
    this.#answer = undefined;
    this.#bodyHeaders = undefined;
    this.#chunks = undefined;
    this.#bytes = 0;
    this.#isOver = false;
    this.#isReleased = false;
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection: it must not be sent any more.
    if (this.#isOver) started.abort(new Error("given up"));
    else this.#controller = started;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: Parameters<typeof rateLimitFields>[0],
  ): void {
    if (httpStatus < 200) return; // an interim answer, not the final one (RFC 9110, section 15.2)
    const rules = this.#rules as AttemptRules;
    const retryAfter = headers["retry-after"];
    const { location } = headers;
    const rateLimit = rateLimitFields(headers);
    const answer: Answered = { kind: "answered", httpStatus, body: "" };
    if (retryAfter !== undefined) {
      answer.retryAfter = [retryAfter].flat();
      if (typeof headers.date === "string") answer.date = headers.date;
    }
    if (typeof location === "string") answer.location = location;
    if (headers["content-type"]?.toString().startsWith("text/html")) answer.isHtml = true;
    if (rateLimit !== undefined) answer.rateLimit = rateLimit;
    this.#answer = answer;
    if (rules.statuses(httpStatus) === "success") return; // its body is of no interest
    this.#bodyHeaders = {
      contentEncoding: headers["content-encoding"]?.toString(),
      contentType: headers["content-type"]?.toString(),
    };
    // This connection leads to a server that is not responsible for the address (RFC 9110, section 15.5.20).
    if (httpStatus === 421) {
      this.#settleAnswered(true);
      controller.abort(new Error("misdirected request"));
    }
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
    this.#isReleased = true;
    this.#settleAnswered(false);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#isReleased = true;
    this.#settleWith((error as NodeJS.ErrnoException).code ?? error.name, messageOf(error));
  }

  /** Ends the attempt, and aborts its request if it has been sent. */
  giveUp(code: string, message: string): void {
    if (this.#isOver) return;
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
    if (this.#isOver) return true;
    const chunks = this.#chunks;
    if (chunks !== undefined) {
      const start = Buffer.concat(chunks).subarray(0, maxAnswerBytes);
      const body = readAnswerBody(start, isCut, this.#bodyHeaders ?? {}, maxAnswerBytes);
      this.#answer.body = body;
      if (isCut && body !== "") this.#answer.isCut = true;
    }
    this.#settle(this.#answer);
    return true;
  }

  #settle(attempt: Attempt): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rules?.onEnd(this, attempt);
    this.#resolve();
  }
}
