import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { accepting, type RawServer, startRawServer } from "../delivery/raw-server.ts";
import { scenario } from "../scenarios/scenario.ts";
import {
  expectUnreachable,
  type Imported,
  type RowsToImport,
  rowsToImport,
} from "./import-rows.ts";
import {
  authority,
  type Certificate,
  type CertificateSettings,
  makeCertificate,
} from "./make-certificate.ts";

const issuer = { commonName: "Private Authority", certificate: authority };
const good: CertificateSettings = { commonName: "Service", hosts: ["127.0.0.1"], issuer };

const startTlsService = (certificate: Certificate) => startRawServer(accepting, { certificate });

/** A folder with an input, and a certificate in `ca.pem`. */
async function rowsBeside(certificate: Certificate): Promise<RowsToImport> {
  const rows = await rowsToImport(3);
  writeFileSync(rows.path("ca.pem"), certificate.cert);
  return rows;
}

/** One attempt at most, and nothing that a stranger could read. */
function expectStopped(imported: Omit<Imported, "lines">, server: RawServer, why: RegExp): void {
  expectUnreachable(imported, 1);
  expect(imported.stderr).toMatch(why);
  expect(server.connections).toBe(1);
  expect(server.requests).toEqual([]);
}

describe("a private authority", () => {
  test("is not trusted without, and the run stops before anything leaves", async () => {
    const server = await startTlsService(makeCertificate(good));
    const imported = await (await rowsToImport(3)).import(server.origin);
    expectStopped(
      imported,
      server,
      /No secure connection to 127\.0\.0\.1:\d+: .*(certificate|issuer)/,
    );
  });

  test.each([
    ["is not there", "absent.pem"],
    ["holds no certificate", "rows.csv"],
  ])("cannot be read from a --ca-file that %s: nothing is sent", async (_, file) => {
    const server = await startTlsService(makeCertificate(good));
    const rows = await rowsToImport(3);
    const { status, stderr } = await rows.import(server.origin, "--ca-file", rows.path(file));
    expect(status).toBe(2);
    expect(stderr).toContain(file);
    expect(server.connections).toBe(0);
  });
});

const distrusted: [string, CertificateSettings, RegExp][] = [
  ["expired", { ...good, days: -1 }, /certificate has expired/],
  ["for another host", { ...good, hosts: ["other.example"] }, /127\.0\.0\.1 is not in the cert/],
  ["signed by itself", { commonName: "Service", hosts: ["127.0.0.1"] }, /self-signed/],
];

describe("a service is reached", () => {
  const selfSigned = makeCertificate({ commonName: "Service", hosts: ["127.0.0.1"] });

  test("with a certificate that it signed itself, if that is given", async () => {
    const server = await startTlsService(selfSigned);
    const rows = await rowsBeside(selfSigned);
    const imported = await rows.import(server.origin, "--ca-file", rows.path("ca.pem"));
    expect(imported.status).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  test("with one of an authority that Node trusts, if another is given", async () => {
    const server = await startTlsService(makeCertificate(good));
    const { program, folder } = await scenario("plain");
    writeFileSync(join(folder, "ours.pem"), authority.cert);
    writeFileSync(join(folder, "other.pem"), selfSigned.cert);
    const { status } = await program(
      `import people.csv --mapping people.yaml --base-url ${server.origin} --ca-file other.pem`,
      { env: { NODE_EXTRA_CA_CERTS: join(folder, "ours.pem") } },
    );
    expect(status).toBe(0);
  });
});

describe("a certificate that is not to be trusted stops the run before anything leaves", () => {
  test.each(distrusted)("%s", async (_, settings, why) => {
    const server = await startTlsService(makeCertificate(settings));
    const rows = await rowsBeside(authority);
    const imported = await rows.import(server.origin, "--ca-file", rows.path("ca.pem"));
    expectStopped(imported, server, why);
  });

  /** As a process of its own: what Node trusts of itself is settled as it begins. */
  test.each([
    ["of an authority that Node trusts", "NODE_EXTRA_CA_CERTS", "ca.pem", /has expired/],
    ["and no switch of Node's turns that off", "NODE_TLS_REJECT_UNAUTHORIZED", "0", /No secure/],
  ])("expired, %s", async (_, name, value, why) => {
    const server = await startTlsService(makeCertificate({ ...good, days: -1 }));
    const { eventload, folder } = await scenario("plain");
    writeFileSync(join(folder, "ca.pem"), authority.cert);
    const args = ["import", "people.csv", "--mapping", "people.yaml", "--json"];
    const env = { [name]: value === "0" ? value : join(folder, value) };
    const ended = await eventload([...args, "--base-url", server.origin], { env });
    const summary = JSON.parse(ended.stdout);
    expectStopped({ ...ended, status: ended.status ?? -1, summary }, server, why);
  });
});

describe("the wrong scheme", () => {
  test("http to a port of https says what to do, and so does the import that is fixed", async () => {
    const server = await startTlsService(makeCertificate(good));
    const rows = await rowsBeside(authority);
    const wrong = server.origin.replace("https:", "http:");
    const { status, stderr } = await rows.import(wrong, "--max-attempts", "1");
    expect(status).toBe(3);
    expect(stderr).toMatch(/Does it speak https\? .*if it is wrong, .*other --results, or move/);

    const again = await rows.import(server.origin, "--ca-file", rows.path("ca.pem"));
    expect(again.status).toBe(2);
    expect(again.stderr).toMatch(/belongs to an unfinished run: resume it/);
  });

  test("https to a port of plain http is reported in one line", async () => {
    const server = await startRawServer({
      onConnection: (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    });
    const rows = await rowsToImport(3);
    const { stderr } = await rows.import(server.origin.replace("http:", "https:"));
    expect(stderr).toMatch(
      /^No secure connection to .*speak plain http: give http:\/\/ .*port\.$/m,
    );
    expect(stderr).not.toContain("ssl_");
  });
});
