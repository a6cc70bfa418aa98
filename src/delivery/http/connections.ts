import type { Client, Dispatcher } from "undici";
import type { Clock } from "../../model/clock.ts";
import type { Endpoint, EventRequest } from "../../model/endpoint.ts";
import type { Route } from "./route.ts";
import { createTunnels, proxyUnreachable } from "./tunnels.ts";
import { undici } from "./undici.ts";

export interface ConnectionSettings {
  readonly endpoint: Endpoint;
  /** For opening a connection. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly route: Route;
}

/** Keep-alive HTTP/1.1 connections to the service, directly or through a proxy. */
export interface Connections {
  isOpen(number: number): boolean;
  /** @param number which connection is to carry it: one that carries no other request now */
  dispatch(request: EventRequest, handler: Dispatcher.DispatchHandler, number: number): void;
  close(): Promise<void>;
}

export function openConnections(settings: ConnectionSettings): Connections {
  const { endpoint, timeoutMs, clock, route } = settings;
  const { proxy, secureContext } = route;
  // The deadline of the attempt covers both times.
  const common = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  const direct = undici().buildConnector({
    timeout: timeoutMs,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn it off.
    rejectUnauthorized: true,
    ...(secureContext === undefined ? {} : { secureContext }),
  });

  if (proxy === undefined) return connectionsTo(endpoint.origin, { ...common, connect: direct });
  if (endpoint.origin.startsWith("https:")) {
    const { connect, close } = createTunnels({ proxy, direct, timeoutMs, clock });
    const connections = connectionsTo(endpoint.origin, { ...common, connect });
    return {
      ...connections,
      close() {
        close();
        return connections.close();
      },
    };
  }
  // Plain http is not tunnelled: many proxies connect to port 443 only (RFC 9112, section 3.2.2).
  const own = {
    host: new URL(endpoint.origin).host,
    ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
  };
  const absolute = (request: EventRequest) => ({
    ...request,
    path: endpoint.origin + request.path,
    headers: { ...request.headers, ...own },
  });
  const connect: typeof direct = (target, callback) =>
    // Otherwise undici would check that the proxy has the certificate of the service.
    direct({ ...target, servername: "" }, (...[error, socket]) =>
      error === null ? callback(null, socket) : callback(proxyUnreachable(error, proxy), null),
    );
  return connectionsTo(proxy.origin, { ...common, connect }, absolute);
}

/** undici's own pool looks for a free connection each time; here, whoever sends knows one. */
function connectionsTo(
  origin: string,
  options: Client.Options,
  addressed: (request: EventRequest) => EventRequest = (request) => request,
): Connections {
  const { Client } = undici();
  const clients: Client[] = [];
  // As the clients report it: each look at `stats` would make an object.
  const isOpen: boolean[] = [];
  const open = (number: number) => {
    const client = new Client(origin, options);
    client.on("connect", () => {
      isOpen[number] = true;
    });
    client.on("disconnect", () => {
      isOpen[number] = false;
    });
    return client;
  };
  return {
    isOpen: (number) => isOpen[number] ?? false,
    dispatch(request, handler, number) {
      clients[number] ??= open(number);
      clients[number].dispatch(addressed(request), handler);
    },
    async close() {
      await Promise.all(clients.map((client) => client?.destroy()));
    },
  };
}
