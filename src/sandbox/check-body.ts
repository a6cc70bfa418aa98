import { isUtf8 } from "node:buffer";
import { type Answer, errorAnswer } from "./answer.ts";

/** A body's text if it is an event, or the answer that refuses it. */
export type CheckedBody = { kind: "event"; text: string } | { kind: "refused"; answer: Answer };

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

function refused(code: string, message: string): CheckedBody {
  return { kind: "refused", answer: errorAnswer(400, code, message) };
}

const EMPTY = refused("invalid_json", "The body is empty.");
const NOT_UTF8 = refused("invalid_json", "The body is not UTF-8.");
const NOT_JSON = refused("invalid_json", "The body is not valid JSON.");
const NOT_AN_OBJECT = refused("invalid_event", "The body is JSON but not an object.");
const NO_EVENT = refused("invalid_event", 'The body has no member "event".');
const EVENT_NOT_TEXT = refused("invalid_event", 'The member "event" is not a string.');
const EVENT_BLANK = refused("invalid_event", 'The member "event" is blank.');
