import { describe, expect, onTestFinished, test } from "vitest";
import { type Classification, classifyAttempt } from "../../src/delivery/classify-attempt.ts";
import type { Attempt } from "../../src/delivery/http/attempt.ts";
import { parseBaseUrl } from "../../src/model/endpoint.ts";
import { createFakeClock, deadlineMs } from "../fake-clock.ts";
import { cutShort, endless, type Fault, spoiltBody } from "../faults/faults.ts";
import { makeCertificate } from "../faults/make-certificate.ts";
import { createPoster } from "./poster-under-test.ts";
import { answer, type RawServer, startRawServer } from "./raw-server.ts";

/**
 * From what happens on a real socket to what it means for the event: whether the request had left
 * decides, and not how the error is called.
 */

interface Tried {
  readonly attempt: Attempt;
  /** Requests that the service read to their end. */
  readonly receipts: number;
}

/** @param isEndless whether nothing more comes once the service has the request */
async function tryOnce(origin: string, server?: RawServer, isEndless = false): Promise<Tried> {
  const clock = createFakeClock();
  const endpoint = parseBaseUrl(origin, true);
  const poster = createPoster({ endpoint, connections: 1, clock });
  onTestFinished(() => poster.close());
  const headers = { authorization: "Bearer secret", "content-type": "application/json" };
  const path = endpoint.path("users");
  const tried = poster.post({ method: "POST", path, headers, body: '{"event":"x"}' });
  if (isEndless) {
    await server?.received(1);
    clock.advance(deadlineMs);
  }
  const attempt = await tried;
  return { attempt, receipts: server?.requests.length ?? 0 };
}

async function tryThrough(fault: Fault, isEndless = false): Promise<Tried> {
  const server = await startRawServer({ onRequest: (socket) => fault(socket) });
  return tryOnce(server.origin, server, isEndless);
}

/** What it means at-least-once and at-most-once, for an event that is not the first. */
function kindsOf(attempt: Attempt): Classification["kind"][] {
  const context = {
    isFirst: false,
    url: "https://example.com/v1/users/events",
    now: new Date("2026-03-01T12:00:00Z"),
    redact: (text: string) => text,
  };
  return [
    classifyAttempt(attempt, { ...context, mode: "at-least-once" }).kind,
    classifyAttempt(attempt, { ...context, mode: "at-most-once" }).kind,
  ];
}

describe("what never left is tried again in either mode", () => {
  const ways: Record<string, () => Promise<Tried>> = {
    "nothing listens": async () => {
      const server = await startRawServer({});
      await server.close();
      return tryOnce(server.origin, server);
    },
    "nobody knows the host": () => tryOnce("https://nowhere.invalid"),
    "the host does not speak TLS": async () => {
      const server = await startRawServer({ onConnection: (socket) => socket.end("hello\r\n") });
      return tryOnce(server.origin.replace("http:", "https:"), server);
    },
    "the host ends the connection before a handshake": async () => {
      const server = await startRawServer({ onConnection: (socket) => socket.end() });
      return tryOnce(server.origin.replace("http:", "https:"), server);
    },
    "the certificate cannot be trusted": async () => {
      const certificate = makeCertificate({ commonName: "Service", hosts: ["127.0.0.1"] });
      const server = await startRawServer({}, { certificate });
      return tryOnce(server.origin, server);
    },
  };
  test.each(Object.entries(ways))("%s", async (_, tryIt) => {
    const { attempt, receipts } = await tryIt();
    expect(attempt.kind).toBe("not_sent");
    expect(kindsOf(attempt)).toEqual(["retry", "retry"]);
    expect(receipts).toBe(0);
  });
});

describe("what was not answered is tried again at-least-once only", () => {
  test.each(Object.entries(cutShort))("%s", async (_, fault) => {
    const { attempt, receipts } = await tryThrough(fault);
    expect(attempt.kind).toBe("unanswered");
    expect(kindsOf(attempt)).toEqual(["retry", "unanswered"]);
    expect(receipts).toBe(1);
  });

  test.each(Object.entries(endless))("%s, until the deadline", async (_, fault) => {
    const { attempt, receipts } = await tryThrough(fault, true);
    expect(attempt).toMatchObject({ kind: "unanswered", code: "timeout" });
    expect(kindsOf(attempt)).toEqual(["retry", "unanswered"]);
    expect(receipts).toBe(1);
  });
});

describe("what was answered means what its status line says", () => {
  test.each(Object.entries(spoiltBody))("200 and %s", async (_, fault) => {
    const { attempt, receipts } = await tryThrough(fault);
    expect(attempt).toMatchObject({ kind: "answered", httpStatus: 200 });
    expect(kindsOf(attempt)).toEqual(["accepted", "accepted"]);
    expect(receipts).toBe(1);
  });

  test.each<[string, Classification["kind"][]]>([
    ["204 No Content", ["accepted", "accepted"]],
    ["307 Temporary Redirect", ["rejected", "rejected"]],
    ["422 Unprocessable Content", ["rejected", "rejected"]],
    ["429 Too Many Requests", ["retry", "retry"]],
    ["500 Internal Server Error", ["retry", "unanswered"]],
    ["503 Service Unavailable", ["retry", "retry"]],
    ["504 Gateway Timeout", ["retry", "unanswered"]],
  ])("%s", async (status, verdicts) => {
    const { attempt, receipts } = await tryThrough((socket) => socket.write(answer(status)));
    expect(attempt).toMatchObject({ kind: "answered", httpStatus: Number(status.slice(0, 3)) });
    expect(kindsOf(attempt)).toEqual(verdicts);
    expect(receipts).toBe(1);
  });
});
