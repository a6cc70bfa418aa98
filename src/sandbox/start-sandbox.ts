import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHandler } from "./handle-request.ts";
import { openRecordFile } from "./record-file.ts";
import { createRequestLog } from "./request-log.ts";
import { emptyCounts, type SandboxCounts } from "./sandbox-counts.ts";
import { checkOptions, type SandboxOptions } from "./sandbox-options.ts";
import { servePage } from "./sandbox-page.ts";

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
  /** Closes all connections. Resolves when the port is free. Rejects if an accepted event could not be recorded. */
  stop(): Promise<void>;
}

/**
 * Starts a local service with the two endpoints. Rejects with a RangeError if an option is invalid, and with
 * the system's error if the port is in use or the record file cannot be opened.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = checkOptions(options);
  const { recordFile, pathPrefix, seed } = settings;
  const counts = emptyCounts();
  const log = createRequestLog();
  const record =
    recordFile === undefined ? undefined : openRecordFile(recordFile, settings.onError);
  const handle = createHandler(settings, counts, log, (event) => record?.append(event));
  const stateOf = (find: string) => ({
    url,
    counts,
    errors: log.errors(),
    requests: log.requests(find),
  });
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    if (!servePage(request, response, stateOf)) handle(request, response);
  });
  try {
    server.listen(settings.port, host);
    await once(server, "listening");
  } catch (error) {
    record?.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const pageUrl = `http://${host}:${port}/`;
  const url = `http://${host}:${port}${pathPrefix}`;

  const close = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    record?.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
    pageUrl,
    seed,
    counts: () => structuredClone(counts),
    stop() {
      stopped ??= close();
      return stopped;
    },
  };
}
