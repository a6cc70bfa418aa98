import { cannotStart } from "./errors.ts";
import { type LoadEvent, type Method, type Resource, resources } from "./event.ts";
import { textUnless } from "./value-types.ts";

/** Parsing a longer one can be slow: its host name may hold very many combining marks. */
const longestUrl = 2000;

export interface Endpoint {
  readonly origin: string;
  /** The whole base URL, without a slash at its end. */
  readonly baseUrl: string;
  path(resource: Resource): string;
}

export const serviceUrl = textUnless("url", whyNoBaseUrl);

/** Why a text cannot be a base URL, as the end of a sentence. */
function whyNoBaseUrl(baseUrl: string): string | undefined {
  if (baseUrl.length > longestUrl) return `it has more than ${longestUrl} characters`;
  if (!URL.canParse(baseUrl)) return "it is not a URL such as https://example.com/prefix";
  const url = new URL(baseUrl);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "it has to begin with https://, or with http:// for this machine";
  }
  if (url.username !== "" || url.password !== "") {
    return "it holds a user name or password, which the service does not use";
  }
  if (url.search !== "" || url.hash !== "") return "it has a ? or #; leave those out";
  const [endpoint] = endOfEndpoint.exec(url.pathname) ?? [];
  return endpoint && `leave out ${endpoint.replace(/\/+$/, "")}, which eventload adds`;
}

/**
 * Reads a base URL, which may carry a path prefix.
 *
 * @throws CannotStartError if it is no usable URL, or plain http to another machine
 */
export function parseBaseUrl(baseUrl: string, allowHttp: boolean): Endpoint {
  const why = whyNoBaseUrl(baseUrl);
  if (why !== undefined) throw cannotStart("base_url_invalid", withoutSecrets(baseUrl), why);
  const url = new URL(baseUrl);
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url.hostname)) {
    throw cannotStart("base_url_plain_http", withoutSecrets(baseUrl));
  }
  return endpointAt(url.origin, url.pathname.replace(/(?<!\/)\/+$/, ""));
}

/** @param prefix the path of the base URL, without a slash at its end */
export function endpointAt(origin: string, prefix: string): Endpoint {
  const paths = resources.map((resource) => [resource, `${prefix}/v1/${resource}/events`] as const);
  const byResource = new Map(paths);
  return {
    origin,
    baseUrl: origin + prefix,
    path: (resource) => byResource.get(resource) ?? "",
  };
}

/** What people leave at the end of a base URL. */
const endOfEndpoint = new RegExp(`/v1(?:/(?:${resources.join("|")})(?:/events)?)?/*$`);

/** Whether two base URLs are the same service, however they are written. */
export function isSameService(one: string, other: string): boolean {
  return asRead(one) === asRead(other);
}

function asRead(baseUrl: string): string {
  return whyNoBaseUrl(baseUrl) === undefined ? parseBaseUrl(baseUrl, true).baseUrl : baseUrl;
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** For messages: a user name or password, a query and a fragment may hold a secret. */
export function withoutSecrets(url: string): string {
  const parsed = url.length <= longestUrl && URL.canParse(url) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  const hasNoUser = isHttp && parsed.username === "" && parsed.password === "";
  // A password that was not escaped may itself hold an @ or a slash, so it ends at the last @.
  const end = url.lastIndexOf("@");
  const [scheme = ""] = /^https?:[\\/]*/i.exec(url) ?? [];
  const withoutUser = hasNoUser || end < 0 ? url : `${scheme}…${url.slice(end)}`;
  return withoutUser.replace(/([?#]).+$/s, "$1…");
}

export interface EventRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Builds requests; `check --row` shows exactly these. @param token the one in use, which may change */
export function createRequestBuilder(
  endpoint: Endpoint,
  token: { readonly authorization: string },
  idempotencyHeader: string | undefined,
): (event: LoadEvent, importedAt: string) => EventRequest {
  const withToken = (authorization: string) => ({
    authorization,
    "content-type": "application/json",
    "user-agent": "eventload",
  });
  let common = withToken(token.authorization);
  return (event, importedAt) => {
    if (common.authorization !== token.authorization) common = withToken(token.authorization);
    const headers =
      idempotencyHeader === undefined ? common : { ...common, [idempotencyHeader]: event.id };
    const { method, resource } = event;
    return { method, path: endpoint.path(resource), headers, body: event.body(importedAt) };
  };
}
