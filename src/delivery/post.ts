import type { Attempt } from "./attempt.ts";
import type { Clock } from "./clock.ts";
import { openConnections } from "./connections.ts";
import { createDeadlines } from "./deadlines.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";
import { Exchange, type ExchangeRules } from "./exchange.ts";
import type { Route } from "./route.ts";

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
  /** Default: straight there, with the usual authorities. */
  readonly route?: Route;
  /** Whether the body of an answer says nothing that is wanted; default: of every 2xx. */
  readonly isSuccess?: (httpStatus: number) => boolean;
}

/** POSTs over kept-alive HTTP/1.1 connections. Redirects are answers; they are never followed. */
export function createPoster(settings: PosterSettings): Poster {
  const { timeoutMs, clock, route = {}, isSuccess = is2xx } = settings;
  const connections = openConnections({ ...settings, route });
  const deadlines = createDeadlines<Exchange>(clock, timeoutMs, (exchange) =>
    exchange.giveUp("timeout", `no answer within ${timeoutMs / 1000} s`),
  );
  const rules: ExchangeRules = {
    isSuccess,
    blame: connections.blame,
    onSettled: deadlines.end,
  };

  return {
    post: (request) =>
      new Promise((resolve) => {
        const exchange = new Exchange(rules, resolve);
        deadlines.begin(exchange);
        connections.dispatch(request, exchange);
      }),
    cutOff() {
      for (const exchange of [...deadlines.open]) {
        exchange.giveUp("interrupted", "the run was interrupted");
      }
    },
    close: connections.close,
  };
}

function is2xx(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}
