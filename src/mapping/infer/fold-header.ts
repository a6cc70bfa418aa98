import { normalized } from "../../model/escape-text.ts";

/** Letters that Unicode does not decompose. */
const foldings = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", ı: "i" };

/** Names that are one word, although they have a capital within. */
const brands = /WhatsApp|LinkedIn|YouTube|GitHub|TikTok|PayPal|HubSpot|WordPress|MySpace/g;

/** The words of a header without case, accents and punctuation, for comparison. */
export function foldHeader(header: string): string {
  const words = header
    .replaceAll(brands, (brand) => brand.charAt(0) + brand.slice(1).toLowerCase())
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})(?<!\p{Lu}s(?!\p{L}))/gu, "$1 $2");
  // In other scripts, marks are letters: without them, it would be another word.
  const plain = normalized(words, "NFKD").replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1");
  return normalized(plain, "NFC")
    .toLowerCase()
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll(/[ßæœøđðłı]/g, (letter) => foldings[letter as keyof typeof foldings])
    .replaceAll(/['’`"״]/g, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .replaceAll(/\be ?mail(s\b)?/g, "email");
}

/** A word as who has no umlauts writes it. */
export function inAscii(word: string): string {
  return word.replaceAll(
    /[äöüøå]/gi,
    (letter) => umlauts[letter.toLowerCase() as keyof typeof umlauts],
  );
}

const umlauts = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };

/** A folded header without spaces, as in "dateofbirth"; and without "of", as in "fecha nacimiento". */
export function spellingsOf(folded: string): string[] {
  const short = folded.replaceAll(/ (?:de|di|da|du|del|do|of|the)(?= )/g, "");
  return [withoutSpaces(folded), withoutSpaces(short)];
}

export function withoutSpaces(folded: string): string {
  return folded.replaceAll(" ", "");
}
