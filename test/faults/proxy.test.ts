import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startProxyServer } from "../delivery/proxy-server.ts";
import { accepting, answer, startRawServer } from "../delivery/raw-server.ts";
import { scenario, testToken } from "../scenarios/scenario.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { expectUnreachable, rowsToImport } from "./import-rows.ts";
import { makeCertificate } from "./make-certificate.ts";

/** A proxy that answers so instead of letting anything through. */
function refusing(status: string) {
  const refuse = (socket: NodeJS.WritableStream) =>
    socket.end(answer(status, "not you", ['proxy-authenticate: Basic realm="the office"']));
  return { onConnect: refuse, onRequest: refuse };
}

type Environment = Readonly<Record<string, string>>;

async function importTo(baseUrl: string, env: Environment, ...args: string[]) {
  const rows = await rowsToImport(3, { EVENTLOAD_TOKEN: testToken, ...env });
  return rows.import(baseUrl, "--allow-http", ...args);
}

/** With small and with capital letters: programs differ in which they heed. */
const both = (name: string, value: string): Environment => ({
  [name.toLowerCase()]: value,
  [name.toUpperCase()]: value,
});

const through = (proxyHost: string) => ({
  ...both("http_proxy", `http://${proxyHost}`),
  ...both("https_proxy", `http://${proxyHost}`),
});

/** A name that only the proxy knows. It is never used for what is on this machine. */
const [secureUrl, plainUrl] = ["https://service.invalid", "http://service.invalid"];

test.each([secureUrl, plainUrl])(
  "a proxy that answers 407 stops the run with a clear sentence on the way to %s",
  async (baseUrl) => {
    const service = await startRawServer(accepting);
    const proxy = await startProxyServer(refusing("407 Proxy Authentication Required"));
    const { status, summary, stderr } = await importTo(baseUrl, through(proxy.host));
    expect(status).toBe(3);
    expect(summary).toMatchObject({
      ...{ succeeded: 0, rejected: 0, failed: 0, unknown: 0, not_sent: 3, unanswered: 0 },
      ...{ attempts: 1, results: null },
    });
    expect(stderr).toMatch(/proxy.*407|407.*proxy/i);
    expect(service.connections).toBe(0);
    expect(proxy.heads).toHaveLength(1);
    expect(stderr).not.toContain(testToken);
  },
);

test("a proxy that cannot reach the service: nothing has left", async () => {
  const proxy = await startProxyServer(refusing("502 Bad Gateway"));
  const imported = await importTo(secureUrl, through(proxy.host), "--max-attempts", "2");
  expectUnreachable(imported, 2);
  // A name is the proxy's to look up.
  const asked = expect.stringMatching(/^CONNECT service\.invalid:443 /);
  expect(proxy.heads).toEqual([asked, asked]);
});

test.each([secureUrl, plainUrl])(
  "a proxy that is not there: nothing goes around it to %s",
  async (baseUrl) => {
    const gone = await startRawServer({});
    await gone.close();
    const env = through(new URL(gone.origin).host);
    const imported = await importTo(baseUrl, env, "--max-attempts", "2");
    expectUnreachable(imported, 2);
    expect(imported.stderr).toMatch(/proxy/i);
  },
);

describe("a proxy that lets through", () => {
  test("carries a service that speaks TLS, and sees neither token nor rows", async () => {
    const certificate = makeCertificate({ commonName: "Service", hosts: ["service.invalid"] });
    const service = await startRawServer(accepting, { certificate });
    const proxy = await startProxyServer({ servicePort: portOf(service.origin) });
    // As a process of its own, once: the environment is the process's.
    const { eventload, folder } = await scenario("plain");
    writeFileSync(join(folder, "ca.pem"), certificate.cert);
    const env = through(`someone:pr0xy-secret@${proxy.host}`);
    const input = ["people.csv", "--mapping", "people.yaml", "--json"];
    const { status, stdout, stderr } = await eventload(
      ["import", ...input, "--base-url", secureUrl, "--ca-file", "ca.pem", "--concurrency", "1"],
      { env },
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ succeeded: 3, attempts: 3, unanswered: 0 });
    expect(service.requests).toHaveLength(3);
    expect(service.connections).toBe(1);
    expect(proxy.heads).toHaveLength(1);
    const [head = ""] = proxy.heads;
    expect(head).toMatch(/^CONNECT service\.invalid:443 /);
    expect(head).not.toMatch(/^authorization:/im);
    expect(head).toContain(`proxy-authorization: Basic ${btoa("someone:pr0xy-secret")}`);
    // Nor does the service see what is meant for the proxy, or anybody what is secret.
    for (const { head } of service.requests) expect(head).not.toMatch(/^proxy-authorization:/im);
    expect(`${stdout}${stderr}${allFilesIn(folder)}`).not.toContain("pr0xy-secret");
  });

  test("does not make up for a certificate of another host", async () => {
    const certificate = makeCertificate({ commonName: "Service", hosts: ["other.invalid"] });
    const service = await startRawServer(accepting, { certificate });
    const proxy = await startProxyServer({ servicePort: portOf(service.origin) });
    const ca = join(await temporaryFolder(), "ca.pem");
    writeFileSync(ca, certificate.cert);
    const imported = await importTo(secureUrl, through(proxy.host), "--ca-file", ca);
    expectUnreachable(imported, 1);
    expect(imported.stderr).toContain("No secure connection to service.invalid");
    expect(service.requests).toEqual([]);
  });
});

test("the name of a variable in small letters takes precedence", async () => {
  const asked = refusing("407 Proxy Authentication Required");
  const [small, capital] = [await startProxyServer(asked), await startProxyServer(asked)];
  const env = { http_proxy: `http://${small.host}`, HTTP_PROXY: `http://${capital.host}` };
  await importTo(plainUrl, env);
  expect([small.connections, capital.connections]).toEqual([1, 0]);
});

describe("no proxy is asked", () => {
  test("for what NO_PROXY names", async () => {
    const proxy = await startProxyServer(refusing("407 Proxy Authentication Required"));
    const env = {
      ...through(proxy.host),
      ...both("no_proxy", "other.example,service.invalid"),
    };
    const { status, stderr } = await importTo(secureUrl, env);
    expect(status).toBe(3);
    expect(stderr).toContain("There is no host service.invalid");
    expect(proxy.connections).toBe(0);
  });

  test("for this machine, to which the token may go in plain", async () => {
    const service = await startRawServer(accepting);
    const proxy = await startProxyServer(refusing("407 Proxy Authentication Required"));
    expect((await importTo(service.origin, through(proxy.host))).status).toBe(0);
    expect(service.requests).toHaveLength(3);
    expect(proxy.connections).toBe(0);
  });
});

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}

function allFilesIn(folder: string): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
}
