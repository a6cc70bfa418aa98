import { TextDecoder } from "node:util";
import { constants, gunzipSync } from "node:zlib";
import type { Redact } from "./redact.ts";

/** What the headers of an answer say about its body (RFC 9110, section 8). */
export interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Decodes the beginning of a body as text. The request asks for no compression: a body in anything but gzip, or one
 * that would become longer than `maxBytes`, gives no text.
 *
 * @param isCut whether the body goes on after these bytes
 */
export function readAnswerBody(
  bytes: Buffer,
  isCut: boolean,
  { contentEncoding = "", contentType = "" }: BodyHeaders,
  maxBytes: number,
): string {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  const plain = decompress(bytes, contentEncoding.trim().toLowerCase(), maxBytes);
  // If the body is cut within a character, that character is left out.
  return decoderOf(charset).decode(plain, { stream: isCut });
}

function decompress(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  if (coding === "" || coding === "identity") return bytes;
  try {
    // What is there is read, also if the end is missing.
    const finishFlush = constants.Z_SYNC_FLUSH;
    if (coding === "gzip") return gunzipSync(bytes, { finishFlush, maxOutputLength });
  } catch {} // it is no gzip, or a bomb
  return Buffer.alloc(0);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

const maxTextLength = 500;
/** More than is shown, because a mask is shorter than the secret. */
const maxRedactedLength = 8 * maxTextLength;

/**
 * The message of an error answer, on one line: `message`, `error`, `detail` or `errors` of a JSON body, the text of a
 * page without its tags, or else the beginning of the text.
 *
 * @param isCut whether the body goes on after that
 */
export function errorText(body: string, redact: Redact, isCut = false): string {
  const text = fromJson(body) ?? (saysNothing.test(body) ? "" : withoutTags(body));
  return harmlessLine(text, redact, isCut);
}

/**
 * A text from elsewhere, safe to show on one line. It loses what could harm a terminal (escape sequences, control
 * characters, marks that change the direction of writing), and gets an apostrophe in front where a spreadsheet would
 * take it for a formula.
 *
 * @param redact takes secrets out of the rest, before it is cut
 */
export function harmlessLine(text: string, redact: Redact, isCut = false): string {
  const line = text
    .replaceAll(escapeSequence, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const beginning = line.slice(0, maxRedactedLength);
  const oneLine = redact(beginning, isCut || beginning !== line);
  const harmless = /^[=+\-@]/.test(oneLine) ? `'${oneLine}` : oneLine;
  if (harmless.length <= maxTextLength && beginning === line) return harmless;
  // A surrogate pair is not cut in the middle.
  return `${harmless.slice(0, maxTextLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * ECMA-48: a control sequence (colours), and a control string (titles, links) with its content. A string ends where
 * the next one begins, or many strings without an end would take quadratic time.
 */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[P\]X^_]|[\u0090\u009d\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u009c|\u001b\\)/g;

/** HTML and XML pages come from proxies and gateways in front of the service. Other text may begin with `<`, too. */
const page =
  /^\s*<(?:!doctype|\?xml|html|head|body|title|h[1-6]|center|p|div|pre|error|fault|soap)\b/i;

function withoutTags(body: string): string {
  return page.test(body.slice(0, 1000)) ? body.replaceAll(/<[^>]*>?/g, " ") : body;
}

/** Empty JSON. */
const saysNothing = /^\s*(?:\{\s*\}|\[\s*\])\s*$/;

function fromJson(body: string): string | undefined {
  const text = body.replace(/^\ufeff/, "").trim();
  if (!/^[[{"]/.test(text)) return undefined;
  try {
    return describe(JSON.parse(text), 0);
  } catch {
    return undefined;
  }
}

/** Members that hold a message, the most useful first. */
const messageMembers = [
  ...["message", "detail", "error_description", "error", "title"],
  ...["Message", "msg", "description", "reason", "errorMessage", "faultstring", "fault"],
];

/** Members that list errors of single fields, beside a message for all of them. */
const listMembers = ["errors", "invalid-params", "invalid_params", "violations"];

/** Members that name the field of an error. */
const fieldMembers = ["field", "path", "param", "property", "pointer", "name"];

const maxDepth = 4;
const maxParts = 10;

function describe(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth > maxDepth) return undefined;
  if (Array.isArray(value))
    return join(value.map((item) => () => describeFieldError(item, depth + 1)));
  const own = (key: string) =>
    Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;

  const fieldErrors = first(listMembers, (key) => describeFieldErrors(own(key), depth + 1));
  const sentence = first(messageMembers, (key) => describe(own(key), depth + 1));
  if (sentence === undefined || fieldErrors === undefined) return sentence ?? fieldErrors;
  return `${sentence.trim().replace(/[.:]$/, "")}: ${fieldErrors}`;
}

/** A list of errors, or an object with the errors of each field under its name. */
function describeFieldErrors(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return describe(value, depth);
  }
  const said = describe(value, depth);
  if (said !== undefined) return said;
  return join(
    Object.entries(value).map(([member, error]) => () => {
      const text = describe(error, depth + 1);
      return text === undefined ? undefined : `${member}: ${text}`;
    }),
  );
}

function describeFieldError(value: unknown, depth: number): string | undefined {
  const text = describe(value, depth);
  if (text === undefined || typeof value !== "object" || value === null) return text;
  const member = first(fieldMembers, (key) => {
    const name = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    return typeof name === "string" && name.trim() !== "" ? name : undefined;
  });
  // A text that is longer than what is shown is no name, and takes long to search for.
  const isNamed = member !== undefined && member.length < maxTextLength;
  return !isNamed || text.includes(member) ? text : `${member}: ${text}`;
}

function first<Item>(
  items: readonly string[],
  find: (item: string) => Item | undefined,
): Item | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first few that say something. The others are not read. */
function join(parts: readonly (() => string | undefined)[]): string | undefined {
  const texts = parts.slice(0, maxParts).map((part) => part());
  return texts.filter((text) => text !== undefined).join("; ") || undefined;
}
