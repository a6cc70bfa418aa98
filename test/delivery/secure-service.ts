import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { identity } from "./proxy-server.ts";

export interface SecureService {
  readonly port: number;
  /** Request lines and the headers that matter, of requests that arrived whole. */
  readonly requests: readonly IncomingMessage[];
}

/** A service on https, with a certificate for `service.test` from an authority that nobody knows. */
export async function startSecureService(
  answer: (response: ServerResponse) => void = (response) => response.writeHead(202).end(),
  options: ServerOptions = identity,
): Promise<SecureService> {
  const requests: IncomingMessage[] = [];
  const server = createServer(options, (request, response) => {
    request.resume();
    request.on("end", () => {
      requests.push(request);
      answer(response);
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { port: (server.address() as AddressInfo).port, requests };
}
