import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, type RawServer, startRawServer } from "../delivery/raw-server.ts";
import { type Ended, type Scenario, scenario } from "../scenarios/scenario.ts";
import { type Certificate, type CertificateSettings, makeCertificate } from "./make-certificate.ts";

/** As a process of its own: which authorities Node trusts is settled as it begins. */

const authority = makeCertificate({ commonName: "Private Authority", isAuthority: true });
const issuer = { commonName: "Private Authority", certificate: authority };
const good: CertificateSettings = { commonName: "Service", hosts: ["127.0.0.1"], issuer };

async function startTlsService(certificate: Certificate): Promise<RawServer> {
  return startRawServer(
    { onRequest: (socket) => socket.write(answer("202 Accepted")) },
    { certificate },
  );
}

/** A folder with an input, and the authority's certificate in `ca.pem`. */
async function folderWithAuthority(): Promise<Scenario> {
  const folder = await scenario("plain");
  await writeFile(join(folder.folder, "ca.pem"), authority.cert);
  return folder;
}

function importTo(
  { eventload }: Scenario,
  baseUrl: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return eventload(
    [
      ...["import", "people.csv", "--mapping", "people.yaml", "--base-url", baseUrl],
      ...["--json", ...args],
    ],
    { env },
  );
}

/** One attempt at most, and nothing that a stranger could read. */
function expectStopped({ status, stdout, stderr }: Ended, server: RawServer, why: RegExp): void {
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ exit_reason: "unreachable", succeeded: 0, not_sent: 3, attempts: 1, unanswered: 0 },
    results: null,
  });
  expect(stderr).toMatch(why);
  expect(server.connections).toBe(1);
  expect(server.requests).toEqual([]);
}

describe("a private authority", () => {
  test("is trusted with --ca-file", async () => {
    const server = await startTlsService(makeCertificate(good));
    const folder = await folderWithAuthority();
    const { status, stdout } = await importTo(folder, server.origin, ["--ca-file", "ca.pem"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ succeeded: 3, attempts: 3, unanswered: 0 });
    expect(server.requests).toHaveLength(3);
  });

  test("is not trusted without, and the run stops before anything leaves", async () => {
    const server = await startTlsService(makeCertificate(good));
    const ended = await importTo(await folderWithAuthority(), server.origin, []);
    expectStopped(
      ended,
      server,
      /No secure connection to 127\.0\.0\.1:\d+: .*(certificate|issuer)/,
    );
  });

  test("is not trusted because of another one in --ca-file", async () => {
    const server = await startTlsService(makeCertificate(good));
    const folder = await scenario("plain");
    const other = makeCertificate({ commonName: "Private Authority", isAuthority: true });
    await writeFile(join(folder.folder, "ca.pem"), other.cert);
    const ended = await importTo(folder, server.origin, ["--ca-file", "ca.pem"]);
    expectStopped(ended, server, /No secure connection to/);
  });

  test.each([
    ["is not there", "absent.pem"],
    ["holds no certificate", "people.csv"],
  ])("cannot be read from a --ca-file that %s: nothing is sent", async (_, file) => {
    const server = await startTlsService(makeCertificate(good));
    const folder = await folderWithAuthority();
    const { status, stderr } = await importTo(folder, server.origin, ["--ca-file", file]);
    expect(status).toBe(2);
    expect(stderr).toContain(file);
    expect(server.connections).toBe(0);
  });
});

describe("a certificate that is not to be trusted stops the run before anything leaves", () => {
  test.each<[string, CertificateSettings, RegExp]>([
    ["expired", { ...good, days: -1 }, /certificate has expired/],
    ["for another host", { ...good, hosts: ["other.example"] }, /127\.0\.0\.1 is not in the cert/],
    ["signed by itself", { commonName: "Service", hosts: ["127.0.0.1"] }, /self-signed/],
  ])("%s", async (_, settings, why) => {
    const server = await startTlsService(makeCertificate(settings));
    const folder = await folderWithAuthority();
    const trusted = { NODE_EXTRA_CA_CERTS: join(folder.folder, "ca.pem") };
    expectStopped(await importTo(folder, server.origin, [], trusted), server, why);
  });

  test("nor does a switch of Node's turn that off", async () => {
    const server = await startTlsService(makeCertificate({ ...good, days: -1 }));
    const folder = await folderWithAuthority();
    const ended = await importTo(folder, server.origin, [], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expectStopped(ended, server, /No secure connection to/);
  });
});
