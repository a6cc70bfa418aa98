import type { IncomingMessage } from "node:http";

/** How the reading of a request's body ended. */
export type ReadBody =
  | { kind: "whole"; body: Buffer }
  | { kind: "too_large" }
  | { kind: "broken_off" };

/**
 * Reads a body of at most `maxBytes` and calls `done` once. Of a larger one nothing is kept: `done`
 * is called as soon as it is known, and the rest is read and dropped, because a client that is
 * still sending when the connection closes would see a reset instead of its answer.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (outcome: ReadBody) => void,
): void {
  let chunks: Buffer[] = [];
  let receivedBytes = 0;
  let settled = false;

  function settle(outcome: ReadBody): void {
    if (settled) return;
    settled = true;
    chunks = [];
    done(outcome);
  }

  request.on("data", (chunk: Buffer) => {
    if (settled) return;
    receivedBytes += chunk.length;
    if (receivedBytes > maxBytes) settle({ kind: "too_large" });
    else chunks.push(chunk);
  });
  request.on("end", () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, receivedBytes);
    settle({ kind: "whole", body });
  });
  request.on("close", () => settle({ kind: "broken_off" }));

  if (Number(request.headers["content-length"] ?? 0) > maxBytes) settle({ kind: "too_large" });
}
