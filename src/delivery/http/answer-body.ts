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
 * that would become longer than `maxOutputLength`, gives no text.
 *
 * @param isCut whether the body goes on after these bytes
 */
export function readAnswerBody(
  bytes: Buffer,
  isCut: boolean,
  { contentEncoding = "", contentType = "" }: BodyHeaders,
  maxOutputLength: number,
): string {
  const coding = contentEncoding.trim().toLowerCase();
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  // What is there is read, also if the end is missing: of a character that is cut, nothing.
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength };
  if (!["", "identity", "gzip"].includes(coding)) return "";
  try {
    const plain = coding === "gzip" ? gunzipSync(bytes, options) : bytes;
    return decoderOf(charset).decode(plain, { stream: isCut });
  } catch {
    return ""; // it is no gzip, or a bomb
  }
}

function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

const maxTextLength = 500;
/** Longer than what is shown, because a mask is shorter than the secret. */
const maxRedactedLength = 8 * maxTextLength;

/**
 * The message of an error answer, on one line: what a JSON body says and of which fields, the text of a page without
 * its tags, or else the beginning of the text.
 */
export function errorText(body: string, redact: Redact, isCut = false): string {
  const json = parsed(body, /^\s*[[{"]/);
  const errors = json === body ? [] : errorsIn(json).slice(0, maxErrors);
  const isEmpty = isObject(json) && Object.keys(json).length === 0;
  const isPage = markupPage.test(body.slice(0, 1000));
  const text = isPage ? body.replaceAll(/<[^>]*>?/g, " ") : body;
  return harmlessLine(isEmpty ? "" : errors.join("; ") || text, redact, isCut);
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
const markupPage =
  /^\s*<(?:!doctype|\?xml|html|head|body|title|h[1-6]|center|p|div|pre|error|fault|soap)\b/i;

/* What JSON says. The names of members are in lower case here, without `_` and `-`. */

/** Members that hold a message, the most useful first. */
const messageMembers = [
  ...["message", "detail", "errordescription", "error", "title", "msg", "defaultmessage"],
  ...["errormessage", "description", "reason", "faultstring", "fault", "code"],
];

/** Members that hold further errors, and are no fields. */
const errorMembers = new Set([
  ...["message", "detail", "details", "error", "errors", "fault", "issues", "violations", "base"],
  ...["fieldviolations", "fielderrors", "formerrors", "nonfielderrors", "fullmessages", "fields"],
  ...["validation", "validationerrors", "invalidparams", "modelstate", "properties"],
]);

/** Members that name the field of an error; other members do so in a list of errors. */
const fieldMembers = [
  ...["field", "param", "parameter", "attribute", "loc", "instancepath", "pointer", "propertypath"],
  ...["propertyname", "property"],
];
const fieldMembersOfItems = [...fieldMembers, "path", "target", "name", "location"];

/** What stands before a field in the name of its place. */
const wayToField = /^[#$/.]*(?:(?:request|body|data|attributes)[/.])*(?=.)/;

const maxErrorDepth = 4;
const maxErrors = 10;

/** The errors in JSON of any shape. An object has a message, or else errors by the names of fields. */
function errorsIn(
  json: unknown,
  { field = "", depth = 0, isInList = false, isInErrors = false } = {},
): string[] {
  if (isText(json)) return [withField(field, json)];
  if (!isObject(json) || depth > maxErrorDepth) return [];
  if (Array.isArray(json)) {
    const texts = json.filter(isText).slice(0, maxErrors);
    const items = json.filter((item) => isObject(item) && !Array.isArray(item));
    const ofItems = items.flatMap((item) =>
      errorsIn(item, { field, depth, isInList: true, isInErrors }),
    );
    return texts.length === 0 ? ofItems : [withField(field, texts.join("; ")), ...ofItems];
  }
  const members = Object.entries(json).map(([name, value]) => {
    const plain = name.replaceAll(/[_-]/g, "").toLowerCase();
    // Zod 4 has its list of errors in a text.
    return { name, plain, value: parsed(value, /^\s*\[/), isError: errorMembers.has(plain) };
  });
  const values = new Map(members.map(({ plain, value }) => [plain, value]));
  const own = fieldIn(values, isInList ? fieldMembersOfItems : fieldMembers) ?? field;
  const text = messageMembers.map((name) => values.get(name)).find(isText);

  const known = members.filter(({ value, isError }) => isError && isObject(value));
  const isNested = members.every(({ value }) => isObject(value));
  const isByField = text === undefined && (isNested || (isInErrors && known.length === 0));
  const errors = (isByField ? members : known).flatMap(({ name, value, isError }) => {
    const path = isError ? own : [own, fieldName(name)].filter(isText).join(".");
    return errorsIn(value, { field: path, depth: depth + 1, isInErrors: isInErrors || isError });
  });
  if (text === undefined) return errors;
  const [first, ...others] = errors;
  const heading = withField(own, text);
  return first === undefined ? [heading] : [`${heading.replace(/[.:]$/, "")}: ${first}`, ...others];
}

function withField(field: string, text: string): string {
  return field === "" ? text.trim() : `${field}: ${text.trim()}`;
}

/** The field that an object names, itself or in its `source`. */
function fieldIn(values: Map<string, unknown>, names: readonly string[]): string | undefined {
  const source = values.get("source");
  const named = isObject(source) ? new Map(Object.entries(source)) : values;
  const paths = names.map((name) => [named.get(name)].flat());
  const found = paths.find((path) => path.some(isText) && !path.some(isObject));
  return found === undefined ? undefined : fieldName(found.join("."));
}

function fieldName(place: string): string {
  return place.slice(0, maxTextLength).replace(wayToField, "").replaceAll("/", ".");
}

function parsed(value: unknown, beginning: RegExp): unknown {
  if (typeof value !== "string" || !beginning.test(value)) return value;
  try {
    return JSON.parse(value.trim());
  } catch {
    return value;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
