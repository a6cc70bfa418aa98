import fc from "fast-check";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { PendingRow } from "../../src/delivery/pending-event.ts";
import type { Clock } from "../../src/model/clock.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { keyFailureWords, type OnKeyFailure } from "../../src/model/outcome.ts";
import type { DeliveryMode } from "../../src/model/run-settings.ts";
import { deadlineMs } from "../fake-clock.ts";
import { eventOf, outcomesOf } from "./event-of.ts";
import { connectTo, openSimulated, type Post } from "./simulated-wire.ts";

/** What becomes of an attempt: a status, or none. */
export type Answer =
  | { readonly status: number; readonly retryAfter?: string }
  /** It is received, and then the connection breaks. */
  | "reset"
  /** It is on its way and never received. */
  | "lost"
  /** It never left. */
  | "refused";

export interface PlannedAttempt {
  readonly answer: Answer;
  readonly latencyMs: number;
}

/** A row, and how the service takes each attempt of each of its events. */
export interface ScheduledRow {
  readonly key: string | undefined;
  /** No events: the row is not sent, and has `passedAs`. */
  readonly events: readonly (readonly PlannedAttempt[])[];
  readonly passedAs?: "invalid" | "skipped" | "unknown";
  /** How long it takes to be read. */
  readonly gapMs: number;
}

export interface Schedule {
  readonly rows: readonly ScheduledRow[];
  readonly mode: DeliveryMode;
  readonly onKeyFailure: OnKeyFailure;
  readonly concurrency: number;
  readonly maxAttempts: number;
  /** The run is interrupted at this receipt. */
  readonly interruptAt: number | undefined;
  readonly chance: readonly number[];
}

/** In the order in which it happened. */
export interface Happening {
  /** An attempt leaves, the service receives it, or the event has its outcome. */
  readonly kind: "departure" | "receipt" | "outcome";
  readonly row: number;
  readonly event: number;
}

export interface Delivered {
  readonly happenings: readonly Happening[];
  /** Of each row, in the order of the file. */
  readonly outcomes: readonly (readonly Outcome[])[];
  /** What each event was answered: `row/event`. */
  readonly answers: ReadonlyMap<string, readonly Answer[]>;
  readonly isStopped: boolean;
}

const answer = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Answer>({ status: 202 }) },
  fc.constantFrom<Answer>(
    { status: 422 },
    { status: 400 },
    { status: 500 },
    { status: 503 },
    { status: 429 },
    { status: 429, retryAfter: "3" },
    "reset",
    "lost",
    "refused",
  ),
);
const attempt = fc.record<PlannedAttempt>({ answer, latencyMs: fc.nat(300) });
const row = fc.record<ScheduledRow>({
  key: fc.constantFrom("a", "a", "b", "c", undefined),
  events: fc.array(fc.array(attempt, { maxLength: 4 }), { maxLength: 4 }),
  passedAs: fc.constantFrom("invalid", "invalid", "skipped", "unknown"),
  gapMs: fc.constantFrom(0, 0, 0, 40),
});

export const schedules = fc.record<Schedule>({
  rows: fc.array(row, { minLength: 1, maxLength: 14 }),
  mode: fc.constantFrom("at-least-once", "at-most-once"),
  onKeyFailure: fc.constantFrom<OnKeyFailure>("default", ...keyFailureWords),
  concurrency: fc.integer({ min: 1, max: 6 }),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  interruptAt: fc.option(fc.nat(25), { nil: undefined, freq: 4 }),
  chance: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 5 }),
});

const accepted: PlannedAttempt = { answer: { status: 202 }, latencyMs: 5 };

/**
 * Delivers the rows of a schedule as a run does.
 *
 * @param virtual on which requests travel, and the answers
 */
export async function deliverSchedule(schedule: Schedule, virtual: Clock): Promise<Delivered> {
  const { rows, chance, interruptAt } = schedule;
  let drawn = 0;
  const clock = { ...virtual, random: () => chance[drawn++ % chance.length] ?? 0 };
  const stop = new AbortController();
  const happenings: Happening[] = [];
  const answers = new Map<string, Answer[]>();

  /** What becomes of the next attempt of an event. */
  const next = (row: number, event: number): PlannedAttempt => {
    const given = answers.get(`${row}/${event}`) ?? [];
    const planned = rows[row - 1]?.events[event - 1]?.[given.length] ?? accepted;
    // If the very first attempt is refused, the run stops, which is another matter.
    const { answer, latencyMs } = answers.size === 0 ? accepted : planned;
    answers.set(`${row}/${event}`, [...given, answer]);
    happenings.push({ kind: "departure", row, event });
    return { answer, latencyMs };
  };
  const receive = (row: number, event: number) => {
    const receipts = happenings.filter(({ kind }) => kind === "receipt");
    if (receipts.length === interruptAt) stop.abort({ code: "interrupted", message: "" });
    happenings.push({ kind: "receipt", row, event });
  };
  const travel = (durationMs: number) =>
    new Promise<void>((resolve) => clock.schedule(durationMs, resolve));
  const post: Post = async ({ body }) => {
    const { row, index } = JSON.parse(body) as { row: number; index: number };
    const { answer, latencyMs } = next(row, index);
    await travel(latencyMs / 2);
    if (answer !== "lost" && answer !== "refused") receive(row, index);
    await travel(latencyMs / 2);
    return attemptOf(answer);
  };
  const { delivery } = await openSimulated(
    clock,
    connectTo(post),
    {
      ...{ mode: schedule.mode, onKeyFailure: schedule.onKeyFailure },
      ...{ concurrency: schedule.concurrency, maxAttempts: schedule.maxAttempts },
      ...{ maxOutageMs: 0, timeoutMs: deadlineMs },
    },
    {
      stop,
      onOutcome: ({ row: { rowOfRun: row } }, { event = 0 }) =>
        happenings.push({ kind: "outcome", row, event }),
    },
  );

  const sent: PendingRow[] = [];
  for (const [at, { key, events, passedAs = "invalid", gapMs }] of rows.entries()) {
    if (gapMs > 0) await new Promise<void>((resolve) => clock.schedule(gapMs, resolve));
    await delivery.room();
    if (stop.signal.aborted) break;
    const row = at + 1;
    if (events.length === 0) {
      if (key !== undefined) delivery.pass(key, row, passedAs);
      continue;
    }
    const pending = new PendingRow({ row, line: row + 1, cells: [] }, row);
    pending.orderingKey = key;
    sent.push(pending);
    delivery.send(
      pending,
      events.map((_, index) => eventOf(row, index + 1)),
    );
  }
  await delivery.finish();
  await delivery.close();
  const outcomes: (readonly Outcome[])[] = rows.map(() => []);
  for (const row of sent) outcomes[row.rowOfRun - 1] = outcomesOf(row);
  return { happenings, outcomes, answers, isStopped: stop.signal.aborted };
}

function attemptOf(answer: Answer): Attempt {
  switch (answer) {
    case "reset":
    case "lost":
      return { kind: "unanswered", code: "ECONNRESET", message: "the connection was reset" };
    case "refused":
      return { kind: "not_sent", code: "ECONNREFUSED", message: "the connection was refused" };
    default: {
      const { status: httpStatus, retryAfter } = answer;
      return {
        ...{ kind: "answered", httpStatus, body: "" },
        ...(retryAfter === undefined ? {} : { retryAfter: [retryAfter] }),
      };
    }
  }
}
