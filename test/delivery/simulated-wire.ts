import type { Dispatcher } from "undici";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { openDelivery } from "../../src/delivery/delivery.ts";
import type {
  DeliveryJournal,
  DeliveryPorts,
  DeliverySettings,
  DeliveryTap,
} from "../../src/delivery/delivery-contract.ts";
import type { Connections } from "../../src/delivery/http/connections.ts";
import { readToken } from "../../src/delivery/http/token.ts";
import { PendingRow } from "../../src/delivery/pending-event.ts";
import { createBlockedKeys } from "../../src/model/blocked-keys.ts";
import type { Clock } from "../../src/model/clock.ts";
import { type EventRequest, parseBaseUrl } from "../../src/model/endpoint.ts";
import type { Tried } from "../../src/model/run-record.ts";
import { createStatusRules } from "../../src/model/status-rules.ts";
import type { StopController } from "../../src/model/stop.ts";
import { eventOf } from "./event-of.ts";

/** What comes of a request, without sockets. */
export type Post = (request: EventRequest) => Promise<Attempt>;

/**
 * Connections that undici has no part in: what `post` comes to is called back as undici does.
 *
 * @param leavesAtOnce whether each request leaves before anything comes of it, so that one can be given up
 */
export function connectTo(post: Post, leavesAtOnce = false): () => Connections {
  /** The connection whose error is being told: undici fails an assertion if it gets a request meanwhile. */
  let breaking: number | undefined;
  return () => ({
    isOpen: () => true,
    dispatch(request, handler, number) {
      if (number === breaking) throw new Error(`connection ${number} gets a request as it breaks`);
      const controller = {
        abort() {
          // It was taken for one that never left, and `post` may have counted it.
          if (!hasStarted) throw new Error("the time limit passed before the request had started");
        },
      } as unknown as Dispatcher.DispatchController;
      const posted = post(request);
      let hasStarted = false;
      const start = () => {
        if (!hasStarted) handler.onRequestStart?.(controller, undefined);
        hasStarted = true;
      };
      if (leavesAtOnce) queueMicrotask(start);
      // Whoever never leaves has never started; it is known only now.
      void posted.then((attempt) => {
        if (attempt.kind !== "not_sent") start();
        if (attempt.kind !== "answered") {
          const error = Object.assign(new Error(attempt.message), { code: attempt.code });
          breaking = number;
          handler.onResponseError?.(controller, error);
          breaking = undefined;
          return;
        }
        const { httpStatus, retryAfter, date, location, rateLimit, body } = attempt;
        const headers: Record<string, string | string[]> = { ...rateLimit };
        if (retryAfter !== undefined) headers["retry-after"] = [...retryAfter];
        if (date !== undefined) headers.date = date;
        if (location !== undefined) headers.location = location;
        handler.onResponseStart?.(controller, httpStatus, headers, "");
        if (body !== "") handler.onResponseData?.(controller, Buffer.from(body));
        handler.onResponseEnd?.(controller, {});
      });
      return hasStarted;
    },
    close: async () => {},
  });
}

/** A journal that keeps nothing. */
export const noJournal: DeliveryJournal = {
  add() {},
  write: async () => true,
};

export const noTap: DeliveryTap = { limited() {}, notice() {} };

export interface SimulatedDelivery {
  readonly delivery: ReturnType<typeof openDelivery>;
  readonly stop: StopController;
  /** Sends so many rows of one event, one each `everyMs` or as fast as they are taken, to the end of the run. */
  sendRows(count: number, everyMs?: number): Promise<void>;
}

/** Delivery as a run has it, but for what a test says. `onTried` sees each attempt when it is on record. */
export async function openSimulated(
  clock: Clock,
  connect: DeliveryPorts["connect"],
  settings: Partial<DeliverySettings> = {},
  ports: Partial<DeliveryPorts> & { readonly onTried?: (tried: Tried) => void } = {},
): Promise<SimulatedDelivery> {
  const stop: StopController = ports.stop ?? new AbortController();
  const { journal = noJournal, onOutcome, onTried } = ports;
  const tokenSource = { kind: "value", value: "simulated", from: "the test" } as const;
  const delivery = openDelivery(
    {
      ...{ concurrency: 8, adaptive: false, maxAttempts: 10, maxOutageMs: 15 * 60_000 },
      ...{ mode: "at-least-once", timeoutMs: 30_000, tokenSource },
      endpoint: parseBaseUrl("https://example.com", false),
      token: await readToken(tokenSource),
      ...{ statuses: createStatusRules({}), startedMs: 0 },
      ...settings,
    },
    {
      ...{ connect, clock, stop, tap: noTap, blockedKeys: createBlockedKeys(), onSettled() {} },
      ...ports,
      journal: {
        add(record) {
          if (record.kind === "attempt" && record.tried !== undefined) onTried?.(record.tried);
          journal.add(record);
        },
        write: journal.write,
      },
      onOutcome(event, outcome, tried) {
        if (tried !== undefined) onTried?.(tried);
        onOutcome?.(event, outcome, tried);
      },
    },
  );
  return {
    delivery,
    stop,
    async sendRows(count, everyMs = 0) {
      for (let row = 1; row <= count && !stop.signal.aborted; row++) {
        await delivery.room();
        if (everyMs > 0) await new Promise<void>((resolve) => clock.schedule(everyMs, resolve));
        delivery.send(new PendingRow({ row, line: row + 1, cells: [] }, row), [eventOf(row)]);
      }
      await delivery.finish();
      await delivery.close();
    },
  };
}
