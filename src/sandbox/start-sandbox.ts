import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHeadCheck, type ReceivedEvent } from "./check-request.ts";
import { createFaults, createOutage, createRejection } from "./faults.ts";
import { createHandler } from "./handle-request.ts";
import { mulberry32 } from "./mulberry32.ts";
import { openRecordFile, recordLine } from "./record-file.ts";
import { createRepeatCheck } from "./repeat-check.ts";
import { createRequestLog } from "./request-log.ts";
import { emptyCounts, type SandboxCounts } from "./sandbox-counts.ts";
import { checkOptions, type SandboxOptions } from "./sandbox-options.ts";
import { servePage } from "./serve-page.ts";
import { createThrottle } from "./throttle.ts";

export type { SandboxOptions };

/** Only this machine reaches it. */
const host = "127.0.0.1";
const keepAliveMs = 60_000;

/** A sandbox that is listening. */
export interface Sandbox {
  /** The base URL for a client, with the path prefix and without a final slash. */
  url: string;
  port: number;
  /** The address of the page that shows what has come and what was answered. */
  pageUrl: string;
  /** The seed in use, so that a run with a random seed can be repeated. */
  seed: number;
  /** A copy of the current counts. */
  counts(): SandboxCounts;
  /**
   * Closes all connections. Resolves when the port is free and the record file is complete. Rejects if an
   * accepted event could not be recorded.
   */
  stop(): Promise<void>;
}

/**
 * Starts a local service with the two endpoints. Rejects with a RangeError if an option is invalid, and with
 * the system's error if the port is in use or the record file cannot be opened.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = checkOptions(options);
  const { recordFile, rateLimitPerSecond, outage, seed } = settings;
  const counts = emptyCounts();
  const log = createRequestLog();
  const isRepeat = createRepeatCheck();
  const throttle = rateLimitPerSecond && createThrottle(rateLimitPerSecond);
  const isOutage = outage && createOutage(outage);
  const record =
    recordFile === undefined ? undefined : await openRecordFile(recordFile, settings.onError);

  function accept(event: ReceivedEvent): void {
    const hasCome = isRepeat(event);
    if (hasCome && settings.ignoreRepeated) {
      counts.ignored += 1;
      return;
    }
    counts.accepted[event.resource] += 1;
    if (hasCome) counts.repeats += 1;
    const n = counts.accepted.users + counts.accepted.contacts;
    record?.append(recordLine(n, event));
  }

  const handle = createHandler({
    checkHead: createHeadCheck(settings.pathPrefix, settings.token),
    throttle: () => (throttle ? throttle(performance.now()) : 0),
    isOutage: () => isOutage?.(performance.now()) ?? false,
    nextFault: createFaults(settings, mulberry32(seed)),
    reject: createRejection(settings.rejectRate, seed),
    accept,
    latencyMs: settings.latencyMs,
    counts,
    log,
  });
  const stateOf = (find: string) => ({
    url,
    counts,
    errors: log.errors(),
    requests: log.requests(find),
  });
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    if (!servePage(request, response, stateOf)) handle(request, response);
  });
  let port: number;
  try {
    port = await listen(server, settings.port);
  } catch (error) {
    await record?.close();
    throw error;
  }
  const url = `http://${host}:${port}${settings.pathPrefix}`;

  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
    pageUrl: `http://${host}:${port}/`,
    seed,
    counts: () => structuredClone(counts),
    stop() {
      stopped ??= closeServer(server).then(() => record?.close());
      return stopped;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
