import { buildConnector, type Dispatcher, Pool } from "undici";
import type { Clock } from "./clock.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";
import type { Route } from "./route.ts";
import { createTunnels, unreachable } from "./tunnels.ts";

export interface ConnectionSettings {
  readonly endpoint: Endpoint;
  /** Connections at most; each carries one request at a time. */
  readonly connections: number;
  /** For the opening of a connection. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly route: Route;
}

/** Kept-alive HTTP/1.1 connections to the service, straight or through a proxy. */
export interface Connections {
  dispatch(request: EventRequest, handler: Dispatcher.DispatchHandler): void;
  /** What kept a request from leaving, told of the one whose doing it was. */
  blame(error: Error): Error;
  close(): Promise<void>;
}

export function openConnections(settings: ConnectionSettings): Connections {
  const { endpoint, connections, timeoutMs, clock, route } = settings;
  const { proxy, secureContext } = route;
  const isSecure = endpoint.origin.startsWith("https:");
  const common = {
    connections,
    pipelining: 1,
    // The deadline of the attempt covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const direct = {
    timeout: timeoutMs,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn it off.
    rejectUnauthorized: true,
    ...(secureContext === undefined ? {} : { secureContext }),
  };

  if (proxy !== undefined && isSecure) {
    const tunnels = createTunnels({ proxy, secureContext, timeoutMs, clock });
    const pool = new Pool(endpoint.origin, { ...common, connect: tunnels.connect });
    return {
      ...ways(pool, (request) => request),
      close() {
        tunnels.close();
        return pool.destroy();
      },
    };
  }
  if (proxy !== undefined) {
    // Plain http is not tunnelled: many proxies connect to port 443 only (RFC 9112, section 3.2.2).
    const own = {
      host: new URL(endpoint.origin).host,
      ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
    };
    const absolute = ({ path, headers, body }: EventRequest) => ({
      path: endpoint.origin + path,
      headers: { ...headers, ...own },
      body,
    });
    const toProxy = buildConnector(direct);
    // undici would have the proxy prove that it is the host which the request is for.
    const connect: typeof toProxy = (target, callback) =>
      toProxy({ ...target, servername: "" }, callback);
    const pool = new Pool(proxy.origin, { ...common, connect });
    return { ...ways(pool, absolute), blame: (error) => unreachable(error, proxy) };
  }
  return ways(new Pool(endpoint.origin, { ...common, connect: direct }), (request) => request);
}

function ways(pool: Pool, addressed: (request: EventRequest) => EventRequest): Connections {
  return {
    dispatch(request, handler) {
      const { path, headers, body } = addressed(request);
      pool.dispatch({ path, method: "POST", headers, body }, handler);
    },
    blame: (error) => error,
    close: () => pool.destroy(),
  };
}
