import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Lets only whoever has its address see a page that is served on 127.0.0.1.
 *
 * That interface keeps other machines away. Other users of this one, and pages of other sites in the same browser, are
 * kept away by the secret in the path, and by the headers that a browser does not let a page choose.
 */
export function createLocalPage(port: number) {
  const secret = randomBytes(24).toString("base64url");
  const host = `127.0.0.1:${port}`;
  const origin = `http://${host}`;

  /** Whether a request does not come from the page, or from somebody who typed its address. */
  function isForeign({ headers, method }: IncomingMessage): boolean {
    // A name that another site lets point here arrives with that name.
    if (headers.host !== host) return true;
    const isPost = method !== "GET" && method !== "HEAD";
    if (headers.origin !== origin && (headers.origin !== undefined || isPost)) return true;
    return !["none", "same-origin", undefined].includes(headers["sec-fetch-site"] as string);
  }

  return {
    /** The address, with the secret that opens the page. */
    url: `${origin}/${secret}/`,
    /** The path below the secret, without the query; undefined if the secret is missing, or the request was refused. */
    pathOf(request: IncomingMessage, response: ServerResponse): string | undefined {
      const [, given = "", ...rest] = (request.url ?? "").split("?", 1)[0]?.split("/") ?? [];
      if (given !== secret) return undefined;
      if (isForeign(request)) refuseRequest(response, 403);
      else if (rest.length === 0) refuseRequest(response, 307, { location: `/${secret}/` });
      else return rest.join("/");
      return undefined;
    },
  };
}

/** Refuses a request, and does not read the rest of it. */
export function refuseRequest(response: ServerResponse, status: number, more: object = {}): void {
  response.writeHead(status, { ...pageHeaders(), ...more, connection: "close" }).end();
}

/** The browser takes nothing from elsewhere, keeps nothing, and shows the page in no frame. */
export function pageHeaders(scripts = "'self'", styles = "'self'"): Record<string, string> {
  return {
    "content-security-policy": `default-src 'none'; script-src ${scripts}; style-src ${styles}; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}
