import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startProxyServer } from "../delivery/proxy-server.ts";
import { startSecureService } from "../delivery/secure-service.ts";
import { startService } from "../delivery/service-under-test.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type RunOptions, type Scenario, scenario, testToken } from "./scenario.ts";

const authority = fileURLToPath(new URL("../delivery/certificates/authority.pem", import.meta.url));
const results = "out/people.results.csv";

const importPeople = (url: string, ...more: string[]) => [
  ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", url, "--results", results],
  ...more,
];

async function manifestOptions(place: Scenario) {
  return JSON.parse(await place.read("out/people.run.json")).options;
}

describe("a service with a certificate of one's own authority", () => {
  it("is reached with --ca-file, which retry and resume know from then on", async () => {
    const service = await startSecureService((response) =>
      response.writeHead(service.requests.length === 1 ? 422 : 202).end(),
    );
    const place = await scenario("plain");
    const url = `https://localhost:${service.port}`;
    const first = await place.program(importPeople(url, "--ca-file", authority));
    expect(first).toMatchObject({ status: 1 });
    expect(service.requests).toHaveLength(3);
    expect(await manifestOptions(place)).toMatchObject({ ca_files: [authority] });

    expect(await place.program(["retry", results])).toMatchObject({ status: 0 });
    expect(service.requests).toHaveLength(4);

    const again = await scenario("plain");
    const run = again.start(importPeople(url, "--ca-file", authority, "--rate", "1/s"));
    while (service.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    run.child.kill("SIGKILL");
    await run.ended;
    expect(await again.program(["resume", results])).toMatchObject({ status: 0 });
  });

  it("is refused without, whatever NODE_TLS_REJECT_UNAUTHORIZED says", async () => {
    const service = await startSecureService();
    const place = await scenario("plain");
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { status, stderr } = await place.program(
      importPeople(`https://localhost:${service.port}`),
      { env },
    );
    expect(status).toBe(3);
    expect(stderr).toContain(`No secure connection to localhost:${service.port}`);
    expect(service.requests).toEqual([]);
  });

  it("keeps what NODE_EXTRA_CA_CERTS adds, beside --ca-file", async () => {
    const service = await startSecureService();
    const place = await scenario("plain");
    const other = "/etc/ssl/none.pem";
    const env = { NODE_EXTRA_CA_CERTS: authority };
    const url = `https://localhost:${service.port}`;
    const wrong = await place.program(importPeople(url, "--ca-file", other), { env });
    expect(wrong).toMatchObject({ status: 2 });
    expect(wrong.stderr).toContain(`The certificates of ${other} cannot be used: there is no such`);
    const { rootCertificates } = await import("node:tls");
    await writeFile(join(place.folder, "public.pem"), rootCertificates[0] ?? "");
    const run = await place.program(importPeople(url, "--ca-file", "public.pem"), { env });
    expect(run).toMatchObject({ status: 0 });
  });
});

describe("a proxy from the environment", () => {
  it("is used, and its password is nowhere", async () => {
    const service = await startSecureService();
    const proxy = await startProxyServer();
    const place = await scenario("plain");
    const password = "hunter22";
    const env = { https_proxy: `http://me:${password}@${proxy.host}`, HTTPS_PROXY: "http://x" };
    const url = `https://service.test:${service.port}`;
    const { status, stdout, stderr } = await place.program(
      importPeople(url, "--ca-file", authority, "--json", "--log-file", "out.log"),
      { env },
    );
    expect(status).toBe(0);
    expect(service.requests).toHaveLength(3);
    expect(proxy.heads[0]).toContain("CONNECT service.test:");
    const encoded = Buffer.from(`me:${password}`).toString("base64");
    expect(proxy.heads[0]).toContain(encoded);
    for (const text of [stdout, stderr, ...(await textsIn(place.folder))]) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(encoded);
      expect(text).not.toContain(testToken);
    }
  });

  it("is left alone for what NO_PROXY names, and for this machine", async () => {
    const sandbox = await sandboxUnderTest();
    const proxy = await startProxyServer();
    const place = await scenario("plain");
    const env = { HTTP_PROXY: `http://${proxy.host}`, HTTPS_PROXY: "nonsense://", NO_PROXY: "x" };
    expect(await place.program(importPeople(sandbox.url), { env })).toMatchObject({ status: 0 });
    expect(proxy.connections).toBe(0);
  });

  it("that cannot be used ends with 2 and the variable's name", async () => {
    const place = await scenario("plain");
    const env = { HTTPS_PROXY: "socks5://me:hunter22@proxy.test" };
    const { status, stderr } = await place.program(importPeople("https://service.test"), { env });
    expect(status).toBe(2);
    expect(stderr).toContain("The proxy that HTTPS_PROXY names cannot be used: a proxy of kind");
    expect(stderr).not.toContain("hunter22");
  });
});

describe("the token", () => {
  it("comes from a command in its parts, which no shell sees", async () => {
    const sandbox = await sandboxUnderTest({ token: "to$(ken)" });
    const place = await scenario("plain");
    await writeFile(
      join(place.folder, "eventload.yaml"),
      "token_command: [printf, '%s', 'to$(ken)']\n",
    );
    const env: RunOptions = { env: { EVENTLOAD_TOKEN: "" } };
    expect(await place.program(importPeople(sandbox.url), env)).toMatchObject({ status: 0 });
  });

  it("from a file that others can read is warned about, once", async () => {
    const sandbox = await sandboxUnderTest();
    const place = await scenario("plain");
    const path = join(place.folder, "token");
    await writeFile(path, "a-token\n");
    await chmod(path, 0o644);
    const command = importPeople(sandbox.url, "--token-file", "token", "--log-file", "log");
    const { status, stderr } = await place.program(command);
    expect(status).toBe(0);
    const warning = "Others can read the token in token (mode 644): run chmod 600 token";
    expect(stderr.split(warning)).toHaveLength(2);
    expect((await place.read("log")).split(warning)).toHaveLength(2);
  });
});

describe("what statuses mean", () => {
  it("is kept for retry and resume, and may be said anew", async () => {
    const answers = [501, 409, 202, 410];
    const service = await startService(({ n }) => ({ status: answers[n] ?? 202 }));
    const place = await scenario("plain");
    await writeFile(
      join(place.folder, "eventload.yaml"),
      "statuses: { success: [2xx, 409], retry: 404, reject: [500-501, 429] }\n",
    );
    const run = await place.program(importPeople(service.url, "--concurrency", "1"));
    expect(run).toMatchObject({ status: 1 });
    const statuses = {
      success_statuses: "2xx,409",
      retry_statuses: "404",
      reject_statuses: "500-501,429",
    };
    expect(await manifestOptions(place)).toMatchObject(statuses);
    await writeFile(join(place.folder, "eventload.yaml"), "");
    await writeFile(join(place.folder, "again.yaml"), "statuses: { retry: 410 }\n");
    const retried = await place.program(["retry", results, "--config", "again.yaml"]);
    expect(retried).toMatchObject({ status: 0 });
    expect(service.receipts).toHaveLength(5);
    // The account keeps what they meant for the import.
    expect(await manifestOptions(place)).toMatchObject(statuses);
  });
});

async function textsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), "utf8")),
  );
}
