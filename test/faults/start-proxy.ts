import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Proxy {
  readonly port: number;
  readonly connections: number;
  /** What it was asked for, with its headers: `CONNECT host:port`, or `POST http://host:port/path`. */
  readonly asked: readonly {
    readonly line: string;
    readonly headers: IncomingMessage["headers"];
  }[];
}

export interface ProxySettings {
  /** What it answers instead of letting anything through. */
  readonly status?: "407 Proxy Authentication Required" | "502 Bad Gateway";
  /** The port on this machine that it connects to, whatever host it is asked for. */
  readonly servicePort?: number;
}

export async function startProxy({ status, servicePort = 0 }: ProxySettings): Promise<Proxy> {
  const asked: Proxy["asked"][number][] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const note = ({ method, url, headers }: IncomingMessage) =>
    asked.push({ line: `${method} ${url}`, headers });

  const server = createServer((incoming, outgoing) => {
    note(incoming);
    if (status !== undefined) {
      outgoing.writeHead(Number(status.slice(0, 3)), refusalHeaders).end("not you");
      return;
    }
    const { method, headers, url = "" } = incoming;
    const path = url.replace(/^http:\/\/[^/]+/, "");
    const onward = forward({ host: "127.0.0.1", port: servicePort, path, method, headers });
    onward.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward.on("error", () => outgoing.destroy()));
  });
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("error", () => {});
  });
  server.on("connect", (incoming, socket, head) => {
    note(incoming);
    if (status !== undefined) {
      const headers = Object.entries(refusalHeaders).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.end(`HTTP/1.1 ${status}\r\n${headers.join("")}content-length: 7\r\n\r\nnot you`);
      return;
    }
    const onward = connect(servicePort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    open.add(onward);
    onward.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    asked,
  };
}

const refusalHeaders = { "proxy-authenticate": 'Basic realm="the office"' };
