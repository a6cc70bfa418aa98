import { onTestFinished } from "vitest";
import type { DeliveryMode } from "../../src/delivery/classify.ts";
import { parseBaseUrl } from "../../src/delivery/endpoint.ts";
import type { DeliveryNotice } from "../../src/delivery/notice.ts";
import { type OpenDelivery, openDelivery } from "../../src/delivery/open-delivery.ts";
import { createPoster, type PosterSettings } from "../../src/delivery/post.ts";
import {
  createStatusRules,
  parseStatusLists,
  type StatusLists,
  type StatusRules,
} from "../../src/delivery/status-rules.ts";
import { readToken, type TokenSource } from "../../src/delivery/token.ts";
import type { LoadEvent, Resource } from "../../src/domain/event.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { EventRecord, Intent } from "../../src/domain/run-record.ts";
import { createStopSwitch, type StopSwitch } from "../../src/domain/stop.ts";
import { createFakeClock, deadlineMs, type FakeClock } from "../fake-clock.ts";

export const secret = "s3cr3t/Token+of=length";

export interface DeliveryUnderTest {
  readonly delivery: OpenDelivery;
  readonly clock: FakeClock;
  readonly stop: StopSwitch;
  /** How many wait for the run to stop. */
  readonly listeners: () => number;
  readonly notices: readonly DeliveryNotice[];
  /** What was put on record, in that order. */
  readonly records: readonly EventRecord[];
  /** Records, and requests as they leave: `intent 1/1`, `request 1/1`, `outcome 1/1`. */
  readonly steps: readonly string[];
  /** Sends a row of one event. */
  send(row: number, orderKey?: string, before?: EventRecord): Promise<Outcome>;
}

export async function deliveryTo(
  baseUrl: string,
  settings: {
    mode?: DeliveryMode;
    maxAttempts?: number;
    concurrency?: number;
    ratePerSecond?: number;
    adaptive?: boolean;
    maxOutageMs?: number;
    tokenSource?: TokenSource;
    statuses?: StatusLists;
    idempotencyHeader?: string;
    random?: () => number;
    /** Whether an attempt may leave; it is on record when this has resolved. */
    intend?: (intent: Intent) => Promise<boolean>;
  } = {},
): Promise<DeliveryUnderTest> {
  const clock = createFakeClock(settings.random === undefined ? {} : { random: settings.random });
  const inner = createStopSwitch();
  let listeners = 0;
  const stop: StopSwitch = {
    get reason() {
      return inner.reason;
    },
    request: inner.request,
    onStop(listener) {
      const forget = inner.onStop(listener);
      listeners++;
      return () => {
        listeners--;
        forget();
      };
    },
  };
  const notices: DeliveryNotice[] = [];
  const records: EventRecord[] = [];
  const steps: string[] = [];
  const put = (record: EventRecord) => {
    records.push(record);
    steps.push(`${record.kind} ${placeOf(record)}`);
  };
  const createWatchedPoster = (posterSettings: PosterSettings) => {
    const poster = createPoster(posterSettings);
    return {
      ...poster,
      post(request: Parameters<typeof poster.post>[0]) {
        const { row, index } = JSON.parse(request.body) as { row: number; index: number };
        steps.push(`request ${row}/${index}`);
        return poster.post(request);
      },
    };
  };
  const delivery = openDelivery(
    {
      endpoint: parseBaseUrl(baseUrl, false),
      token: await readToken({ kind: "value", value: secret, from: "the test" }),
      tokenSource: settings.tokenSource ?? { kind: "value", value: secret, from: "the test" },
      concurrency: settings.concurrency ?? 8,
      adaptive: settings.adaptive ?? false,
      maxOutageMs: settings.maxOutageMs ?? 15 * 60_000,
      ratePerSecond: settings.ratePerSecond,
      maxAttempts: settings.maxAttempts ?? 3,
      timeoutMs: deadlineMs,
      mode: settings.mode ?? "at-least-once",
      idempotencyHeader: settings.idempotencyHeader,
      ...(settings.statuses === undefined ? {} : { statuses: statusRulesOf(settings.statuses) }),
    },
    createWatchedPoster,
    {
      async intend(intent) {
        const mayLeave = (await settings.intend?.(intent)) ?? true;
        if (mayLeave) put({ kind: "intent", ...intent });
        return mayLeave;
      },
      attempted: (soFar) => put({ kind: "attempted", ...soFar }),
      settle: (rowOfRun, outcome) => put({ kind: "outcome", rowOfRun, outcome }),
    },
    clock,
    stop,
    (notice) => notices.push(notice),
  );
  onTestFinished(() => delivery.close());
  return {
    delivery,
    clock,
    stop,
    listeners: () => listeners,
    notices,
    records,
    steps,
    async send(row, orderKey, before) {
      const [outcome] = await delivery.deliverRow({
        row,
        rowOfRun: row,
        events: [eventOf(row)],
        ...(orderKey === undefined ? {} : { orderKey }),
        ...(before === undefined ? {} : { before: [before] }),
      });
      if (outcome === undefined) throw new Error("a row of one event has one outcome");
      return outcome;
    },
  };
}

/** What is said of statuses, as the configuration says it. */
export function statusRulesOf(lists: StatusLists): StatusRules {
  const read = parseStatusLists(lists);
  if (read.kind === "wrong") throw new Error(read.why);
  return createStatusRules(read.statuses);
}

/** Which event a record is about: `row/event`. */
function placeOf(record: EventRecord): string {
  const event = record.kind === "outcome" ? record.outcome.event : record.event;
  return `${record.rowOfRun}/${event}`;
}

/**
 * Where intents and ends do not take turns, event by event: each intent has one end, and each end
 * its intent, but for an outcome that is known without an attempt, or only a while after the last one.
 */
export function offBeat(records: readonly EventRecord[]): string[] {
  const open = new Set<string>();
  const attempted = new Set<string>();
  const found: string[] = [];
  for (const record of records) {
    const place = placeOf(record);
    if (record.kind === "intent") {
      if (open.has(place)) found.push(`${place}: an intent without an end`);
      open.add(place);
    } else if (!open.delete(place)) {
      const isLate = record.kind === "outcome" && attempted.has(place);
      if (!isLate) found.push(`${place}: an end without an intent`);
    }
    if (record.kind === "attempted") attempted.add(place);
    else attempted.delete(place);
  }
  return [...found, ...[...open].map((place) => `${place}: an intent without an end`)];
}

/** An event whose body tells which it is. */
export function eventOf(row: number, index = 1, resource: Resource = "users"): LoadEvent {
  return {
    id: `id-${row}-${index}`,
    index,
    name: "user.updated",
    resource,
    data: () => JSON.stringify({ event: "user.updated", row, index }),
    body: (importedAt) => JSON.stringify({ event: "user.updated", row, index, importedAt }),
  };
}

export function rowOf({ body }: { readonly body: string }): number {
  return (JSON.parse(body) as { row: number }).row;
}
