import { BlockList, isIP } from "node:net";
import { isLoopback } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import type { ProxySettings } from "../../model/proxy-settings.ts";

/** A proxy that applies to the service. */
export interface HttpProxy {
  readonly origin: string;
  /** The proxy's name in messages. */
  readonly host: string;
  /** Value of `Proxy-Authorization`. */
  readonly authorization?: string;
  /** What must not be shown of it. */
  readonly secrets: readonly string[];
}

/**
 * Finds the proxy for a service. A service on this machine gets none: plain http is allowed there because the token
 * does not leave the machine.
 *
 * @throws CannotStartError if the proxy that applies cannot be used
 */
export function chooseProxy(origin: string, settings: ProxySettings): HttpProxy | undefined {
  const target = new URL(origin);
  const isSecure = target.protocol === "https:";
  const given = (isSecure ? settings.https : settings.http)?.trim() ?? "";
  if (given === "" || isLoopback(target.hostname)) return undefined;
  if (isExempt(target, settings.no ?? "")) return undefined;
  return parseProxy(given, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
}

function parseProxy(given: string, variable: string): HttpProxy {
  // The error repeats nothing of the text, which may hold a password.
  const refuse = (why: string) => cannotStart("proxy_invalid", variable, why);
  // Many write `proxy:3128`.
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(text)) throw refuse("it is not a URL");
  const { protocol, origin, host, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") {
    throw refuse(`a proxy of kind ${protocol.slice(0, -1)} is not supported`);
  }
  if (username === "" && password === "") return { origin, host, secrets: [] };
  let credentials: readonly [string, string];
  try {
    credentials = [decodeURIComponent(username), decodeURIComponent(password)];
  } catch {
    throw refuse("a % in its user name or password has to be written %25");
  }
  const encoded = Buffer.from(credentials.join(":")).toString("base64");
  const secrets = [encoded, credentials[1]].filter((secret) => secret !== "");
  return { origin, host, authorization: `Basic ${encoded}`, secrets };
}

/**
 * Whether NO_PROXY names a host: `*`, `example.com` (and its subdomains, also with a dot or `*.` in front), an
 * address, or a network such as `10.0.0.0/8`, each with a port or without.
 */
function isExempt({ protocol, hostname, port }: URL, list: string): boolean {
  const host = withoutBrackets(hostname.toLowerCase());
  const targetPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return list.split(/[\s,]+/).some((given) => {
    const entry = given.toLowerCase();
    if (entry === "") return false;
    if (entry === "*") return true;
    if (entry.includes("/")) return isInNetwork(host, entry);
    const [, name = entry, entryPort] =
      isIP(entry) === 6 ? [] : (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []);
    if (entryPort !== undefined && entryPort !== targetPort) return false;
    const domain = withoutBrackets(name).replace(/^\*?\./, "");
    return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
  });
}

function isInNetwork(host: string, network: string): boolean {
  const [address = "", bits = ""] = network.split("/");
  const [family, ofHost] = [isIP(withoutBrackets(address)), isIP(host)];
  const maxBits = family === 6 ? 128 : 32;
  if (family === 0 || family !== ofHost || !/^\d+$/.test(bits) || Number(bits) > maxBits)
    return false;
  const kind = family === 6 ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(withoutBrackets(address), Number(bits), kind);
  return list.check(host, kind);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
