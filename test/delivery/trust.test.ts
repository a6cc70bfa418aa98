import { X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import tls, { rootCertificates } from "node:tls";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { findRoute } from "../../src/delivery/http/route.ts";
import { parseBaseUrl } from "../../src/model/endpoint.ts";
import { authority, authorityFile, identity } from "../faults/make-certificate.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { posterTo } from "./poster-under-test.ts";
import { startProxyServer } from "./proxy-server.ts";
import { accepting, startRawServer } from "./raw-server.ts";
import { refusalOf } from "./refusal-of.ts";

const pem = authority.cert;

afterEach(() => vi.unstubAllEnvs());

async function sendTo(baseUrl: string, caFiles: readonly string[], https?: string) {
  const proxies = https === undefined ? {} : { https };
  const { send } = await posterTo(baseUrl, { proxies, caFiles });
  return send();
}

const startService = () => startRawServer(accepting, { certificate: identity });

const portOf = ({ origin }: { readonly origin: string }) => new URL(origin).port;

async function fileWith(text: string | Buffer): Promise<string> {
  const path = join(await temporaryFolder(), "ca.pem");
  await writeFile(path, text);
  return path;
}

describe("a service with a certificate from an authority of one's own", () => {
  test.each([
    ["alone", pem],
    ["among others", `# ours\n${rootCertificates[0]}\n\n${pem}\n${rootCertificates[1]}`],
    ["under its older name", pem.replaceAll(" CERTIFICATE", " X509 CERTIFICATE")],
    ["with line ends of Windows", pem.replaceAll("\n", "\r\n")],
  ])("is reached with a file that holds the authority %s", async (_, text) => {
    const service = await startService();
    const attempt = await sendTo(`https://localhost:${portOf(service)}`, [await fileWith(text)]);
    expect(attempt).toMatchObject({ kind: "answered", httpStatus: 202 });
  });

  test("is trusted beside the usual authorities, not in their place", async () => {
    const { createSecureContext } = tls;
    const trusted: unknown[] = [];
    tls.createSecureContext = (options) => {
      trusted.push(...[options?.ca ?? []].flat());
      return createSecureContext(options);
    };
    syncBuiltinESMExports();
    onTestFinished(() => {
      tls.createSecureContext = createSecureContext;
      syncBuiltinESMExports();
    });
    await findRoute(parseBaseUrl("https://service.test", false), {}, [authorityFile]);
    expect(trusted).toEqual(expect.arrayContaining([...rootCertificates, pem.trim()]));
  });

  test("is refused where the environment says that certificates do not matter", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const service = await startService();
    const proxy = await startProxyServer();
    const secureProxy = await startProxyServer({ isSecure: true });
    const attempts = [
      await sendTo(`https://localhost:${portOf(service)}`, []),
      await sendTo(`https://service.test:${portOf(service)}`, [], `http://${proxy.host}`),
      await sendTo(`https://service.test:${portOf(service)}`, [], `https://${secureProxy.host}`),
    ];
    expect(attempts.map(({ kind }) => kind)).toEqual(["not_sent", "not_sent", "not_sent"]);
    expect(service.requests).toEqual([]);
    expect(secureProxy.heads).toEqual([]);
  });
});

const key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n";

test.each<[string, string | Buffer, string]>([
  ["nothing", "", "there is no -----BEGIN CERTIFICATE----- in it"],
  ["garbage", "\u0000\u0001garbage", "there is no -----BEGIN CERTIFICATE----- in it"],
  ["a key", key, "it holds a private key; leave the certificates alone in it"],
  ["certificate and key", identity.cert + identity.key, "it holds a private key"],
  ["a damaged one", pem.replace(/[A-Za-z]{9}\n/, "\n"), "certificate 1 in it is"],
  ["a damaged second one", pem + pem.replace(/[A-Za-z]{9}\n/, "\n"), "certificate 2 in it is"],
  [
    "DER",
    new X509Certificate(pem).raw,
    "there is no -----BEGIN CERTIFICATE----- in it; if it is in DER: openssl",
  ],
])("a file that cannot be trusted with %s in it", async (_, text, why) => {
  const path = await fileWith(text);
  const endpoint = parseBaseUrl("https://example.com", false);
  const { code, message } = await refusalOf(() => findRoute(endpoint, {}, [path]));
  expect(code).toBe("ca_file_invalid");
  expect(message).toContain(`The certificates in ${path} cannot be used: ${why}`);
  expect(message).not.toContain("MHcCAQEE");
});
