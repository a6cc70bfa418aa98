import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SandboxState } from "./request-log.ts";

const types: Record<string, string> = {
  "index.html": "text/html",
  "page.css": "text/css",
  "page.js": "text/javascript",
};

/** Two above this module, and two above each file of `dist` that may hold it. */
const folder = new URL("../../dist/sandbox/", import.meta.url);

const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
};

/**
 * Serves the page and what it shows, `/state.json`. These are not requests to the service, so they are not
 * counted.
 *
 * @returns whether the request is for one of them
 */
export function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  stateOf: (find: string) => SandboxState,
): boolean {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const file = path === "/" ? "index.html" : path.slice(1);
  if (request.method !== "GET" || !(file === "state.json" || Object.hasOwn(types, file)))
    return false;

  const send = (status: number, type: string, text: string) => {
    response.writeHead(status, { ...headers, "Content-Type": `${type}; charset=utf-8` });
    response.end(text);
  };
  if (isForeign(request)) {
    send(403, "text/plain", "The page opens under 127.0.0.1 or localhost only.\n");
  } else if (file === "state.json") {
    const find = new URLSearchParams(query).get("find") ?? "";
    send(200, "application/json", JSON.stringify(stateOf(find)));
  } else {
    readFile(new URL(file, folder), "utf8").then(
      (text) => send(200, types[file]!, text),
      () =>
        send(500, "text/plain", "The files of the page are missing: npm run build makes them.\n"),
    );
  }
  return true;
}

/**
 * Whether another site asks through the browser of whoever runs the sandbox: under a name that it lets point
 * here, or from a page of its own.
 */
function isForeign({ headers, socket }: IncomingMessage): boolean {
  const own = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  if (!own.includes(headers.host ?? "")) return true;
  return !["none", "same-origin", undefined].includes(headers["sec-fetch-site"] as string);
}
