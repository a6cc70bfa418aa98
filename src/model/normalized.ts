/**
 * A text in a normal form of Unicode. More marks on one letter than any script has are left as they are:
 * the library sorts them one by one into their order, which takes seconds for a cell of 100 kB.
 */
export function normalized(text: string, form: "NFC" | "NFKC" | "NFKD"): string {
  return manyMarks.test(text) ? text : text.normalize(form);
}

/** The look back keeps each of them from being counted from. */
const manyMarks = /(?<!\p{M})\p{M}{100}/u;
