import { normalized } from "../../model/normalized.ts";

/** Letters that are not a letter and a mark. */
const foldings: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
};

/** A header's words, without case, accents and punctuation, so that headers can be compared. */
export function foldHeader(header: string): string {
  const words = header
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})(?<!\p{Lu}s(?!\p{L}))/gu, "$1 $2");
  return normalized(words, "NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[ßæœøđðłı]/g, (letter) => foldings[letter] ?? letter)
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replaceAll(/\be ?mail(s\b)?/g, "email")
    .replaceAll(/\bmail address\b/g, "email address");
}

const longestName = 60;

/** The snake_case name that a member gets of a folded header; blank where nothing is left of it. */
export function snakeCase(folded: string): string {
  return [...folded.replaceAll(" ", "_")].slice(0, longestName).join("").replace(/_+$/, "");
}
