import type { IncomingHttpHeaders } from "node:http";
import type { Resource } from "./check-head.ts";

// Credentials, and what describes the connection or the body's form rather than the event.
const LEFT_OUT = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-type",
  "user-agent",
  "expect",
]);

/**
 * One line of the record file. The body goes in as it was sent, so that numbers keep their digits
 * and members their order.
 */
export function recordLine(
  n: number,
  resource: Resource,
  bodyText: string,
  headers: IncomingHttpHeaders,
): string {
  // JSON allows a raw line break between tokens only, where a space means the same.
  const body = /[\r\n]/.test(bodyText) ? bodyText.replace(/[\r\n]/g, " ") : bodyText;
  return `{"n":${n},"resource":"${resource}","body":${body},"headers":${keptHeaders(headers)}}\n`;
}

function keptHeaders(headers: IncomingHttpHeaders): string {
  let members = "";
  for (const name in headers) {
    if (LEFT_OUT.has(name) || name.startsWith("accept")) continue;
    if (members !== "") members += ",";
    members += `${JSON.stringify(name)}:${JSON.stringify(headers[name])}`;
  }
  return `{${members}}`;
}
