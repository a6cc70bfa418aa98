import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { createDeadlines } from "../../src/delivery/deadlines.ts";
import { openConnections } from "../../src/delivery/http/connections.ts";
import type { Route } from "../../src/delivery/http/route.ts";
import { type AttemptRules, PendingEvent } from "../../src/delivery/pending-event.ts";
import type { Endpoint, EventRequest } from "../../src/model/endpoint.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import { createStatusRules } from "../../src/model/status-rules.ts";
import { deadlineMs, type FakeClock } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";

/** Single attempts over real sockets: what undici tells of each, and nothing of what delivery makes of it. */
export interface Poster {
  post(request: EventRequest): Promise<Attempt>;
  /** Gives up what is in flight. */
  cutOff(): void;
  close(): Promise<void>;
}

export interface PosterSettings {
  readonly endpoint: Endpoint;
  /** A request waits for the one before it on its connection. */
  readonly connections: number;
  readonly clock: FakeClock;
  readonly route?: Route;
}

export function createPoster(settings: PosterSettings): Poster {
  const { clock, route = {} } = settings;
  const connections = openConnections({ ...settings, timeoutMs: deadlineMs, route });
  const deadlines = createDeadlines<PendingEvent>(clock, deadlineMs, (event) =>
    event.giveUp("timeout", "no answer in time"),
  );
  const open: (PendingEvent | undefined)[] = [];
  return {
    post: (request) =>
      new Promise((resolve) => {
        const event = new PendingEvent(eventOf(1), rowOne(), 0);
        const rules: AttemptRules = {
          statuses: createStatusRules({}),
          onEnd(ended, attempt) {
            deadlines.end(ended);
            open[ended.permit] = undefined;
            resolve(attempt);
          },
        };
        const free = open.indexOf(undefined);
        event.permit = free < 0 ? open.length : free;
        open[event.permit] = event;
        event.begin(rules);
        deadlines.begin(event);
        connections.dispatch(request, event, event.permit % settings.connections);
      }),
    cutOff() {
      for (const event of open) event?.giveUp("interrupted", "interrupted");
    },
    close: connections.close,
  };
}

function rowOne(): PendingRow<PendingEvent> {
  return new PendingRow<PendingEvent>({ row: 1, line: 2, cells: [] }, 1);
}
