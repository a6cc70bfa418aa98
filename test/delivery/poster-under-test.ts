import { onTestFinished } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { openConnections } from "../../src/delivery/http/connections.ts";
import { findRoute } from "../../src/delivery/http/route.ts";
import { type AttemptRules, PendingEvent, PendingRow } from "../../src/delivery/pending-event.ts";
import { createDeadlines } from "../../src/delivery/queues.ts";
import { parseBaseUrl } from "../../src/model/endpoint.ts";
import type { ProxySettings } from "../../src/model/proxy-settings.ts";
import { createStatusRules } from "../../src/model/status-rules.ts";
import { createFakeClock, deadlineMs } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";

interface PosterSettings {
  readonly proxies?: ProxySettings;
  readonly caFiles?: readonly string[];
  /** A request waits for the one before it on its connection; default 1. */
  readonly connections?: number;
}

/** Single attempts over real sockets: what undici tells of each, and nothing of what delivery makes of it. */
export async function posterTo(baseUrl: string, settings: PosterSettings = {}) {
  const { proxies, caFiles, connections: count = 1 } = settings;
  const clock = createFakeClock();
  const endpoint = parseBaseUrl(baseUrl, true);
  const route = await findRoute(endpoint, proxies, caFiles);
  const connections = openConnections({
    ...{ endpoint, connections: count, clock, timeoutMs: deadlineMs, route },
  });
  onTestFinished(connections.close);
  const deadlines = createDeadlines<PendingEvent>(clock, deadlineMs, (event) =>
    event.giveUp("timeout", "no answer in time"),
  );
  const open: (PendingEvent | undefined)[] = [];
  const headers = { authorization: "Bearer secret", "content-type": "application/json" };
  return {
    clock,
    send: (path = "/v1/users/events") =>
      new Promise<Attempt>((resolve) => {
        const row = new PendingRow({ row: 1, line: 2, cells: [] }, 1);
        const event = new PendingEvent(eventOf(1), row, 0);
        const rules: AttemptRules = {
          statuses: createStatusRules({}),
          onEnd(ended, attempt) {
            deadlines.end(ended);
            open[ended.connection] = undefined;
            resolve(attempt);
          },
        };
        const free = open.indexOf(undefined);
        event.connection = free < 0 ? open.length : free;
        open[event.connection] = event;
        event.begin(rules);
        deadlines.begin(event);
        const request = { method: "POST", path, headers, body: '{"event":"x"}' } as const;
        connections.dispatch(request, event, event.connection % count);
      }),
    /** Gives up what is in flight. */
    cutOff() {
      for (const event of open) event?.giveUp("interrupted", "interrupted");
    },
    close: connections.close,
  };
}
