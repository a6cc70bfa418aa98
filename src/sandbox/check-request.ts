import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { endpointAt } from "../model/endpoint.ts";
import { methods, type Resource, resources } from "../model/event.ts";

export interface ReceivedEvent {
  method: string;
  headers: IncomingHttpHeaders;
  resource: Resource;
  text: string;
  value: object;
}

/** A response that is ready to be written, any number of times. */
export interface ServiceAnswer {
  status: number;
  /** Alternating names and values: `writeHead` takes this form without a copy. */
  headers: string[];
  /** Text rather than bytes: node:http sends it with the head in one write. */
  body: string;
  /** A sentence that says what is wrong; blank for a success. */
  message: string;
}

export function errorAnswer(
  status: number,
  code: string,
  message: string,
  extraHeaders: string[] = [],
  member?: string,
): ServiceAnswer {
  return jsonAnswer(status, { error: { code, message, member } }, message, extraHeaders);
}

/** The only answer for an accepted event. */
export const acceptedAnswer = jsonAnswer(202, { status: "accepted" }, "");

function jsonAnswer(
  status: number,
  value: object,
  message: string,
  more: string[] = [],
): ServiceAnswer {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  const headers = ["Content-Type", "application/json", "Content-Length", length, ...more];
  return { status, headers, body, message };
}

/**
 * Creates the check of what comes before the body: path, method, token and content type, in this order. It gives the
 * resource of the endpoint, or the answer that refuses the request. Without a `token`, any bearer token is accepted
 * that is not blank.
 */
export function createHeadCheck(
  pathPrefix: string,
  token: string | undefined,
): (request: IncomingMessage) => Resource | ServiceAnswer {
  const { path } = endpointAt("", pathPrefix);
  const endpoints = new Map(resources.map((resource) => [path(resource), resource]));
  const where = `Nothing is here; the endpoints are ${[...endpoints.keys()].join(" and ")}, without a query.`;
  const unauthorized = (message: string) =>
    errorAnswer(401, "unauthorized", message, ["WWW-Authenticate", "Bearer"]);

  return ({ url = "", method = "", headers }) => {
    const resource = endpoints.get(url);
    if (resource === undefined) return errorAnswer(404, "not_found", where);
    if (!(methods as readonly string[]).includes(method)) {
      const allowed = methods.join(", ");
      const message = `This endpoint takes ${allowed} only.`;
      return errorAnswer(405, "method_not_allowed", message, ["Allow", allowed]);
    }
    const [, given = ""] = /^Bearer (.*)$/.exec(headers.authorization ?? "") ?? [];
    if (given.trim() === "") {
      return unauthorized('There is no Authorization header "Bearer" with a token.');
    }
    if (token !== undefined && given.trim() !== token) {
      return unauthorized("The bearer token is not the one that this sandbox accepts.");
    }
    if (jsonMediaType.test(headers["content-type"] ?? "")) return resource;
    const message = "The Content-Type header has to be application/json.";
    return errorAnswer(415, "unsupported_media_type", message);
  };
}

const jsonMediaType = /^application\/json *(?:;|$)/i;

/** The event in a body: a JSON object in UTF-8 with a non-blank string member `event`; else the answer that refuses it. */
export function checkBody(body: Buffer): Pick<ReceivedEvent, "text" | "value"> | ServiceAnswer {
  const text = body.toString();
  let value: unknown;
  try {
    value = isUtf8(body) && JSON.parse(text);
  } catch {
    value = undefined;
  }
  const event: unknown = Array.isArray(value) ? undefined : Object(value).event;
  if (typeof event === "string" && event.trim() !== "") return { text, value: Object(value) };
  // The message of V8 quotes the body, and answers end up in logs.
  const message = 'The body is no JSON object in UTF-8 whose "event" is a text.';
  return errorAnswer(400, "invalid_event", message);
}
