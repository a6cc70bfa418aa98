/** @param isCut whether the text goes on, so that its end may be the beginning of the secret */
export type Redact = (text: string, isCut?: boolean) => string;

/** Takes a secret out of texts, also where JSON, a URL or HTML has escaped characters of it. */
export function createRedact(secret: string, mask: string): Redact {
  // Backslashes in a row are one: how many of the text's belong to which could be tried without end.
  const forms = [...secret.matchAll(/\\+|[^\\]/gu)].map(([part]) =>
    part.startsWith("\\") ? backslashes(part.length) : anyForm(part),
  );
  // A token may be longer than an expression can be: its beginning is searched for, the rest followed.
  const beginning = new RegExp(forms.slice(0, mostSearched).join(""), "g");
  const known = new Map<string, RegExp>();
  const characters = forms.map((form) => {
    const character = known.get(form) ?? new RegExp(form, "y");
    known.set(form, character);
    return character;
  });

  /** Where the secret ends that begins with what was found up to `end`; nothing where it does not go on. */
  const followFrom = (text: string, end: number): number | undefined => {
    let at = end;
    for (const character of characters.slice(mostSearched)) {
      character.lastIndex = at;
      if (!character.test(text)) return undefined;
      at = character.lastIndex;
    }
    return at;
  };
  const withoutWhole = (text: string): string => {
    let kept = "";
    let keptUntil = 0;
    beginning.lastIndex = 0;
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
      const end = followFrom(text, beginning.lastIndex);
      if (end === undefined) {
        beginning.lastIndex = found.index + 1;
        continue;
      }
      kept += text.slice(keptUntil, found.index) + mask;
      keptUntil = end;
      beginning.lastIndex = end;
    }
    return kept + text.slice(keptUntil);
  };

  /** Where the text ends with the beginning of the secret; its length where it does not. */
  const beginningAtEnd = (text: string): number => {
    const first = Math.max(0, text.length - longestForm * secret.length);
    for (let start = first; start < text.length; start++) {
      let at = start;
      for (const [number, character] of characters.entries()) {
        if (number >= shortestBeginning && cutForm.test(text.slice(at, at + longestForm + 1))) {
          return start;
        }
        character.lastIndex = at;
        if (!character.test(text)) break;
        at = character.lastIndex;
      }
    }
    return text.length;
  };

  return (text, isCut = false) => {
    const redacted = withoutWhole(text);
    if (!isCut) return redacted;
    const end = beginningAtEnd(redacted);
    return end === redacted.length ? redacted : redacted.slice(0, end) + mask;
  };
}

/** Characters of the secret that one expression searches for. */
const mostSearched = 16;

/** Fewer characters tell nothing, and any text may end with them. */
const shortestBeginning = 3;

/** Of a character that JSON in JSON in JSON, or HTML with zeros, has escaped. */
const longestForm = 16;

/** Nothing, or what a cut leaves of an escaped character. */
const cutForm = /^(?:\\{1,8}(?:u[\da-f]{0,3})?|%[\da-f]?|&(?:#x?[\da-f]{0,11}|[a-z]{0,4}))?$/i;

/** A pattern for a character as it is, or escaped. All repetition is bounded: the text is not ours. */
function anyForm(character: string, asItIs?: readonly string[]): string {
  const decimal = character.charCodeAt(0);
  const hex = decimal.toString(16).padStart(2, "0");
  const eitherCase = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = entityNames[character];
  const forms = [
    `\\\\{1,8}u00${eitherCase}`,
    `%(?:25){0,2}${eitherCase}`,
    `&#0{0,8}${decimal};`,
    `&#[xX]0{0,8}${eitherCase};`,
    ...(name === undefined ? [] : [`&${name};`]),
    // The last, as some of the others begin with it.
    ...(asItIs ?? [`\\\\{0,8}\\x${hex}`]),
  ];
  return `(?:${forms.join("|")})`;
}

/** So many backslashes in a row, as they are or all escaped. */
function backslashes(count: number): string {
  return `(?:\\\\{${count},${8 * count}}(?!u00)|${anyForm("\\", [])}{${count}})`;
}

const entityNames: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "+": "plus",
  "/": "sol",
  "=": "equals",
  _: "lowbar",
  ".": "period",
};
