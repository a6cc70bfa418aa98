import type { Redact } from "./redact.ts";

const maxTextLength = 500;
/** More than is shown, as a mask is shorter than what it stands for. */
const maxRedactedLength = 8 * maxTextLength;

/**
 * The useful part of an error answer, on one line: `message`, `error`, `detail` or `errors` of a
 * JSON body, the text of a page without its tags, else the beginning of the text.
 *
 * @param isCut whether the body goes on after that
 */
export function errorText(body: string, redact: Redact, isCut = false): string {
  const text = fromJson(body) ?? (saysNothing.test(body) ? "" : withoutTags(body));
  return harmlessLine(text, redact, isCut);
}

/**
 * Text of others on one line. What could harm a terminal (escape sequences, control characters, marks
 * that turn the direction of writing) is taken out of it, and what a spreadsheet would take for a
 * formula gets an apostrophe in front.
 *
 * @param redact takes secrets out of what is left, before it is cut
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
  // A character of two halves is not cut in the middle.
  return `${harmless.slice(0, maxTextLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * ECMA-48: a control sequence (colours), and a control string (titles, links) with what it says. Where the next
 * one begins, one has ended: from each of many that never end, the rest of the text would be searched.
 */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[P\]X^_]|[\u0090\u009d\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u009c|\u001b\\)/g;

/** Pages of HTML and XML come from proxies and gateways in front of the service. Other text may begin with `<`, too. */
const page =
  /^\s*<(?:!doctype|\?xml|html|head|body|title|h[1-6]|center|p|div|pre|error|fault|soap)\b/i;

function withoutTags(body: string): string {
  return page.test(body.slice(0, 1000)) ? body.replaceAll(/<[^>]*>?/g, " ") : body;
}

/** JSON without anything in it. */
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

const telling = [
  ...["message", "detail", "error_description", "error", "errors", "title"],
  ...["Message", "msg", "description", "reason", "errorMessage", "faultstring", "fault"],
];

/** Where the findings on single members stand, beside a sentence for all of them. */
const listing = ["errors", "invalid-params", "invalid_params", "violations"];

/** How a finding names its member. */
const naming = ["field", "path", "param", "property", "pointer", "name"];

const maxDepth = 4;
const maxParts = 10;

function describe(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth > maxDepth) return undefined;
  if (Array.isArray(value))
    return join(value.map((item) => () => describeFinding(item, depth + 1)));
  const own = (key: string) =>
    Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;

  const findings = first(listing, (key) => describeFindings(own(key), depth + 1));
  const sentence = first(telling, (key) =>
    listing.includes(key) ? undefined : describe(own(key), depth + 1),
  );
  if (sentence === undefined || findings === undefined) return sentence ?? findings;
  return `${sentence.trim().replace(/[.:]$/, "")}: ${findings}`;
}

/** A list of findings, or an object with those on each member under its name. */
function describeFindings(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return describe(value, depth);
  }
  const said = describe(value, depth);
  if (said !== undefined) return said;
  return join(
    Object.entries(value).map(([member, finding]) => () => {
      const text = describe(finding, depth + 1);
      return text === undefined ? undefined : `${member}: ${text}`;
    }),
  );
}

function describeFinding(value: unknown, depth: number): string | undefined {
  const text = describe(value, depth);
  if (text === undefined || typeof value !== "object" || value === null) return text;
  const member = first(naming, (key) => {
    const name = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    return typeof name === "string" && name.trim() !== "" ? name : undefined;
  });
  // One that is longer than what is shown is no name, and takes long to look for.
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

/** The first few that say something. The others are not even looked at. */
function join(parts: readonly (() => string | undefined)[]): string | undefined {
  const texts = parts.slice(0, maxParts).map((part) => part());
  return texts.filter((text) => text !== undefined).join("; ") || undefined;
}
