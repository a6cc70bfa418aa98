/**
 * A text in a normal form of Unicode. A text with more marks on one letter than any script has
 * stays as it is: sorting the marks of a cell of 100 kB takes seconds.
 */
export function normalized(text: string, form: "NFC" | "NFKC" | "NFKD"): string {
  return manyMarks.test(text) ? text : text.normalize(form);
}

/** The lookbehind keeps the search from starting again at each mark. */
const manyMarks = /(?<!\p{M})\p{M}{100}/u;
