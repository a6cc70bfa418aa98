import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Answer, errorAnswer } from "./answer.ts";

export type Resource = "users" | "contacts";

/** An event as it came. */
export interface ReceivedEvent {
  method: string;
  headers: IncomingHttpHeaders;
  resource: Resource;
  text: string;
  value: object;
}

/** eventload sends POST, unless a mapping names another. */
const methods = ["POST", "PUT", "DELETE"];

/** What request line and headers say: the endpoint, or the answer that refuses the request. */
export type Head = { kind: "endpoint"; resource: Resource } | Refused;

interface Refused {
  kind: "refused";
  answer: Answer;
}

/**
 * Creates the check of what comes before the body: path, method, token and content type, in this order.
 * Without a `token`, any bearer token is accepted that is not blank.
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
    if (!methods.includes(request.method ?? "")) return wrongMethod;
    const unauthorized = checkToken(request.headers.authorization);
    if (unauthorized !== undefined) return unauthorized;
    return isJson(request.headers["content-type"]) ? endpoint : wrongContentType;
  };
}

function createTokenCheck(
  expected: string | undefined,
): (authorization: string | undefined) => Head | undefined {
  return (authorization = "") => {
    const token = authorization.startsWith("Bearer ") ? authorization.slice(7).trim() : "";
    if (token === "") return notBearer;
    return expected === undefined || token === expected ? undefined : wrongToken;
  };
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function refused(status: number, code: string, message: string, extraHeaders?: string[]): Refused {
  return { kind: "refused", answer: errorAnswer(status, { code, message }, extraHeaders) };
}

function unauthorized(message: string): Refused {
  return refused(401, "unauthorized", message, ["WWW-Authenticate", "Bearer"]);
}

const wrongMethod = refused(
  405,
  "method_not_allowed",
  `This endpoint takes ${methods.join(", ")} only.`,
  ["Allow", methods.join(", ")],
);
const notBearer = unauthorized('There is no Authorization header "Bearer" with a token.');
const wrongToken = unauthorized("The bearer token is not the one that this sandbox accepts.");
const wrongContentType = refused(
  415,
  "unsupported_media_type",
  "The Content-Type header has to be application/json.",
);

/** A body if it is an event, or the answer that refuses it. */
type CheckedBody = { kind: "event"; text: string; value: object } | Refused;

/** Checks that the body is a JSON object in UTF-8 with a non-blank string member `event`. */
export function checkBody(body: Buffer): CheckedBody {
  if (!isUtf8(body)) return notUtf8;
  const text = body.toString();

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of V8 quotes the body, and answers end up in logs.
    return notJson;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return notAnObject;
  if (!("event" in value)) return noEvent;
  if (typeof value.event !== "string" || value.event.trim() === "") return eventNotText;
  return { kind: "event", text, value };
}

const notUtf8 = refused(400, "invalid_json", "The body is not UTF-8.");
const notJson = refused(400, "invalid_json", "The body is not valid JSON.");
const notAnObject = refused(400, "invalid_event", "The body is JSON but not an object.");
const noEvent = refused(400, "invalid_event", 'The body has no member "event".');
const eventNotText = refused(
  400,
  "invalid_event",
  'The member "event" is not a string, or is blank.',
);
