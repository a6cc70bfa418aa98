import { connect, type Socket } from "node:net";
import { identity } from "../faults/make-certificate.ts";
import { type RawRequest, startRawServer } from "./raw-server.ts";

export interface ProxyServer {
  /** `127.0.0.1:port` */
  readonly host: string;
  /** Connections so far, and those that are open. */
  readonly connections: number;
  readonly open: ReadonlySet<Socket>;
  /** The heads of what it was asked: request line and headers. */
  readonly heads: readonly string[];
}

export interface ProxyBehaviour {
  /** Speaks TLS itself. */
  readonly isSecure?: boolean;
  /** The port on this machine that it connects to, whatever host it is asked for; default that of the authority. */
  readonly servicePort?: number;
  /** Answers instead of connecting. */
  readonly onConnect?: (socket: Socket, head: string) => void;
  /** Answers what comes in absolute form, instead of passing it on. */
  readonly onRequest?: (socket: Socket, head: string) => void;
}

/** A proxy that does what a test wants. */
export async function startProxyServer(behaviour: ProxyBehaviour = {}): Promise<ProxyServer> {
  const onRequest = (socket: Socket, { head, body }: RawRequest) => {
    const isTunnel = head.startsWith("CONNECT ");
    const answer = isTunnel ? behaviour.onConnect : behaviour.onRequest;
    if (answer !== undefined) return answer(socket, head);
    const port = behaviour.servicePort ?? Number(/^CONNECT \S+:(\d+) /.exec(head)?.[1]);
    if (isTunnel) socket.removeAllListeners("data");
    const service = connect(port, "127.0.0.1", () => {
      if (isTunnel) {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        socket.pipe(service);
      } else {
        const request = `${head}\r\n\r\n${body}`.replace(/^POST http:\/\/[^/]+/, "POST ");
        service.write(request, "latin1");
      }
      service.pipe(socket, { end: isTunnel });
    });
    service.on("error", () => socket.destroy());
    socket.on("close", () => service.destroy());
  };
  const settings = behaviour.isSecure ? { certificate: identity } : {};
  const server = await startRawServer({ onRequest }, settings);
  return {
    host: new URL(server.origin).host,
    get connections() {
      return server.connections;
    },
    open: server.open,
    get heads() {
      return server.requests.map(({ head }) => head);
    },
  };
}
