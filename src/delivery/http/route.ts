import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as tls from "node:tls";
import { refuseForeign } from "../../model/disk/refuse-foreign.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { ProxySettings } from "../../model/proxy-settings.ts";
import { chooseProxy, type HttpProxy } from "./proxy.ts";

export interface Route {
  /** Undefined if the service is reached directly. */
  readonly proxy?: HttpProxy;
  /** Undefined if only the usual certificate authorities are trusted. */
  readonly secureContext?: tls.SecureContext;
}

/** @throws CannotStartError if the proxy or the certificates cannot be used */
export async function findRoute(
  { origin }: Endpoint,
  proxies: ProxySettings = {},
  caFiles: readonly string[] = [],
): Promise<Route> {
  const proxy = chooseProxy(origin, proxies);
  return {
    ...(proxy === undefined ? {} : { proxy }),
    ...(caFiles.length === 0 ? {} : { secureContext: await trustAlso(caFiles) }),
  };
}

/** Trusts the certificates of files in addition to those that Node trusts by itself. @throws CannotStartError */
async function trustAlso(paths: readonly string[]): Promise<tls.SecureContext> {
  const added = await Promise.all(paths.map(readCertificates));
  // One for all connections, as it takes long to read some 150 certificates.
  return tls.createSecureContext({ ca: [...usualRoots(), ...added.flat()] });
}

/**
 * `ca` replaces the usual roots, so it has to include them. From Node 22.15 on, these include the roots that Node's
 * flags and NODE_EXTRA_CA_CERTS add.
 */
function usualRoots(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: "default") => string[] };
  return getCACertificates?.("default") ?? tls.rootCertificates;
}

const certificateBlock =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END [A-Z0-9 ]*-----/g;

async function readCertificates(path: string): Promise<string[]> {
  const refuse = (why: string) => cannotStart("ca_file_invalid", path, why);
  const itself = await refuseForeign(path, "The certificate file");
  const bytes = await readFile(itself).catch((error: unknown) => {
    throw refuse(reasonOf(error));
  });
  const text = bytes.toString("latin1");
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw refuse(
      "it holds a private key; leave the certificates alone in it, and keep the key safe",
    );
  }
  const blocks = text.match(certificateBlock) ?? [];
  if (blocks.length === 0) {
    throw refuse(
      "there is no -----BEGIN CERTIFICATE----- in it; if it is in DER: openssl x509 -inform der -in FILE -out FILE.pem",
    );
  }
  const broken = blocks.findIndex((block) => !isCertificate(block));
  if (broken >= 0) throw refuse(`certificate ${broken + 1} in it is damaged; get the file again`);
  return blocks;
}

function isCertificate(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
