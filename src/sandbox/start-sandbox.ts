import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHeadCheck, type Resource } from "./check-request.ts";
import { createFaults } from "./faults.ts";
import { createHandler } from "./handle-request.ts";
import { mulberry32 } from "./mulberry32.ts";
import { openRecordFile, recordLine } from "./record-file.ts";
import { createRepeatCheck } from "./repeat-check.ts";
import { emptyCounts, type SandboxCounts } from "./sandbox-counts.ts";
import { checkOptions, type SandboxOptions } from "./sandbox-options.ts";
import { createThrottle } from "./throttle.ts";

export type { SandboxOptions };

const keepAliveMs = 60_000;

/** A sandbox that is listening. */
export interface Sandbox {
  /** The base URL for a client, with the path prefix and without a final slash. */
  url: string;
  port: number;
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
  const { recordFile, rateLimitPerSecond, seed } = settings;
  const counts = emptyCounts();
  const isRepeat = createRepeatCheck();
  const throttle =
    rateLimitPerSecond === undefined ? undefined : createThrottle(rateLimitPerSecond);
  const record =
    recordFile === undefined ? undefined : await openRecordFile(recordFile, settings.onError);

  function onAccepted(
    request: IncomingMessage,
    resource: Resource,
    body: Buffer,
    text: string,
  ): void {
    const { method = "", headers } = request;
    counts.accepted[resource] += 1;
    if (isRepeat(`${method} ${resource}`, body)) counts.repeats += 1;
    const n = counts.accepted.users + counts.accepted.contacts;
    record?.append(recordLine({ n, method, resource, text, headers }));
  }

  const server = createServer(
    { keepAliveTimeout: keepAliveMs },
    createHandler({
      checkHead: createHeadCheck(settings.pathPrefix, settings.token),
      throttle: () => (throttle === undefined ? 0 : throttle(performance.now())),
      nextFault: createFaults(settings.failRate, settings.resetRate, mulberry32(seed)),
      onAccepted,
      latencyMs: settings.latencyMs,
      counts,
    }),
  );
  let port: number;
  try {
    port = await listen(server, settings.port, settings.host);
  } catch (error) {
    await record?.close();
    throw error;
  }

  let stopped: Promise<void> | undefined;
  return {
    url: `http://${urlHost(settings.host)}:${port}${settings.pathPrefix}`,
    port,
    seed,
    counts: () => structuredClone(counts),
    stop() {
      stopped ??= closeServer(server).then(() => record?.close());
      return stopped;
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
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

/** The host for a URL. On some systems, clients cannot connect to 0.0.0.0 or ::. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
