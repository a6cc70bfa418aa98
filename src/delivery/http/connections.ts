import type { Dispatcher, Pool } from "undici";
import type { Clock } from "../../model/clock.ts";
import type { Endpoint, EventRequest } from "../../model/endpoint.ts";
import type { Route } from "./route.ts";
import { createTunnels, proxyUnreachable } from "./tunnels.ts";
import { undici } from "./undici.ts";

export interface ConnectionSettings {
  readonly endpoint: Endpoint;
  /** Maximum connections; each carries one request at a time. */
  readonly connections: number;
  /** For opening a connection. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly route: Route;
}

/** Keep-alive HTTP/1.1 connections to the service, directly or through a proxy. */
export interface Connections {
  /**
   * Sends a request; the handler is called back about it.
   *
   * @param isFresh whether it needs a connection of its own, which no other request has used
   */
  dispatch(request: EventRequest, handler: Dispatcher.DispatchHandler, isFresh?: boolean): void;
  /** Adds to the error of a request that was not sent which hop failed. */
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
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn it off.
    rejectUnauthorized: true,
    ...(secureContext === undefined ? {} : { secureContext }),
  };

  if (proxy !== undefined && isSecure) {
    const tunnels = createTunnels({ proxy, secureContext, timeoutMs, clock });
    const connectionsThrough = pooled(endpoint.origin, { ...common, connect: tunnels.connect });
    return {
      ...connectionsThrough,
      close() {
        tunnels.close();
        return connectionsThrough.close();
      },
    };
  }
  if (proxy !== undefined) {
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
    const toProxy = undici().buildConnector(direct);
    // Otherwise undici would check that the proxy has the certificate of the service.
    const connect: typeof toProxy = (target, callback) =>
      toProxy({ ...target, servername: "" }, callback);
    const options = { ...common, connect };
    return {
      ...pooled(proxy.origin, options, absolute),
      blame: (error) => proxyUnreachable(error, proxy),
    };
  }
  return pooled(endpoint.origin, { ...common, connect: direct });
}

function pooled(
  origin: string,
  options: Pool.Options,
  addressed: (request: EventRequest) => EventRequest = (request) => request,
): Connections {
  const { Pool } = undici();
  const pool = new Pool(origin, options);
  const singleOptions = { ...options, connections: 1 };
  /** Each is for one request, and closed after it. */
  const singles = new Set<Pool>();
  return {
    dispatch(request, handler, isFresh = false) {
      const options = addressed(request);
      if (!isFresh) {
        pool.dispatch(options, handler);
        return;
      }
      const single = new Pool(origin, singleOptions);
      singles.add(single);
      single.dispatch(options, handler);
      void single.close().finally(() => singles.delete(single));
    },
    blame: (error) => error,
    async close() {
      await Promise.all([pool, ...singles].map((one) => one.destroy()));
    },
  };
}
