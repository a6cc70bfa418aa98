import { onTestFinished } from "vitest";
import type { DeliveryMode } from "../../src/delivery/classify.ts";
import { parseBaseUrl } from "../../src/delivery/endpoint.ts";
import type { DeliveryNotice } from "../../src/delivery/notice.ts";
import { type OpenDelivery, openDelivery } from "../../src/delivery/open-delivery.ts";
import { readToken } from "../../src/delivery/token.ts";
import type { LoadEvent, Resource } from "../../src/domain/event.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
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
  /** Sends a row of one event. */
  send(row: number, orderKey?: string): Promise<Outcome>;
}

export async function deliveryTo(
  baseUrl: string,
  settings: {
    mode?: DeliveryMode;
    maxAttempts?: number;
    concurrency?: number;
    ratePerSecond?: number;
    idempotencyHeader?: string;
    random?: () => number;
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
  const delivery = openDelivery(
    {
      endpoint: parseBaseUrl(baseUrl, false),
      token: await readToken({ kind: "value", value: secret, from: "the test" }),
      concurrency: settings.concurrency ?? 8,
      ratePerSecond: settings.ratePerSecond,
      maxAttempts: settings.maxAttempts ?? 3,
      timeoutMs: deadlineMs,
      mode: settings.mode ?? "at-least-once",
      idempotencyHeader: settings.idempotencyHeader,
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
    async send(row, orderKey) {
      const events = [eventOf(row)];
      const [outcome] = await delivery.deliverRow(
        orderKey === undefined ? { row, events } : { row, events, orderKey },
      );
      if (outcome === undefined) throw new Error("a row of one event has one outcome");
      return outcome;
    },
  };
}

/** An event whose body tells which it is. */
export function eventOf(row: number, index = 1, resource: Resource = "users"): LoadEvent {
  return {
    id: `id-${row}-${index}`,
    index,
    name: "user.updated",
    resource,
    body: (importedAt) => JSON.stringify({ event: "user.updated", row, index, importedAt }),
  };
}

export function rowOf({ body }: { readonly body: string }): number {
  return (JSON.parse(body) as { row: number }).row;
}
