import { isUtf8 } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Answer, errorAnswer } from "./answer.ts";
import type { Resource } from "./sandbox-options.ts";

/** The endpoint that a request is for, or the answer that refuses it, by its request line and headers. */
export type Head = { kind: "endpoint"; resource: Resource } | Refused;

interface Refused {
  kind: "refused";
  answer: Answer;
}

/**
 * Creates the check of everything that comes before the body: path, method, token and content type,
 * in this order. Without a `token`, every bearer token that is not blank will do.
 */
export function createHeadCheck(
  pathPrefix: string,
  token: string | undefined,
): (request: IncomingMessage) => Head {
  const usersPath = `${pathPrefix}/v1/users/events`;
  const contactsPath = `${pathPrefix}/v1/contacts/events`;
  const endpoints = new Map<string | undefined, Head>([
    [usersPath, { kind: "endpoint", resource: "users" }],
    [contactsPath, { kind: "endpoint", resource: "contacts" }],
  ]);
  const notFound = refused(
    404,
    "not_found",
    `Nothing is here; the endpoints are ${usersPath} and ${contactsPath}, without a query.`,
  );
  const checkToken = createTokenCheck(token);

  return (request) => {
    const endpoint = endpoints.get(request.url);
    if (endpoint === undefined) return notFound;
    if (request.method !== "POST") return WRONG_METHOD;
    const unauthorized = checkToken(request.headers.authorization);
    if (unauthorized !== undefined) return unauthorized;
    return isJson(request.headers["content-type"]) ? endpoint : WRONG_CONTENT_TYPE;
  };
}

function createTokenCheck(
  token: string | undefined,
): (authorization: string | undefined) => Head | undefined {
  const expected = token === undefined ? undefined : sha256(token);

  return (authorization) => {
    if (authorization === undefined) return NO_AUTHORIZATION;
    if (!authorization.startsWith("Bearer ")) return NOT_BEARER;
    const presented = authorization.slice("Bearer ".length).trim();
    if (presented === "") return NOT_BEARER;
    if (expected === undefined) return undefined;
    // Digests have one length, so the time taken tells nothing of the token's own length either.
    return timingSafeEqual(sha256(presented), expected) ? undefined : WRONG_TOKEN;
  };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function refused(status: number, code: string, message: string, extraHeaders?: string[]): Refused {
  return { kind: "refused", answer: errorAnswer(status, code, message, extraHeaders) };
}

function unauthorized(message: string): Refused {
  return refused(401, "unauthorized", message, ["WWW-Authenticate", "Bearer"]);
}

const WRONG_METHOD = refused(
  405,
  "method_not_allowed",
  "This endpoint takes POST only, whatever the event does.",
  ["Allow", "POST"],
);
const NO_AUTHORIZATION = unauthorized("The Authorization header is missing.");
const NOT_BEARER = unauthorized('The Authorization header is not "Bearer" followed by a token.');
const WRONG_TOKEN = unauthorized("The bearer token is not the one that this sandbox accepts.");
const WRONG_CONTENT_TYPE = refused(
  415,
  "unsupported_media_type",
  "The Content-Type header has to be application/json.",
);

/** A body's text if it is an event, or the answer that refuses it. */
type CheckedBody = { kind: "event"; text: string } | Refused;

/** Tells whether the bytes are a JSON object in UTF-8 with a non-blank string member `event`. */
export function checkBody(body: Buffer): CheckedBody {
  if (body.length === 0) return EMPTY;
  if (!isUtf8(body)) return NOT_UTF8;
  const text = body.toString();

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // V8's message quotes the body, and answers end up in logs.
    return NOT_JSON;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NOT_AN_OBJECT;
  if (!("event" in value)) return NO_EVENT;
  if (typeof value.event !== "string") return EVENT_NOT_TEXT;
  if (value.event.trim() === "") return EVENT_BLANK;
  return { kind: "event", text };
}

const EMPTY = refused(400, "invalid_json", "The body is empty.");
const NOT_UTF8 = refused(400, "invalid_json", "The body is not UTF-8.");
const NOT_JSON = refused(400, "invalid_json", "The body is not valid JSON.");
const NOT_AN_OBJECT = refused(400, "invalid_event", "The body is JSON but not an object.");
const NO_EVENT = refused(400, "invalid_event", 'The body has no member "event".');
const EVENT_NOT_TEXT = refused(400, "invalid_event", 'The member "event" is not a string.');
const EVENT_BLANK = refused(400, "invalid_event", 'The member "event" is blank.');
