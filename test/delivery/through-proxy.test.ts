import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { deadlineMs } from "../fake-clock.ts";
import { authorityFile, identity } from "../faults/make-certificate.ts";
import { posterTo } from "./poster-under-test.ts";
import { type ProxyServer, startProxyServer } from "./proxy-server.ts";
import { accepting, answer, type RawBehaviour, startRawServer } from "./raw-server.ts";

const caFiles = [authorityFile];

/** A service on https; as far as its port goes, whatever host it is asked for. */
async function startSecureService(behaviour: RawBehaviour = accepting) {
  const server = await startRawServer(behaviour, { certificate: identity });
  return { requests: server.requests, url: `https://service.test:${new URL(server.origin).port}` };
}

/** Attempts at a service on https, by way of a proxy. */
const through = ({ host }: ProxyServer, baseUrl = "https://service.test", connections = 1) =>
  posterTo(baseUrl, { proxies: { https: `http://${host}` }, caFiles, connections });

describe("a service on https behind a proxy", () => {
  test("is reached also where the proxy speaks TLS itself", async () => {
    const service = await startSecureService();
    const proxy = await startProxyServer({ isSecure: true });
    const proxies = { https: `https://${proxy.host}` };
    const { send } = await posterTo(service.url, { proxies, caFiles });
    expect(await send()).toMatchObject({ kind: "answered", httpStatus: 202 });
    const distrustful = await posterTo(service.url, { proxies });
    expect(await distrustful.send()).toMatchObject({
      kind: "not_sent",
      code: "proxy_unreachable",
      message: expect.stringContaining(`no connection to the proxy ${proxy.host}: `),
    });
  });

  test("never has more tunnels than connections", async () => {
    const service = await startSecureService();
    const proxy = await startProxyServer();
    const { send } = await through(proxy, service.url, 3);
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(service.requests).toHaveLength(20);
    expect(proxy.connections).toBe(3);
  });

  test.each([
    ["407 No", "", "proxy_auth", "wants a user name and password (407)"],
    ["407 No", "me:hunter22@", "proxy_auth", "does not accept the user name and password (407)"],
    ["502 Bad", "", "proxy_refused", "does not connect to service.test:443 (502)"],
    ["302 Found", "", "proxy_refused", "does not connect to service.test:443 (302)"],
    ["103 Early Hints", "", "proxy_refused", "does not connect to service.test:443 (103)"],
  ])("%s to CONNECT for %j is a refusal, once: %s", async (status, user, code, why) => {
    const proxy = await startProxyServer({
      onConnect: (socket) => socket.end(answer(status, "hunter22")),
    });
    const { send } = await through({ ...proxy, host: user + proxy.host });
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
      const { send } = await through(proxy);
      expect(await send()).toMatchObject({ kind: "not_sent", code: "proxy_unreachable" });
      await wait(30);
      expect(proxy.heads).toHaveLength(1);
    },
  );

  test("is asked for by its address in brackets, where that is IPv6", async () => {
    const onConnect = (socket: Socket) => socket.end(answer("502 No"));
    const proxy = await startProxyServer({ onConnect });
    const { send } = await through(proxy, "https://[fd00::1]");
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
    const { send, clock } = await through(proxy);
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
    const { send, cutOff, close, clock } = await through(proxy);
    const attempt = send();
    while (proxy.heads.length === 0) await wait(1);
    cutOff();
    await close();
    expect(await attempt).toMatchObject({ kind: "not_sent", code: "interrupted" });
    while (proxy.open.size > 0) await wait(1);
    expect(clock.waiting).toBe(0);
  });

  test("a tunnel that breaks when the request has left is unanswered", async () => {
    const service = await startSecureService({ onRequest: (socket) => socket.destroy() });
    const { send } = await through(await startProxyServer(), service.url);
    expect(await send()).toMatchObject({ kind: "unanswered" });
    expect(service.requests).toHaveLength(1);
  });
});

test("a service on plain http behind a proxy is asked for in absolute form, over connections that are kept", async () => {
  const proxy = await startProxyServer(accepting);
  const proxies = { http: `http://user:pass@${proxy.host}` };
  const { send } = await posterTo("http://service.test:8080/x", { proxies });
  for (let n = 0; n < 3; n++) expect(await send("/x/v1")).toMatchObject({ httpStatus: 202 });
  expect(proxy.connections).toBe(1);
  const [head = ""] = proxy.heads;
  expect(head).toMatch(/^POST http:\/\/service\.test:8080\/x\/v1 HTTP\/1\.1\r\n/);
  expect(head).toContain("host: service.test:8080");
  expect(head).toContain("proxy-authorization: Basic dXNlcjpwYXNz");
  expect(head.match(/^host:/gim)).toHaveLength(1);
});
