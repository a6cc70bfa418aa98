import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { rowOf } from "./event-of.ts";

/** What the service received. */
export interface Receipt {
  /** How many had been received before. */
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

export type Reply =
  | {
      readonly status: number;
      readonly headers?: Record<string, string | string[]>;
      readonly body?: string;
    }
  /** The connection ends and nothing is said. */
  | "cut"
  /** Nothing is said until the client gives up. */
  | "silence";

/** Nothing is said, and the connection ends when the signal fires. */
export function cutWhen(signal: AbortSignal): Promise<Reply> {
  if (signal.aborted) return Promise.resolve("cut");
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("cut"), { once: true });
  });
}

export interface Service {
  readonly url: string;
  readonly receipts: readonly Receipt[];
  /** Requests under way at the same time, at most. */
  readonly mostAtOnce: number;
  /** Resolves when so many requests have arrived. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A service that answers as a test tells it; it is stopped when the test ends. */
export async function startService(
  reply: (receipt: Receipt) => Reply | Promise<Reply>,
): Promise<Service> {
  const service = await openService(reply);
  onTestFinished(service.close);
  return service;
}

/** The same for a property, each of whose runs closes its own. */
export async function openService(
  reply: (receipt: Receipt) => Reply | Promise<Reply>,
): Promise<Service> {
  const receipts: Receipt[] = [];
  const waiting: { count: number; wake: () => void }[] = [];
  let underWay = 0;
  let mostAtOnce = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const chunks: Buffer[] = [];
    underWay++;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString("utf8");
      const { method = "", url: path = "", headers } = request;
      const receipt = { n: receipts.length, method, path, headers, body };
      receipts.push(receipt);
      for (const { count, wake } of waiting) if (receipts.length >= count) wake();
      const said = await reply(receipt);
      underWay--;
      if (said === "silence") return;
      if (said === "cut") {
        request.socket.destroy();
        return;
      }
      response.writeHead(said.status, said.headers).end(said.body ?? "");
    } catch {
      underWay--; // the client went away while it was sending
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts,
    get mostAtOnce() {
      return mostAtOnce;
    },
    received: (count) =>
      receipts.length >= count
        ? Promise.resolve()
        : new Promise((wake) => {
            waiting.push({ count, wake });
          }),
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export const accepted: Reply = { status: 202 };

/** A reply that comes when the test says so. */
export function heldReply() {
  let release = (_: Reply) => {};
  const reply = new Promise<Reply>((resolve) => {
    release = resolve;
  });
  // A test that fails before it releases it has nothing to wait for.
  onTestFinished(() => release(accepted));
  return { reply, release };
}

/** Answers the attempts of each event from a list of its own; the last stands for all further ones. */
export function byAttempt(plan: Record<number, readonly Reply[]>, otherwise: Reply = accepted) {
  const seen = new Map<number, number>();
  return (receipt: Receipt): Reply => {
    const row = rowOf(receipt);
    const attempt = seen.get(row) ?? 0;
    seen.set(row, attempt + 1);
    return plan[row]?.[Math.min(attempt, plan[row].length - 1)] ?? otherwise;
  };
}
