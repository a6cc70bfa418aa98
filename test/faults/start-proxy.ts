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

/** @param status what it answers instead of letting anything through */
export async function startProxy(
  status?: "407 Proxy Authentication Required" | "502 Bad Gateway",
): Promise<Proxy> {
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
    const { method, headers } = incoming;
    const onward = forward(incoming.url ?? "", { method, headers }, (answer) => {
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
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const onward = connect(Number(port), hostname, () => {
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
