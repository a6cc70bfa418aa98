import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";
import { identity } from "../faults/make-certificate.ts";

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
  const heads: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;

  const serve = (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
    let text = "";
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = text.slice(0, end);
      const bodyBytes = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + bodyBytes) return;
      const request = text.slice(0, end + 4 + bodyBytes);
      text = text.slice(end + 4 + bodyBytes);
      heads.push(head);
      const isTunnel = head.startsWith("CONNECT ");
      const answer = isTunnel ? behaviour.onConnect : behaviour.onRequest;
      if (answer !== undefined) return answer(socket, head);
      const port = behaviour.servicePort ?? Number(/^CONNECT \S+:(\d+) /.exec(head)?.[1]);
      if (isTunnel) socket.off("data", onData);
      const service = connect(port, "127.0.0.1", () => {
        if (isTunnel) {
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
          socket.pipe(service);
        } else service.write(request.replace(/^POST http:\/\/[^/]+/, "POST "), "latin1");
        service.pipe(socket, { end: isTunnel });
      });
      service.on("error", () => socket.destroy());
      socket.on("close", () => service.destroy());
    };
    socket.on("data", onData);
  };
  const server = behaviour.isSecure ? createTlsServer(identity, serve) : createServer(serve);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    open,
    heads,
  };
}
