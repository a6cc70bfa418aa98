import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { authorityFile, identity } from "../faults/make-certificate.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type Scenario, scenario } from "./scenario.ts";

const results = "out/people.results.csv";

const importPeople = (url: string, ...more: string[]) => [
  ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", url, "--results", results],
  ...more,
];

async function manifestOptions(place: Scenario) {
  return JSON.parse(await place.read("out/people.run.json")).options;
}

/** A service on https, which refuses the first event. */
async function startSecureService() {
  const server = await startRawServer(
    {
      onRequest: (socket) =>
        socket.write(answer(server.requests.length === 1 ? "422 No" : "202 Accepted")),
    },
    { certificate: identity },
  );
  return server;
}

describe("a service with a certificate of one's own authority", () => {
  it("is reached with --ca-file, which retry and resume know from then on", async () => {
    const service = await startSecureService();
    const place = await scenario("plain");
    const url = service.origin;
    const first = await place.program(importPeople(url, "--ca-file", authorityFile));
    expect(first).toMatchObject({ status: 1 });
    expect(service.requests).toHaveLength(3);
    expect(await manifestOptions(place)).toMatchObject({ ca_files: [authorityFile] });

    expect(await place.program(`retry ${results}`)).toMatchObject({ status: 0 });
    expect(service.requests).toHaveLength(4);

    const again = await scenario("plain");
    const run = again.start(importPeople(url, "--ca-file", authorityFile, "--rate", "1/s"));
    while (service.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    run.child.kill("SIGKILL");
    await run.ended;
    const resumed = await again.program(`resume ${results} --rate 100/s`);
    expect(resumed).toMatchObject({ status: 0 });
  });

  it("keeps what NODE_EXTRA_CA_CERTS adds, beside --ca-file", async () => {
    const service = await startSecureService();
    const place = await scenario("plain");
    const other = "/etc/ssl/none.pem";
    const env = { NODE_EXTRA_CA_CERTS: authorityFile };
    const url = service.origin;
    const wrong = await place.program(importPeople(url, "--ca-file", other), { env });
    expect(wrong).toMatchObject({ status: 2 });
    expect(wrong.stderr).toContain(`The certificates in ${other} cannot be used: there is no such`);
    const { rootCertificates } = await import("node:tls");
    await writeFile(join(place.folder, "public.pem"), rootCertificates[0] ?? "");
    const run = await place.program(importPeople(url, "--ca-file", "public.pem"), { env });
    expect(run).toMatchObject({ status: 1 });
    expect(service.requests).toHaveLength(3);
  });
});

it("the token from a file that others can read is warned about, once", async () => {
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
