import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { type Scenario, scenario, testToken } from "../scenarios/scenario.ts";
import { makeCertificate } from "./make-certificate.ts";
import { startProxy } from "./start-proxy.ts";

/** As a process of its own, as the environment is the process's. */

const accept = { onRequest: (socket: NodeJS.WritableStream) => socket.write(answer("202 OK")) };

type Environment = Readonly<Record<string, string>>;

function importTo({ eventload }: Scenario, baseUrl: string, env: Environment, ...args: string[]) {
  return eventload(
    [
      ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", baseUrl],
      ...["--json", ...args],
    ],
    { env },
  );
}

/** With small and with capital letters: programs differ in which they heed. */
const both = (name: string, value: string): Environment => ({
  [name.toLowerCase()]: value,
  [name.toUpperCase()]: value,
});

const throughProxies = (httpUrl: string) => ({
  ...both("http_proxy", httpUrl),
  ...both("https_proxy", httpUrl),
});

describe("a proxy that answers 407 stops the run with a clear sentence", () => {
  test.each(["https", "http"])("to a service that speaks %s", async (protocol) => {
    const proxy = await startProxy("407 Proxy Authentication Required");
    const certificate = makeCertificate({ commonName: "Service", hosts: ["127.0.0.1"] });
    const service = await startRawServer(accept, protocol === "https" ? { certificate } : {});
    const folder = await scenario("plain");
    const env = throughProxies(`http://127.0.0.1:${proxy.port}`);
    const { status, stdout, stderr } = await importTo(folder, service.origin, env);
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ succeeded: 0, rejected: 0, failed: 0, unknown: 0, not_sent: 3, unanswered: 0 },
      ...{ attempts: 1, results: null },
    });
    expect(stderr).toMatch(/proxy.*407|407.*proxy/i);
    expect(service.connections).toBe(0);
    expect(proxy.asked).toHaveLength(1);
    expect(`${stdout}${stderr}`).not.toContain(testToken);
  });
});

test("a proxy that cannot reach the service: nothing has left", async () => {
  const proxy = await startProxy("502 Bad Gateway");
  const env = throughProxies(`http://127.0.0.1:${proxy.port}`);
  const args = ["--max-attempts", "2"];
  const folder = await scenario("plain");
  const { status, stdout } = await importTo(folder, "https://service.invalid", env, ...args);
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ exit_reason: "unreachable", not_sent: 3, attempts: 2, unanswered: 0 },
  });
  // A name is the proxy's to look up.
  expect(proxy.asked.map(({ line }) => line)).toEqual([
    "CONNECT service.invalid:443",
    "CONNECT service.invalid:443",
  ]);
});

test("a proxy that is not there: nothing goes around it", async () => {
  const gone = await startRawServer({});
  await gone.close();
  const service = await startRawServer(accept);
  const env = throughProxies(gone.origin);
  const args = ["--max-attempts", "2"];
  const { status, stdout } = await importTo(await scenario("plain"), service.origin, env, ...args);
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ exit_reason: "unreachable", unanswered: 0 });
  expect(service.connections).toBe(0);
});

describe("a proxy that lets through", () => {
  test("carries a service that speaks TLS, and sees neither token nor rows", async () => {
    const proxy = await startProxy();
    const certificate = makeCertificate({ commonName: "Service", hosts: ["127.0.0.1"] });
    const service = await startRawServer(accept, { certificate });
    const folder = await scenario("plain");
    await writeFile(join(folder.folder, "ca.pem"), certificate.cert);
    const env = throughProxies(`http://someone:pr0xy-secret@127.0.0.1:${proxy.port}`);
    const args = ["--ca-file", "ca.pem", "--concurrency", "1"];
    const { status, stdout, stderr } = await importTo(folder, service.origin, env, ...args);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ succeeded: 3, attempts: 3, unanswered: 0 });
    expect(service.requests).toHaveLength(3);
    expect(service.connections).toBe(1);
    expect(proxy.asked.map(({ line }) => line)).toEqual([
      `CONNECT ${new URL(service.origin).host}`,
    ]);
    for (const { headers } of proxy.asked) {
      expect(headers).not.toHaveProperty("authorization");
      expect(headers["proxy-authorization"]).toBe(`Basic ${btoa("someone:pr0xy-secret")}`);
    }
    // Nor does the service see what is meant for the proxy, or anybody what is secret.
    for (const { head } of service.requests) expect(head).not.toMatch(/^proxy-authorization:/im);
    expect(`${stdout}${stderr}${await allFilesIn(folder.folder)}`).not.toContain("pr0xy-secret");
  });

  test("carries a service that speaks plain http", async () => {
    const proxy = await startProxy();
    const service = await startRawServer(accept);
    const env = throughProxies(`http://127.0.0.1:${proxy.port}`);
    const { status } = await importTo(await scenario("plain"), service.origin, env);
    expect(status).toBe(0);
    expect(service.requests).toHaveLength(3);
    expect(proxy.asked.length).toBeGreaterThan(0);
  });

  test("is left aside for what NO_PROXY names", async () => {
    const proxy = await startProxy("407 Proxy Authentication Required");
    const service = await startRawServer(accept);
    const env = {
      ...throughProxies(`http://127.0.0.1:${proxy.port}`),
      ...both("no_proxy", "other.example,127.0.0.1"),
    };
    const { status } = await importTo(await scenario("plain"), service.origin, env);
    expect(status).toBe(0);
    expect(service.requests).toHaveLength(3);
    expect(proxy.connections).toBe(0);
  });
});

async function allFilesIn(folder: string): Promise<string> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.join("\n");
}
