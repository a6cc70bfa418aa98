/** @param isCut whether the text goes on: then its end may be the beginning of a secret */
export type Redact = (text: string, isCut?: boolean) => string;

/** What stands in place of a secret. */
export const mask = "********";

/**
 * Takes secrets out of texts: as they are and in base64 or hex, whole or any 16 characters in a row, in lower or upper
 * case, with tags or invisible characters in between, escaped for JSON, a URL or HTML, also several times. A secret
 * of fewer than eight characters must be a word of its own, as it may well be part of one.
 *
 * Takes linear time for any text, as the text comes from elsewhere.
 */
export function createRedact(...secrets: string[]): Redact {
  let wanted: SecretForms[] | undefined;
  return (text, isCut = false) => {
    wanted ??= secrets.map(toWanted);
    const hidden = new Uint8Array(text.length);
    for (const view of viewsOf(text, isCut)) {
      for (const { forms, pieces, isShort } of wanted) {
        const hide = (start: number, end: number) => {
          if (isShort && !standsAlone(text, view, start, end)) return;
          const isAtEnd = isCut && end === view.text.length;
          hidden.fill(1, view.from[start], isAtEnd ? text.length : view.to[end - 1]);
        };
        for (const [length, ofThatLength] of pieces) {
          for (let at = 0; at + length <= view.text.length; at++) {
            if (ofThatLength.has(view.text.slice(at, at + length))) hide(at, at + length);
          }
        }
        if (!isCut) continue;
        for (const form of forms) {
          const length = beginningAtEnd(form, view.text);
          if (length > 0) hide(view.text.length - length, view.text.length);
        }
      }
    }
    return text.replaceAll(/./gs, (unit, at) => {
      if (hidden[at] === 0) return unit;
      return hidden[at - 1] === 1 ? "" : mask;
    });
  };
}

/** More of a secret in a row than stands anywhere by chance. */
const pieceLength = 16;
/** Any text may end with fewer characters. */
const minBeginningLength = 3;
const minFormLength = 4;
const minPartLength = 8;
const maxUnescapeRounds = 3;

interface SecretForms {
  readonly forms: readonly string[];
  /** All pieces of all forms, by their lengths. A piece is shorter only if its whole form is. */
  readonly pieces: ReadonlyMap<number, ReadonlySet<string>>;
  readonly isShort: boolean;
}

function toWanted(secret: string): SecretForms {
  const bytes = Buffer.from(secret);
  // Three bytes become four characters, so those depend on how many bytes stand before the secret, and
  // the last one may depend on what stands after it.
  const base64 = [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const own = all.slice(Math.ceil((before * 4) / 3));
    return [own, own.replace(/.=+$/, "")];
  });
  const base64Url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const [asItIs = "", ...unescaped] = viewsOf(secret, false).map(({ text }) => text);
  const encoded = [bytes.toString("hex"), ...base64, ...base64Url].map((text) =>
    text.toLowerCase(),
  );
  const others = [...unescaped, ...encoded].filter(({ length }) => length >= minFormLength);
  const forms = [asItIs, ...others].filter((form) => form !== "");
  const pieces = new Map<number, Set<string>>();
  for (const form of forms) {
    const length = Math.min(form.length, pieceLength);
    const ofThatLength = pieces.get(length) ?? new Set();
    pieces.set(length, ofThatLength);
    for (let at = 0; at + length <= form.length; at++)
      ofThatLength.add(form.slice(at, at + length));
  }
  return { forms, pieces, isShort: secret.length < minPartLength };
}

/** A text with some of it left out or unescaped, and where each of its characters is in the original. */
interface View {
  readonly text: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Only the characters that a token can have, in lower case; then without escapes; then without tags. */
function viewsOf(text: string, isCut: boolean): View[] {
  const from = Array.from({ length: text.length }, (_, at) => at);
  const whole = { text, from, to: from.map((at) => at + 1) };
  const visible = rewrite(whole, /[^\x21-\x7e]+/g, () => "");
  let view: View = { ...visible, text: visible.text.toLowerCase() };
  const views = [view];
  for (let round = 1; round <= maxUnescapeRounds; round++) {
    const unescaped = rewrite(view, isCut ? escapedOrCutCharacter : escapedCharacter, toPlain);
    if (unescaped === view) break;
    views.push(unescaped);
    view = unescaped;
  }
  const untagged = rewrite(view, isCut ? /<[^<>]*(?:>|$)/g : /<[^<>]*>/g, () => "");
  return untagged === view ? views : [...views, untagged];
}

/** @returns the same view if nothing matches the pattern */
function rewrite(
  view: View,
  pattern: RegExp,
  toCharacter: (...match: (string | undefined)[]) => string,
): View {
  let text = "";
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  const keepUntil = (end: number) => {
    text += view.text.slice(at, end);
    for (; at < end; at++) {
      from.push(view.from[at] as number);
      to.push(view.to[at] as number);
    }
  };
  for (const match of view.text.matchAll(pattern)) {
    keepUntil(match.index);
    at = match.index + match[0].length;
    const character = toCharacter(...match);
    if (character === "") continue;
    text += character;
    from.push(view.from[match.index] as number);
    to.push(view.to[at - 1] as number);
  }
  if (at === 0) return view;
  keepUntil(view.text.length);
  return { text, from, to };
}

/**
 * Backslashes (many if JSON is within JSON) with what they escape, a percent sign with two digits, an entity. All
 * repetition but that of backslashes is bounded, and backslashes match whatever comes after them.
 */
const escapedCharacter =
  /\\+(?:u([\da-f]{4})|(.)|$)|%([\da-f]{2})|&(?:#x([\da-f]{1,8});?|#(\d{1,8});?|([a-z]\w{1,31});)/g;

/** Also an escape that is cut at the end. */
const escapedOrCutCharacter = new RegExp(
  `(?:\\\\+(?:u[\\da-f]{0,3})?|%[\\da-f]?|&(?:#x?[\\da-f]{0,8}|\\w{0,31}))$|${escapedCharacter.source}`,
  "g",
);

/** One character in lower case; blank if a token cannot have it. */
function toPlain(_: string | undefined, ...groups: (string | undefined)[]): string {
  const [unit, escaped, percent, hex, decimal, name] = groups;
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return entities.get(name) ?? "";
  const digits = unit ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code).toLowerCase() : "";
}

const entities: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", plus: "+", sol: "/" }),
  ...Object.entries({ equals: "=", lowbar: "_", period: "." }),
]);

/** Whether no letter, digit or underline stands directly before or after. */
function standsAlone(text: string, { text: viewed, from, to }: View, start: number, end: number) {
  const before = text.slice(to[start - 1] ?? 0, from[start]) || viewed[start - 1];
  const after = text.slice(to[end - 1], from[end] ?? text.length) || viewed[end];
  return [before, after].every((beside = " ") => /[^\p{L}\p{N}_]/u.test(beside));
}

/** How many characters of a form's beginning the text ends with, if that is less than a piece. */
function beginningAtEnd(form: string, text: string): number {
  const max = Math.min(form.length, pieceLength) - 1;
  for (let length = max; length >= minBeginningLength; length--) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
