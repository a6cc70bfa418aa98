import { once } from "node:events";
import { appendFileSync, closeSync, openSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { refuseForeign } from "../model/disk/refuse-foreign.ts";
import { createLocalPage } from "../model/local-page.ts";
import type { ReceivedEvent } from "./check-request.ts";
import { createHandler } from "./handle-request.ts";
import { createRequestLog } from "./request-log.ts";
import { emptyCounts, type SandboxCounts } from "./sandbox-counts.ts";
import { describeFaults, type SandboxOptions, sandboxSettings } from "./sandbox-options.ts";
import { servePage } from "./sandbox-page.ts";

const host = "127.0.0.1";
const keepAliveMs = 60_000;

export interface Sandbox {
  /** The base URL for a client, with the path prefix and without a final slash. */
  url: string;
  port: number;
  /** The address of the page that shows what has come and what was answered, with the secret that opens it. */
  pageUrl: string;
  /** The seed in use, so that a run with a random seed can be repeated. */
  seed: number;
  /** A copy of the current counts. */
  counts(): SandboxCounts;
  /** Closes all connections. Resolves when the port is free. */
  stop(): Promise<void>;
}

/**
 * Starts a local service with the two endpoints. Rejects with a RangeError if an option is invalid, and with
 * the system's error if the port is in use or the record file cannot be opened.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = sandboxSettings(options);
  const { recordFile, pathPrefix, seed } = settings;
  const counts = emptyCounts();
  const log = createRequestLog();
  const record =
    recordFile === undefined
      ? undefined
      : openRecordFile(await refuseForeign(recordFile, "The record"));
  const handle = createHandler(settings, counts, log, (event) => record?.append(event));
  const stateOf = (find: string, answer: string) => ({
    url,
    counts,
    errors: log.errors(),
    ...log.requests(find, answer),
    faults: describeFaults(settings),
    example: `${settings.program} import people.csv --base-url ${url}${settings.token === undefined ? " --token-command 'echo any'" : ""}`,
  });
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const path = page.pathOf(request, response);
    if (path !== undefined) servePage(path, request, response, stateOf);
    else if (!response.headersSent) handle(request, response);
  });
  try {
    server.listen(settings.port, host);
    await once(server, "listening");
  } catch (error) {
    record?.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const page = createLocalPage(port);
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
    pageUrl: page.url,
    seed,
    counts: () => structuredClone(counts),
    stop() {
      stopped ??= close();
      return stopped;
    },
  };
}

/** Opens a file for appending a line for each accepted event, in their order. */
function openRecordFile(path: string) {
  const file = openSync(path, "a", 0o600);
  let n = 0;
  return {
    append(event: ReceivedEvent) {
      appendFileSync(file, acceptedLine(n + 1, event));
      n += 1;
    },
    close: () => closeSync(file),
  };
}

/** The body is as it was sent: numbers keep their digits, members their order. */
function acceptedLine(n: number, { method, resource, text, headers }: ReceivedEvent): string {
  // JSON allows a line break only between tokens, where a space means the same.
  const body = text.replaceAll(/[\r\n]/g, " ");
  const to = `"method":"${method}","resource":"${resource}"`;
  return `{"n":${n},${to},"body":${body},"headers":${keptHeaders(headers)}}\n`;
}

// Credentials, and headers about the connection or the form of the body rather than the event.
const omitted =
  /^((proxy-)?authorization|cookie|host|connection|keep-alive|transfer-encoding|content-length|content-type|user-agent|expect|accept.*)$/;

function keptHeaders(headers: IncomingHttpHeaders): string {
  const kept = Object.entries(headers).filter(([name]) => !omitted.test(name));
  return JSON.stringify(Object.fromEntries(kept));
}
