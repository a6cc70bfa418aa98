import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import type { Clock } from "../../model/clock.ts";
import { messageOf } from "./connection-errors.ts";
import type { HttpProxy } from "./proxy.ts";
import { undici } from "./undici.ts";

interface TunnelSettings {
  readonly proxy: HttpProxy;
  /** Opens a connection to a host, with TLS where its URL says so. */
  readonly direct: buildConnector.connector;
  /** For the whole tunnel: the connection to the proxy, its answer, and the handshake with the service. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Opens secure connections through a proxy (RFC 9110, section 9.3.6). Errors of the proxy have codes of their own, as
 * the service has no part in them: `proxy_unreachable`, `proxy_auth` or `proxy_refused`.
 *
 * undici's own ProxyAgent is not used. If a proxy ends the connection instead of answering, it tries again without a
 * pause, some ten thousand times a second. Its time-outs cannot be set, and only the text of an error has the proxy's
 * status.
 */
export function createTunnels(settings: TunnelSettings) {
  const { proxy, direct, timeoutMs, clock } = settings;
  const { Client } = undici();
  const opening = new Set<(error: Error) => void>();

  const connect: buildConnector.connector = (target, callback) => {
    const authority = `${target.hostname.includes(":") ? `[${target.hostname}]` : target.hostname}:${target.port || 443}`;
    const client = new Client(proxy.origin, { connect: direct, headersTimeout: 0 });
    let tunnel: Socket | undefined;
    let isOver = false;
    const end = (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (isOver) return;
      isOver = true;
      cancelDeadline();
      opening.delete(giveUp);
      if (error === null) return callback(null, socket);
      tunnel?.destroy();
      void client.destroy();
      callback(error, null);
    };
    const giveUp = (error: Error) => end(error, null);
    const cancelDeadline = clock.schedule(timeoutMs, () =>
      giveUp(
        failure("timeout", `no connection through ${proxy.host} within ${timeoutMs / 1000} s`),
      ),
    );
    opening.add(giveUp);

    const headers = {
      host: authority,
      ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
    };
    client.connect({ path: authority, headers }).then(
      ({ statusCode, socket }) => {
        tunnel = socket as Socket;
        tunnel.on("error", () => {}); // the handshake reports it
        if (isOver) return tunnel.destroy();
        if (statusCode < 200 || statusCode > 299)
          return giveUp(refusal(statusCode, authority, proxy));
        direct({ ...target, httpSocket: tunnel }, (...result) => end(...result));
      },
      (error: Error) => giveUp(proxyUnreachable(error, proxy)),
    );
  };

  return {
    connect,
    /** Gives up the connections that are not open yet. */
    close() {
      for (const giveUp of [...opening]) giveUp(failure("closed", "the connections were closed"));
    },
  };
}

function refusal(statusCode: number, authority: string, { host, authorization }: HttpProxy): Error {
  if (statusCode !== 407) {
    const message = `the proxy ${host} does not connect to ${authority} (${statusCode})`;
    return failure("proxy_refused", message);
  }
  const why =
    authorization === undefined
      ? "wants a user name and password"
      : "does not accept the user name and password";
  return failure("proxy_auth", `the proxy ${host} ${why} (407)`);
}

/** The proxy did not answer, so nothing was sent. */
export function proxyUnreachable(error: Error, { host }: HttpProxy): Error {
  return failure("proxy_unreachable", `no connection to the proxy ${host}: ${messageOf(error)}`);
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
