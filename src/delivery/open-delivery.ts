import pLimit from "p-limit";
import type { OnKeyFailure } from "../domain/key-failure.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { StopSwitch } from "../domain/stop.ts";
import type { Clock } from "./clock.ts";
import { createDelivery, type DeliveryFigures, type DeliverySettings } from "./deliver-event.ts";
import { createRowDelivery, type RowDelivery, type RowEvents } from "./deliver-row.ts";
import { createRequestBuilder } from "./endpoint.ts";
import { keepToken } from "./keep-token.ts";
import { meterTraffic, type TrafficMeter } from "./metered-traffic.ts";
import type { DeliveryNotice, PauseReason } from "./notice.ts";
import { createPace } from "./pace.ts";
import type { Poster, PosterSettings } from "./post.ts";
import type { Recorder } from "./recorder.ts";
import { createRedact } from "./redact.ts";
import { createRetryBudget } from "./retry-budget.ts";
import type { Route } from "./route.ts";
import type { SendingState, SendingWait } from "./sending-state.ts";
import { createServiceGate } from "./service-gate.ts";
import { createSpentEvents } from "./spent-events.ts";
import type { StatusRules } from "./status-rules.ts";
import type { Token, TokenSource } from "./token.ts";
import { createTraffic } from "./traffic.ts";

export interface OpenDeliverySettings extends DeliverySettings {
  readonly token: Token;
  /** Where another token is to come from when the service takes this one no longer. */
  readonly tokenSource: TokenSource;
  readonly concurrency: number;
  /** Whether to find out what the service copes with. */
  readonly adaptive: boolean;
  /** How long the service may take nothing before the run stops; 0: spent events fail at once. */
  readonly maxOutageMs: number;
  readonly ratePerSecond?: number | undefined;
  readonly timeoutMs: number;
  readonly onKeyFailure?: OnKeyFailure;
  readonly idempotencyHeader?: string | undefined;
  /** Default: straight there, with the usual authorities. */
  readonly route?: Route;
  /** Default: the usual ones. */
  readonly statuses?: StatusRules;
  /** Default: nobody takes anything down. */
  readonly meter?: TrafficMeter;
}

/** The way to the service, with its connections open. */
export interface OpenDelivery {
  /** Sends the events of a row until each has an outcome, or the run stops. Never rejects. */
  deliverRow(row: RowEvents): Promise<Outcome[]>;
  /** A row whose outcome is known takes its place in the order of its key. */
  readonly pass: RowDelivery["pass"];
  /** Holds back what comes after a row of an interrupted run that did not succeed. */
  readonly block: RowDelivery["block"];
  /** Resolves when there is use for more rows. */
  room(): Promise<void> | undefined;
  readonly figures: Readonly<DeliveryFigures>;
  /** For how long nothing leaves from now. */
  pausedForMs(): number;
  /** Why nothing but a probe leaves at the moment. */
  pausedBecause(): PauseReason | undefined;
  /** How the sending is at the moment. */
  state(): SendingState;
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
  const { endpoint, concurrency, timeoutMs, idempotencyHeader, maxOutageMs } = settings;
  const { route = {}, statuses } = settings;
  const hideProxy = createRedact(...(route.proxy?.secrets ?? []));
  const first: Token = {
    ...settings.token,
    redact: (text, isCut) => hideProxy(settings.token.redact(text, isCut), isCut),
  };
  const token = keepToken(first, settings.tokenSource, stop, () =>
    notify({ kind: "token_renewed" }),
  );
  const limit = pLimit(concurrency);
  const bounds = createTraffic(settings, limit, clock);
  const { meter } = settings;
  const traffic = meter === undefined ? bounds : meterTraffic(bounds, meter, limit);
  const budget = createRetryBudget();
  const gate = createServiceGate({ clock, stop, budget, notify }, { maxOutageMs });
  const spent = createSpentEvents({ clock, stop, gate, onOutage: traffic.restart }, maxOutageMs);
  const poster = createPoster({
    ...{ endpoint, connections: concurrency, timeoutMs, clock, route },
    ...(statuses === undefined ? {} : { isSuccess: statuses.isSuccess }),
  });
  const pace = createPace(clock, traffic.perSecond);
  const delivery = createDelivery(
    {
      post: poster.post,
      request: createRequestBuilder(endpoint, token, idempotencyHeader),
      token,
      limit,
      pace,
      traffic,
      gate,
      budget,
      spent,
      clock,
      stop,
      notify,
      recorder,
    },
    settings,
  );
  const { deliverRow, pass, block } = createRowDelivery(
    delivery,
    clock,
    settings.onKeyFailure ?? "default",
  );
  const waitsFor = (): SendingWait | undefined => {
    const { pausedBecause: reason } = gate;
    if (stop.reason !== undefined) return { kind: "stop" };
    if (reason !== undefined) {
      return { kind: "pause", reason, forMs: gate.pausedForMs(), hasKnownEnd: gate.hasKnownEnd };
    }
    if (token.renewing !== undefined) return { kind: "token" };
    if (!delivery.isAnswered && delivery.figures.attempts > 0) return { kind: "first_answer" };
    const bound = pace.isHolding ? traffic.boundBy() : undefined;
    return bound === undefined ? undefined : { kind: "rate", bound };
  };
  return {
    deliverRow,
    pass,
    block,
    room: delivery.room,
    figures: delivery.figures,
    pausedForMs: gate.pausedForMs,
    pausedBecause: () => gate.pausedBecause,
    state() {
      const { inFlight, attempts, retries, backingOff } = delivery.figures;
      const perSecond = traffic.perSecond();
      return {
        ...{ inFlight, attempts, retries },
        allowed: limit.concurrency,
        toRepeat: backingOff + gate.retriesWaiting,
        retriesHeld: gate.retriesHeld,
        ...(perSecond === Number.POSITIVE_INFINITY ? {} : { perSecond }),
        ...(settings.ratePerSecond === undefined ? {} : { cap: settings.ratePerSecond }),
        waitsFor: waitsFor(),
      };
    },
    cutOff: poster.cutOff,
    close: poster.close,
  };
}
