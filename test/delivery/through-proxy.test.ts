import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { findRoute } from "../../src/delivery/http/route.ts";
import { type ProxySettings, parseBaseUrl } from "../../src/model/endpoint.ts";
import { createFakeClock, deadlineMs } from "../fake-clock.ts";
import { authorityFile, identity } from "../faults/make-certificate.ts";
import { createPoster } from "./poster-under-test.ts";
import { startProxyServer } from "./proxy-server.ts";
import { answer, startRawServer } from "./raw-server.ts";

/** A service on https; as far as its port goes, whatever host it is asked for. */
async function startSecureService(onRequest = (socket: Socket): unknown => socket.write(accepted)) {
  const server = await startRawServer(
    { onRequest: (socket) => void onRequest(socket) },
    { certificate: identity },
  );
  return { requests: server.requests, port: new URL(server.origin).port };
}

const accepted = answer("202 Accepted");

async function posterTo(
  baseUrl: string,
  proxies: ProxySettings,
  { connections = 1, caFiles = [authorityFile] }: { connections?: number; caFiles?: string[] } = {},
) {
  const clock = createFakeClock();
  const endpoint = parseBaseUrl(baseUrl, true);
  const route = await findRoute(endpoint, proxies, caFiles);
  const poster = createPoster({ endpoint, connections, clock, route });
  onTestFinished(() => poster.close());
  const headers = { authorization: "Bearer secret", "content-type": "application/json" };
  const send = (path = "/v1/users/events") =>
    poster.post({ method: "POST", path, headers, body: "{}" });
  return { poster, clock, send };
}

describe("a service on https behind a proxy", () => {
  test("is reached also where the proxy speaks TLS itself", async () => {
    const service = await startSecureService();
    const proxy = await startProxyServer({ isSecure: true });
    const to = `https://service.test:${service.port}`;
    const { send } = await posterTo(to, { https: `https://${proxy.host}` });
    expect(await send()).toMatchObject({ kind: "answered", httpStatus: 202 });
    const distrustful = await posterTo(to, { https: `https://${proxy.host}` }, { caFiles: [] });
    expect(await distrustful.send()).toMatchObject({
      kind: "not_sent",
      code: "proxy_unreachable",
      message: expect.stringContaining(`no connection to the proxy ${proxy.host}: `),
    });
  });

  test("never has more tunnels than connections", async () => {
    const service = await startSecureService();
    const proxy = await startProxyServer();
    const { send } = await posterTo(
      `https://service.test:${service.port}`,
      { https: `http://${proxy.host}` },
      { connections: 3 },
    );
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(service.requests).toHaveLength(20);
    expect(proxy.connections).toBe(3);
  });

  test.each([
    ["407 No", "http://", "proxy_auth", "wants a user name and password (407)"],
    [
      "407 No",
      "http://me:hunter22@",
      "proxy_auth",
      "does not accept the user name and password (407)",
    ],
    ["502 Bad", "http://", "proxy_refused", "does not connect to service.test:443 (502)"],
    ["302 Found", "http://", "proxy_refused", "does not connect to service.test:443 (302)"],
    ["103 Early Hints", "http://", "proxy_refused", "does not connect to service.test:443 (103)"],
  ])("%s to CONNECT for %s is a refusal, once: %s", async (status, scheme, code, why) => {
    const proxy = await startProxyServer({
      onConnect: (socket) => socket.end(answer(status, "hunter22")),
    });
    const { send } = await posterTo("https://service.test", { https: scheme + proxy.host });
    for (const asked of [1, 2]) {
      const message = `the proxy ${proxy.host} ${why}`;
      expect(await send()).toEqual({ kind: "not_sent", code, message });
      expect(proxy.heads).toHaveLength(asked);
    }
  });

  test.each(["end", "resetAndDestroy"] as const)(
    "%s instead of an answer to CONNECT ends the attempt, and is not tried again",
    async (how) => {
      const proxy = await startProxyServer({ onConnect: (socket) => socket[how]() });
      const { send } = await posterTo("https://service.test", { https: `http://${proxy.host}` });
      expect(await send()).toMatchObject({ kind: "not_sent", code: "proxy_unreachable" });
      await wait(30);
      expect(proxy.heads).toHaveLength(1);
    },
  );

  test("is asked for by its address in brackets, where that is IPv6", async () => {
    const onConnect = (socket: Socket) => socket.end(answer("502 No"));
    const proxy = await startProxyServer({ onConnect });
    const { send } = await posterTo("https://[fd00::1]", { https: `http://${proxy.host}` });
    expect(await send()).toMatchObject({ code: "proxy_refused" });
    expect(proxy.heads[0]).toMatch(/^CONNECT \[fd00::1\]:443 HTTP.*\r\nhost: \[fd00::1\]:443/);
  });

  test.each([
    ["CONNECT goes unanswered", () => {}],
    [
      "the handshake goes unanswered",
      (socket: { write(text: string): void }) => socket.write("HTTP/1.1 200 OK\r\n\r\n"),
    ],
  ])("where %s the deadline holds, and the connection is given up", async (_, onConnect) => {
    const proxy = await startProxyServer({ onConnect });
    const { send, clock } = await posterTo("https://service.test", {
      https: `http://${proxy.host}`,
    });
    const attempt = send();
    while (proxy.heads.length === 0) await wait(1);
    await wait(20);
    clock.advance(deadlineMs);
    expect(await attempt).toMatchObject({ kind: "not_sent", code: "timeout" });
    while (proxy.open.size > 0) await wait(1);
    expect(clock.waiting).toBe(0);
  });

  test("what is not open yet is given up when the run ends", async () => {
    const proxy = await startProxyServer({ onConnect: () => {} });
    const { send, poster, clock } = await posterTo("https://service.test", {
      https: `http://${proxy.host}`,
    });
    const attempt = send();
    while (proxy.heads.length === 0) await wait(1);
    poster.cutOff();
    await poster.close();
    expect(await attempt).toMatchObject({ kind: "not_sent", code: "interrupted" });
    while (proxy.open.size > 0) await wait(1);
    expect(clock.waiting).toBe(0);
  });

  test("a tunnel that breaks when the request has left is unanswered", async () => {
    const service = await startSecureService((socket) => socket.destroy());
    const proxy = await startProxyServer();
    const { send } = await posterTo(`https://service.test:${service.port}`, {
      https: `http://${proxy.host}`,
    });
    expect(await send()).toMatchObject({ kind: "unanswered" });
    expect(service.requests).toHaveLength(1);
  });
});

test("a service on plain http behind a proxy is asked for in absolute form, over connections that are kept", async () => {
  const proxy = await startProxyServer({
    onRequest: (socket) => socket.write(answer("202 Accepted")),
  });
  const { send } = await posterTo("http://service.test:8080/x", {
    http: `http://user:pass@${proxy.host}`,
  });
  for (let n = 0; n < 3; n++) expect(await send("/x/v1")).toMatchObject({ httpStatus: 202 });
  expect(proxy.connections).toBe(1);
  const [head = ""] = proxy.heads;
  expect(head).toMatch(/^POST http:\/\/service\.test:8080\/x\/v1 HTTP\/1\.1\r\n/);
  expect(head).toContain("host: service.test:8080");
  expect(head).toContain("proxy-authorization: Basic dXNlcjpwYXNz");
  expect(head.match(/^host:/gim)).toHaveLength(1);
});
