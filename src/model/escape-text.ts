/** Characters that end a line, control a terminal, or turn the direction of a text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text in one line that a terminal shows as it is: `\n`, `\u001b`. The name of a file can hold
 * anything but NUL and a slash, and must not pass for a line of ours.
 */
export function oneLine(text: string): string {
  return text.replaceAll(unprintable, escaped);
}

/** A character as JSON can write it: `\n`, `\u001b`. */
export function escaped(character: string): string {
  const written = JSON.stringify(character).slice(1, -1);
  if (written !== character) return written;
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * A text in a normal form of Unicode. A text with more marks on one letter than any script has
 * stays as it is: sorting the marks of a cell of 100 kB takes seconds.
 */
export function normalized(text: string, form: "NFC" | "NFKC" | "NFKD"): string {
  return manyMarks.test(text) ? text : text.normalize(form);
}

/** The lookbehind keeps the search from starting again at each mark. */
const manyMarks = /(?<!\p{M})\p{M}{100}/u;

/** `max_errors` for `maxErrors`. */
export function inSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
