import pLimit from "p-limit";
import type { Outcome } from "../domain/outcome.ts";
import type { StopSwitch } from "../domain/stop.ts";
import type { Clock } from "./clock.ts";
import { createDelivery, type DeliveryFigures, type DeliverySettings } from "./deliver-event.ts";
import { createRowDelivery, type RowEvents } from "./deliver-row.ts";
import { createRequestBuilder } from "./endpoint.ts";
import type { DeliveryNotice } from "./notice.ts";
import { createPace } from "./pace.ts";
import type { Poster, PosterSettings } from "./post.ts";
import type { Recorder } from "./recorder.ts";
import type { Route } from "./route.ts";
import type { StatusRules } from "./status-rules.ts";
import type { Token } from "./token.ts";

export interface OpenDeliverySettings extends DeliverySettings {
  readonly token: Token;
  readonly concurrency: number;
  readonly ratePerSecond?: number | undefined;
  readonly timeoutMs: number;
  readonly idempotencyHeader?: string | undefined;
  /** Default: straight there, with the usual authorities. */
  readonly route?: Route;
  /** Default: the usual ones. */
  readonly statuses?: StatusRules;
}

/** The way to the service, with its connections open. */
export interface OpenDelivery {
  /** Sends the events of a row until each has an outcome, or the run stops. Never rejects. */
  deliverRow(row: RowEvents): Promise<Outcome[]>;
  /** Holds back what comes after a row of an interrupted run that did not succeed. */
  block(orderKey: string, row: number): void;
  /** Resolves when there is use for more rows. */
  room(): Promise<void>;
  readonly figures: Readonly<DeliveryFigures>;
  /** For how long the service wants to be left alone from now. */
  pausedForMs(): number;
  /** Cuts off what is on the wire; those attempts end as unanswered. */
  cutOff(): void;
  close(): Promise<void>;
}

export function openDelivery(
  settings: OpenDeliverySettings,
  createPoster: (settings: PosterSettings) => Poster,
  recorder: Recorder,
  clock: Clock,
  stop: StopSwitch,
  notify: (notice: DeliveryNotice) => void,
): OpenDelivery {
  const { endpoint, token, concurrency, ratePerSecond, timeoutMs, idempotencyHeader } = settings;
  const { route = {}, statuses } = settings;
  const pace = createPace(clock, ratePerSecond);
  const poster = createPoster({
    ...{ endpoint, connections: concurrency, timeoutMs, clock, route },
    ...(statuses === undefined ? {} : { isSuccess: statuses.isSuccess }),
  });
  const delivery = createDelivery(
    {
      post: poster.post,
      request: createRequestBuilder(endpoint, token, idempotencyHeader),
      redact: token.redact,
      limit: pLimit(concurrency),
      pace,
      clock,
      stop,
      notify,
      recorder,
    },
    settings,
  );
  const { deliverRow, block } = createRowDelivery(delivery, clock);
  return {
    deliverRow,
    block,
    room: delivery.room,
    figures: delivery.figures,
    pausedForMs: pace.pausedForMs,
    cutOff: poster.cutOff,
    close: poster.close,
  };
}
