import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Certificates (RFC 5280) made on the spot, as none that is committed stays valid, and openssl is
 * not on every machine. Elliptic keys, as they are made in no time.
 */
export interface Certificate {
  /** PEM, for a server. */
  readonly key: string;
  readonly cert: string;
}

export interface CertificateSettings {
  readonly commonName: string;
  /** Who signs it; itself where there is none. */
  readonly issuer?: { readonly commonName: string; readonly certificate: Certificate };
  readonly isAuthority?: boolean;
  readonly hosts?: readonly string[];
  /** For how long it is valid, from now; default 1. It has been valid for a month by then. */
  readonly days?: number;
}

const dayMs = 86_400_000;
let serial = 1000;

export function makeCertificate(settings: CertificateSettings): Certificate {
  const { commonName, issuer, isAuthority = false, hosts = [], days = 1 } = settings;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer: KeyObject =
    issuer === undefined ? privateKey : createPrivateKey(issuer.certificate.key);

  const content = sequence(
    explicit(0, integer(2)), // version 3
    integer(serial++),
    ecdsaWithSha256,
    name(issuer?.commonName ?? commonName),
    sequence(time(Date.now() - 30 * dayMs), time(Date.now() + days * dayMs)),
    name(commonName),
    publicKey.export({ type: "spki", format: "der" }),
    explicit(
      3,
      sequence(
        ...(isAuthority ? [extension("551d13", sequence(der(0x01, Buffer.from([0xff]))))] : []),
        ...(hosts.length > 0 ? [extension("551d11", sequence(...hosts.map(alternativeName)))] : []),
      ),
    ),
  );
  const signature = sign("sha256", content, signer);
  const whole = sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
  };
}

/** DER (X.690): a tag, a length and what is in it. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const explicit = (number: number, part: Buffer) => der(0xa0 + number, part);
const integer = (value: number) =>
  der(0x02, Buffer.from(value < 0x80 ? [value] : [value >> 8, value & 0xff]));
const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"));

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));

/** A name of nothing but 2.5.4.3, the common name. */
const name = (commonName: string) =>
  sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(commonName)))));

/** UTCTime, which is for years until 2049. */
const time = (ms: number) =>
  der(0x17, Buffer.from(new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")), zulu);
const zulu = Buffer.from("Z");

const extension = (id: string, value: Buffer) => sequence(identifier(id), der(0x04, value));

const alternativeName = (host: string) =>
  /^[\d.]+$/.test(host)
    ? der(0x87, Buffer.from(host.split(".").map(Number)))
    : der(0x82, Buffer.from(host));

const commonName = "Private Authority";
export const authority = makeCertificate({ commonName, isAuthority: true });

/** A certificate from an authority that nobody knows. */
export const identity = makeCertificate({
  ...{ commonName: "Service", hosts: ["service.test", "localhost", "127.0.0.1"] },
  issuer: { commonName, certificate: authority },
});

/** The authority in a file, which goes with the other files of the tests. */
export const authorityFile = join(mkdtempSync(join(tmpdir(), "eventload-ca-")), "authority.pem");
writeFileSync(authorityFile, authority.cert);
