import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { endOf, receiptsOfRows, rowsToImport } from "./import-rows.ts";

/** Answers, and resets the connection as the next request begins to arrive on it. */
function resetAsReused(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.on("data", () => socket.resetAndDestroy());
  socket.write(answer("202 Accepted"));
}

test("a connection that is reset as it is reused leaves its event unanswered", async () => {
  for (const mode of ["at-least-once", "at-most-once"]) {
    const isOnceMore = mode === "at-least-once";
    let isOver = false;
    const server = await startRawServer({
      onRequest(socket) {
        if (isOver) return void socket.write(answer("202 Accepted"));
        isOver = true;
        resetAsReused(socket);
      },
    });
    const rows = await rowsToImport(3);
    const imported = await rows.import(server.origin, "--concurrency", "1", "--delivery", mode);
    expect(imported.status).toBe(isOnceMore ? 0 : 1);
    expect(endOf(imported, 2)).toMatchObject({
      status: isOnceMore ? "succeeded" : "unknown",
      attempts: isOnceMore ? 2 : 1,
      unanswered: 1,
    });
    // What was thrown away with the connection did not arrive.
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, isOnceMore ? 1 : 0, 1]);
    expect(server.connections).toBe(2);
  }
});

test("connections that are closed as soon as they idle cost no event", async () => {
  const count = 60;
  let n = 0;
  const server = await startRawServer({
    onRequest(socket) {
      // From at once to a little later, so that some are closed before and some after the reuse.
      const turns = n++ % 6;
      const close = (left: number) => (left === 0 ? socket.end() : setImmediate(close, left - 1));
      socket.write(answer("202 Accepted"), () => close(turns));
    },
  });
  const rows = await rowsToImport(count);
  const imported = await rows.import(server.origin, "--concurrency", "4", "--max-attempts", "20");
  expect(imported.status).toBe(0);
  expect(imported.summary).toMatchObject({ succeeded: count });
  const { attempts, unanswered } = imported.summary as { attempts: number; unanswered: number };
  // Each attempt that was not answered is told, and no other: nothing is sent again in silence.
  expect(unanswered).toBeLessThanOrEqual(attempts - count);
  expect(server.requests.length).toBeLessThanOrEqual(attempts);
  const receipts = receiptsOfRows(server.requests, count);
  for (const [at, times] of receipts.entries()) {
    const end = endOf(imported, at + 1);
    expect(times).toBeGreaterThanOrEqual(1);
    expect(times).toBeLessThanOrEqual(1 + end.unanswered);
    expect(end.attempts - end.unanswered).toBeGreaterThanOrEqual(1);
  }
});
