import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What a service does with a request that it has read. */
export type Fault = (socket: Socket) => void;

/** Says something again and again, until the client goes away. */
function drip(socket: Socket, piece: (n: number) => string): void {
  let n = 0;
  const timer = setInterval(() => socket.write(piece(n++)), 2);
  socket.on("close", () => clearInterval(timer));
}

const say =
  (text: string): Fault =>
  (socket) => {
    socket.write(text);
  };

/** No status line comes of these, and the connection shows it. */
export const cutShort = {
  "a reset": (socket) => socket.resetAndDestroy(),
  "an end": (socket) => socket.end(),
  garbage: say("what do you want?\r\n\r\n"),
  "garbage without an end of line": say("\u0000\u0001\u0002".repeat(100)),
  "half a status line and an end": (socket) => socket.end("HTTP/1.1 2"),
  "headers that break off": (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"),
  "headers that are no headers": say("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
  // RFC 9112, section 6.3: an answer without a valid length is discarded.
  "two content-lengths that differ": say(
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nhello",
  ),
  // It may be taken for one there, and undici's parser does not.
  "two content-lengths that agree": say(
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok",
  ),
  "a content-length that is no number": say("HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nhello"),
  "a switch to another protocol": say("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"),
} satisfies Record<string, Fault>;

/** No status line comes of these however long one waits. */
export const endless = {
  silence: () => {},
  "dripping headers": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    drip(socket, (n) => `x-${n}: 1\r\n`);
  },
  "103 without end": (socket) =>
    drip(socket, () => "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"),
} satisfies Record<string, Fault>;

/** Each says 200 at once; what comes after it is wrong, and over. */
export const spoiltBody = {
  "a body that is reset": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nhalf", () => {
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
  },
  "a body that ends too early": (socket) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nhalf");
  },
  "chunks that are none": say(
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nworld\r\n",
  ),
  "a body longer than its content-length": say(
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello, world",
  ),
} satisfies Record<string, Fault>;

/** Each says 200 at once; the body never ends. */
export const endlessBody = {
  "a body that stalls": say("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nhalf"),
  "a body that drips": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    drip(socket, () => "1\r\nx\r\n");
  },
} satisfies Record<string, Fault>;

/** Writes a body as fast as it is taken, and tells how much of it has left. */
export function longBody(head: string, totalBytes: number): { fault: Fault; sent: () => number } {
  const chunk = Buffer.alloc(64 * 1024, "x");
  let sent = 0;
  return {
    sent: () => sent,
    fault(socket) {
      socket.write(head);
      const more = () => {
        if (socket.destroyed || sent >= totalBytes) return;
        sent += chunk.length;
        socket.write(chunk, () => setImmediate(more));
      };
      more();
    },
  };
}

/** 40 kB in flight, 40 MB unpacked. */
export function gzipBomb(status: string): string {
  return packedAnswer(status, `{"message":"${"a".repeat(40_000_000)}"}`);
}

/** An answer in a content coding, to be written as latin1. */
function packedAnswer(status: string, body: string): string {
  const packed = gzipSync(body).toString("latin1");
  const head = [`HTTP/1.1 ${status}`, "content-encoding: gzip", `content-length: ${packed.length}`];
  return `${head.join("\r\n")}\r\n\r\n${packed}`;
}
