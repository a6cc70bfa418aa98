import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";

/** A request that arrived whole. */
export interface RawRequest {
  readonly path: string;
  /** The request line and the headers, as they came. */
  readonly head: string;
  readonly body: string;
}

export interface RawServer {
  readonly origin: string;
  /** Connections so far. */
  readonly connections: number;
  /** What arrived, also in part: the first line of each request of which there was one. */
  readonly seen: readonly string[];
  /** Requests that arrived whole. */
  readonly requests: readonly RawRequest[];
  /** Sockets that are open. */
  readonly open: ReadonlySet<Socket>;
  /** Resolves when so many requests have arrived whole. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface RawBehaviour {
  readonly onConnection?: (socket: Socket) => void;
  readonly onRequest?: (socket: Socket, request: RawRequest) => void;
}

export interface RawServerSettings {
  /** Any that is free unless it is told. */
  readonly port?: number;
  /** With it, the server speaks TLS. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

/** A server that says in flight whatever a test wants. */
export async function startRawServer(
  behaviour: RawBehaviour,
  { port = 0, certificate }: RawServerSettings = {},
): Promise<RawServer> {
  const seen: string[] = [];
  const requests: RawRequest[] = [];
  const open = new Set<Socket>();
  const waiting: { count: number; wake: () => void }[] = [];
  let connections = 0;

  const serve = (socket: Socket) => {
    socket.on("error", () => {});
    let text = "";
    let isSeen = false;
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const lineEnd = text.indexOf("\r\n");
      if (!isSeen && lineEnd >= 0) {
        isSeen = true;
        seen.push(text.slice(0, lineEnd));
      }
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = text.slice(0, headEnd);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (text.length < end) return;
      const body = text.slice(headEnd + 4, end);
      const request = { path: head.split(" ")[1] ?? "", head, body };
      text = text.slice(end);
      isSeen = false;
      requests.push(request);
      for (const { count, wake } of waiting) if (requests.length >= count) wake();
      behaviour.onRequest?.(socket, request);
    });
    behaviour.onConnection?.(socket);
  };
  const server =
    certificate === undefined ? createServer(serve) : createTlsServer(certificate, serve);
  // Those under the TLS ones, so that a handshake that fails counts too.
  server.prependListener("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");

  const close = async () => {
    if (!server.listening) return;
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  };
  onTestFinished(close);
  return {
    origin: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    seen,
    requests,
    open,
    received: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((wake) => {
            waiting.push({ count, wake });
          }),
    close,
  };
}

/** Takes everything. */
export const accepting = {
  onRequest: (socket: Socket) => void socket.write(answer("202 Accepted")),
};

/** An answer with a body whose length is told. */
export function answer(status: string, body = "", headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
