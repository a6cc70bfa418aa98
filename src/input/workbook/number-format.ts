/** How a number format shows a number, as far as it changes what the number means. */
export type NumberForm =
  | { readonly kind: "plain" }
  /** A point in time; `hasDay` where the format shows a day, `hasTime` where it shows a time of day. */
  | { readonly kind: "moment"; readonly hasDay: boolean; readonly hasTime: boolean }
  /** Hours, minutes or seconds that count beyond a day. */
  | { readonly kind: "duration" }
  /** Digits that are always there, such as `00000`, with what stands between them. */
  | DigitsForm;

interface DigitsForm {
  readonly kind: "digits";
  readonly pattern: DigitPattern;
  readonly decimals: number;
  /** Whether a negative number is shown in the same way, with a minus before it. */
  readonly hasMinus: boolean;
}

/** More digits than any number has, before or after the decimal point. */
export const mostPlaces = 255;

/** Literals, and `null` for the place of a digit. */
type DigitPattern = readonly (string | null)[];

const plain: NumberForm = { kind: "plain" };
const day: NumberForm = { kind: "moment", hasDay: true, hasTime: false };
const time: NumberForm = { kind: "moment", hasDay: false, hasTime: true };

/** Formats that a workbook names by number only (ECMA-376 part 1, 18.8.30). */
export function builtinForm(id: number): NumberForm {
  if (id === 22) return { kind: "moment", hasDay: true, hasTime: true };
  if (id === 46) return { kind: "duration" };
  const isTime = (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47;
  if (isTime) return time;
  const isDay = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDay ? day : plain;
}

/** Programs allow 255. */
const mostCodeChars = 1000;

/** What a format code does to a number: its first section decides, as it does for a positive one. */
export function formOf(code: string): NumberForm {
  if (code.length > mostCodeChars) return plain;
  const [parts = [], negative] = sectionsOf(code);
  const letters = parts.flatMap((part) => (part.kind === "code" ? [part.text.toLowerCase()] : []));
  const word = letters.join("");
  if (word === "general") return plain;
  if (parts.some(({ kind, text }) => kind === "bracket" && /^(h+|m+|s+)$/i.test(text))) {
    return { kind: "duration" };
  }
  const hasTime = /[hs]/.test(word) || word.includes("am/pm");
  const hasDay = /[yd]/.test(word) || (!hasTime && word.includes("m"));
  if (hasDay || hasTime) return { kind: "moment", hasDay, hasTime };
  return negative === undefined
    ? digitsForm(parts)
    : withNegative(digitsForm(parts), digitsForm(negative));
}

/** @param negative how numbers below zero are shown */
export function withNegative(form: NumberForm, negative: NumberForm): NumberForm {
  if (form.kind !== "digits") return form;
  const hasMinus =
    negative.kind === "digits" &&
    negative.decimals === form.decimals &&
    patternKey(negative.pattern) === patternKey(["-", ...form.pattern]);
  return { ...form, hasMinus };
}

/** Equal for equal patterns, whether their literals come in one piece or several. */
function patternKey(pattern: DigitPattern): string {
  return pattern.map((text) => text ?? "\0").join("");
}

interface Part {
  readonly kind: "code" | "literal" | "bracket";
  readonly text: string;
}

/** What is not closed goes on to the end: each quote or bracket would be searched for its other half. */
const tokenForm = /"([^"]*)(?:"|$)|\\(.)|[_*](.)|\[([^\]]*)(?:\]|$)|(.)/gsu;

function sectionsOf(code: string): Part[][] {
  let parts: Part[] = [];
  const sections = [parts];
  for (const [token, quoted, escaped, , bracket, plainText] of code.matchAll(tokenForm)) {
    if (plainText === ";") {
      parts = [];
      sections.push(parts);
    } else if (bracket !== undefined) parts.push({ kind: "bracket", text: bracket });
    else if (plainText !== undefined) parts.push({ kind: "code", text: plainText });
    else if (!/^[_*]/.test(token)) parts.push({ kind: "literal", text: quoted ?? escaped ?? "" });
  }
  return sections;
}

/** Zeros and what may stand between them; anything else, such as `%`, leaves the number plain. */
function digitsForm(parts: readonly Part[]): NumberForm {
  const pattern: (string | null)[] = [];
  let decimals: number | undefined;
  let hasZero = false;
  for (const [at, { kind, text }] of parts.entries()) {
    if (kind === "bracket") {
      // A colour or a language does not change the digits; a condition chooses between sections, and
      // this one what the first section is for anyway.
      if (/^[<>=]/.test(text) && !isForPositive(text)) return plain;
    } else if (kind === "code" && text === "." && decimals === undefined) decimals = 0;
    else if (kind === "code" && text === "0" && decimals !== undefined) decimals++;
    else if (kind === "code" && text === "#" && !hasZero && isDigitPlace(parts[at + 1])) continue;
    else if (kind === "code" && text === "$") continue;
    else if (kind === "code" && !/[0\-() /+:]/.test(text)) return plain;
    else if (decimals === undefined) {
      const isZero = kind === "code" && text === "0";
      hasZero ||= isZero;
      pattern.push(isZero ? null : text);
    } else if (text.trim() !== "") return plain;
  }
  return patternForm(pattern, decimals ?? 0);
}

/** Whether a number may have a digit there. A `#` before that shows nothing that has to be there. */
function isDigitPlace(part: Part | undefined): boolean {
  return part?.kind === "code" && /[#0]/.test(part.text);
}

/** Whether a section with this condition is the one of numbers that are not negative. */
export function isForPositive(condition: string): boolean {
  return /^>=?\s*0+$/.test(condition.trim());
}

/** Blanks at its ends are room for a bracket or a sign that other numbers have. */
export function patternForm(pattern: DigitPattern, decimals: number): NumberForm {
  const hasInk = (text: string | null) => text === null || text.trim() !== "";
  const inked = pattern.slice(pattern.findIndex(hasInk), pattern.findLastIndex(hasInk) + 1);
  if (inked.length > mostPlaces || !(decimals <= mostPlaces)) return plain;
  if (inked.filter((text) => text === null).length < 2) return plain;
  const trimmed = inked.map((text, at) => {
    const begun = at === 0 ? text?.trimStart() : text;
    return (at === inked.length - 1 ? begun?.trimEnd() : begun) ?? null;
  });
  return { kind: "digits", pattern: trimmed, decimals, hasMinus: true };
}

/**
 * A number as its zeros show it: `172` in `00000` is `00172`. Undefined if that would not show the
 * whole of it, such as a fraction in a format without decimals.
 *
 * @param digits a number without exponent
 */
export function fillDigits(form: DigitsForm, digits: string): string | undefined {
  if (!digits.startsWith("-")) return fillPattern(form, digits);
  const filled = form.hasMinus ? fillPattern(form, digits.slice(1)) : undefined;
  return filled === undefined ? undefined : `-${filled}`;
}

function fillPattern({ pattern, decimals }: DigitsForm, digits: string): string | undefined {
  const [whole = "", fraction = ""] = digits.split(".");
  if (fraction.length > decimals) return undefined;
  const zeros = pattern.filter((text) => text === null).length;
  const padded = whole.padStart(zeros, "0");
  let at = padded.length - zeros;
  let shown = "";
  let isFirst = true;
  for (const text of pattern) {
    if (text !== null) {
      shown += text;
      continue;
    }
    // Digits beyond the pattern stand before it.
    shown += isFirst ? padded.slice(0, at + 1) : padded[at];
    isFirst = false;
    at++;
  }
  return decimals === 0 ? shown : `${shown}.${fraction.padEnd(decimals, "0")}`;
}
