import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { PendingRow } from "../../src/delivery/pending-event.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { Intent } from "../../src/model/run-record.ts";
import type { DeliveryMode } from "../../src/model/run-settings.ts";
import { createVirtualClock } from "../fake-clock.ts";
import { offBeat } from "./delivery-under-test.ts";
import { type EventRecord, eventOf, openIntents, outcomesOf, placeOf } from "./event-of.ts";
import { connectTo, openSimulated, type Post } from "./simulated-wire.ts";

/** What delivery holds to, whatever the service answers, however slow the disk is, and whenever it stops. */

const accepted: Attempt = { kind: "answered", httpStatus: 202, body: "" };
const status = (httpStatus: number, ...retryAfter: string[]): Attempt => ({
  ...{ kind: "answered", httpStatus, body: "" },
  ...(retryAfter.length === 0 ? {} : { retryAfter }),
});

const answers = fc.oneof(
  { weight: 6, arbitrary: fc.constant(accepted) },
  fc.constantFrom<Attempt>(
    ...[status(422), status(500), status(502), status(503), status(429), status(421)],
    ...[status(429, "1"), status(429, "2"), status(503, "3"), status(202, "1")],
    { kind: "unanswered", code: "ECONNRESET", message: "reset" },
    { kind: "not_sent", code: "ECONNREFUSED", message: "refused" },
  ),
);

interface Situation {
  readonly rows: readonly { readonly key: string | undefined; readonly events: number }[];
  /** The service answers like this over and over. */
  readonly answers: readonly Attempt[];
  readonly latenciesMs: readonly number[];
  readonly writesMs: readonly number[];
  readonly concurrency: number;
  readonly adaptive: boolean;
  readonly ratePerSecond: number | undefined;
  readonly maxAttempts: number;
  readonly maxOutageMs: number;
  readonly mode: DeliveryMode;
  readonly stopAtMs: number | undefined;
  /** From which batch on the disk takes no more. */
  readonly fullAt: number | undefined;
  readonly seed: number;
}

const situations = fc.record<Situation>({
  rows: fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", undefined, undefined, undefined),
      events: fc.integer({ min: 1, max: 2 }),
    }),
    { minLength: 5, maxLength: 40 },
  ),
  answers: fc.array(answers, { minLength: 3, maxLength: 30 }),
  latenciesMs: fc.array(fc.nat(200), { minLength: 1, maxLength: 5 }),
  writesMs: fc.array(fc.constantFrom(0, 0, 1, 5, 300), { minLength: 1, maxLength: 5 }),
  concurrency: fc.integer({ min: 1, max: 12 }),
  adaptive: fc.boolean(),
  ratePerSecond: fc.constantFrom(undefined, undefined, 5, 200),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  maxOutageMs: fc.constantFrom(0, 60_000, 900_000),
  mode: fc.constantFrom("at-least-once", "at-most-once"),
  stopAtMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.integer({ min: 50, max: 20_000 }),
  ),
  fullAt: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.nat(20)),
  seed: fc.nat(),
});

function mayHaveTaken(answer: Attempt): boolean {
  if (answer.kind !== "answered") return answer.kind === "unanswered";
  return answer.httpStatus === 500 || answer.httpStatus === 502;
}

async function deliver(situation: Situation) {
  const { rows, seed, latenciesMs, writesMs, concurrency, stopAtMs, fullAt } = situation;
  const clock = createVirtualClock({ seed });
  const stop = new AbortController();
  const faults: string[] = [];
  const records: EventRecord[] = [];
  /** Events whose intents are on record, each with the time that it carries. */
  const onRecord = new Map<string, string>();
  const bodies = new Map<string, string>();
  /** Events that the service may have taken, though it did not say so. */
  const perhapsTaken = new Set<string>();
  let batch: Intent[] = [];
  let [attempts, batches, inFlight, tried] = [0, 0, 0, 0];
  let [isPaused, isAnswered] = [false, false];
  /** Those that left while nothing but a probe may. */
  let probes = 0;

  /** Answers that are due at the same time come in one piece, as from sockets that are read together. */
  const due = new Map<number, (() => void)[]>();
  const answerLater = (latencyMs: number, answer: () => void) => {
    const atMs = Math.ceil((clock.now() + latencyMs) / 10) * 10;
    const together = due.get(atMs);
    if (together !== undefined) {
      together.push(answer);
      return;
    }
    due.set(atMs, [answer]);
    clock.schedule(atMs - clock.now(), () => {
      for (const one of due.get(atMs) ?? []) one();
      due.delete(atMs);
    });
  };

  const post: Post = ({ body }) => {
    const { row, index, importedAt } = JSON.parse(body);
    const place = `${row}/${index}`;
    const at = attempts++;
    inFlight++;
    if (inFlight > concurrency) faults.push(`${inFlight} in flight`);
    if (onRecord.get(place) !== importedAt) faults.push(`${place} left without an intent`);
    onRecord.delete(place);
    if (at > 0 && !isAnswered) faults.push("the first event does not go alone");
    const { waitsFor: wait } = delivery.state();
    if (wait?.kind === "pause" && wait.forMs > 0) faults.push(`${place} left while it was to wait`);
    if (situation.mode === "at-most-once" && perhapsTaken.has(place)) faults.push(`${place} twice`);
    if (stop.signal.aborted) faults.push(`${place} left after the stop`);
    if ((bodies.get(place) ?? body) !== body) faults.push(`${place} has other bytes`);
    bodies.set(place, body);
    const isProbe = isPaused;
    if (isProbe && ++probes > 1) faults.push("two probes");
    return new Promise((resolve) => {
      answerLater(latenciesMs[at % latenciesMs.length] ?? 0, () => {
        // The first one shows that there is a service.
        const answer = at === 0 ? accepted : situation.answers[at % situation.answers.length];
        isAnswered = true;
        if (isProbe) probes--;
        inFlight--;
        if (mayHaveTaken(answer ?? accepted)) perhapsTaken.add(place);
        resolve(answer ?? accepted);
      });
    });
  };
  const settled: PendingRow[] = [];
  const sent: PendingRow[] = [];
  const { delivery } = await openSimulated(
    clock,
    connectTo(post),
    { ...situation, onKeyFailure: "block" },
    {
      journal: {
        add(record) {
          if (record.kind === "intent") batch.push(record);
          else if (record.kind === "attempt") records.push(record);
        },
        async write() {
          const intents = batch;
          batch = [];
          // What a kill leaves in doubt.
          if (openIntents(records).size + intents.length > 2 * concurrency)
            faults.push("too many in doubt");
          const isFull = batches >= (fullAt ?? Number.POSITIVE_INFINITY);
          const durationMs = writesMs[batches++ % writesMs.length] ?? 0;
          if (durationMs > 0) await new Promise<void>((go) => clock.schedule(durationMs, go));
          for (const intent of intents) {
            records.push(intent);
            onRecord.set(`${intent.rowOfRun}/${intent.event}`, intent.importedAt);
          }
          if (isFull) stop.abort({ code: "disk", message: "" });
          return !isFull;
        },
      },
      tap: {
        limited(allowed) {
          if (allowed > concurrency) faults.push(`${allowed} are told to be allowed`);
        },
        notice({ kind }) {
          if (kind === "pause") isPaused = true;
          if (kind === "pause_over") isPaused = false;
        },
      },
      stop,
      onTried() {
        tried++;
      },
      onOutcome: ({ row: { rowOfRun } }, outcome) =>
        records.push({ kind: "outcome", rowOfRun, outcome }),
      onSettled(row) {
        if (settled.includes(row)) faults.push(`row ${row.rowOfRun} settled twice`);
        settled.push(row);
      },
    },
  );
  if (stopAtMs !== undefined) {
    clock.schedule(stopAtMs, () => stop.abort({ code: "interrupted", message: "" }));
  }
  for (const [at, { key, events }] of rows.entries()) {
    await delivery.room();
    if (stop.signal.aborted) break;
    const row = new PendingRow({ row: at + 1, line: at + 2, cells: [] }, at + 1);
    row.orderingKey = key;
    sent.push(row);
    delivery.send(
      row,
      Array.from({ length: events }, (_, index) => eventOf(at + 1, index + 1)),
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const isOver = await Promise.race([
    delivery.finish().then(() => true),
    new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), 20_000);
    }),
  ]);
  clearTimeout(timer);
  if (!isOver) faults.push("it is never over");
  await delivery.close();
  clock.end();
  if (tried !== attempts) faults.push("an attempt is on record not once");
  if (inFlight > 0) faults.push(`it is over with ${inFlight} in flight`);
  const outcomes: readonly Outcome[] = sent.flatMap(outcomesOf);
  return {
    faults,
    records,
    outcomes,
    settled,
    sent,
    stopped: stop.signal.reason?.code,
    delivery,
    attempts,
  };
}

/** Events of which the caller is told something else than the records say. */
function toldOtherwise(records: readonly EventRecord[], rows: readonly PendingRow[]): string[] {
  const last = new Map(records.map((record) => [placeOf(record), record]));
  return rows.flatMap((row) =>
    outcomesOf(row).flatMap((outcome) => {
      const place = `${row.rowOfRun}/${outcome.event}`;
      const record = last.get(place);
      const isSame =
        record?.kind === "outcome"
          ? record.outcome === outcome
          : outcome.status === "not_sent" &&
            (record?.kind !== "attempt" || record.attempts === outcome.attempts);
      return isSame ? [] : [`${place} is told as ${outcome.status}`];
    }),
  );
}

test("whatever happens: all is accounted for, and nothing leaves that must not", async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(situations, async (situation) => {
      const ended = await deliver(situation);
      const { faults, records, outcomes, settled, sent, stopped, delivery } = ended;
      expect(faults).toEqual([]);
      expect(offBeat(records)).toEqual([]);
      expect(toldOtherwise(records, sent)).toEqual([]);
      const left = outcomes.filter(({ status }) => status === "not_sent");
      if (stopped === undefined) expect(left).toEqual([]);
      expect(settled.length === sent.length).toBe(left.length === 0);
      expect(outcomes.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(ended.attempts);
      expect(delivery.state().inFlight).toBe(0);
      expect(delivery.figures.attempts).toBe(ended.attempts);
      for (const { status } of outcomes) seen[status] = (seen[status] ?? 0) + 1;
      const end = stopped ?? "complete";
      seen[end] = (seen[end] ?? 0) + 1;
    }),
    { numRuns: 1000 },
  );
  for (const word of ["succeeded", "rejected", "failed", "unknown", "blocked", "not_sent"]) {
    expect([word, seen[word] ?? 0]).toEqual([word, expect.any(Number)]);
    expect(seen[word]).toBeGreaterThan(20);
  }
});
