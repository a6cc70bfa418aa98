import { normalized } from "../../model/escape-text.ts";
import { type ColumnKind, columnKinds, isSecret, kindNames, membersOfKind } from "./kinds.ts";
import { languages } from "./languages.ts";
import { products } from "./products.ts";

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
function inAscii(word: string): string {
  return word.replaceAll(
    /[äöüøå]/gi,
    (letter) => umlauts[letter.toLowerCase() as keyof typeof umlauts],
  );
}

const umlauts = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };

/** A folded header without spaces, as in "dateofbirth"; and without "of", as in "fecha nacimiento". */
function spellingsOf(folded: string): string[] {
  const short = folded.replaceAll(/ (?:de|di|da|du|del|do|of|the)(?= )/g, "");
  return [withoutSpaces(folded), withoutSpaces(short)];
}

export function withoutSpaces(folded: string): string {
  return folded.replaceAll(" ", "");
}

/** A word of a table: the meaning of a whole header. Without a member, the word means nothing known there. */
export interface HeaderMeaning {
  readonly language: string;
  readonly member: string | undefined;
}

export const hasNoSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

export interface VocabularyTable {
  /** By the letters of a header, without spaces. */
  readonly meanings: ReadonlyMap<string, string | undefined>;
  readonly forms: ReadonlyMap<ColumnKind, RegExp>;
  /** The other words with a meaning, such as `=person`. */
  wordsOf(meaning: string): readonly string[];
}

/** Reads a table; see `languages.ts` for its form. */
function readVocabulary(text: string): VocabularyTable {
  const entries = text.split("·").flatMap((entry) => {
    const [, meaning = "", words = ""] = /^\s*(\S+):\s(.+)$/s.exec(entry) ?? [];
    const given = words.split(",").map((one) => one.trim());
    return [...new Set([...given, ...given.map(inAscii)])].map((word) => ({ meaning, word }));
  });
  const meanings = entries.flatMap(({ meaning, word }) => {
    if (/^=(?!other)/.test(meaning)) return [];
    const member = meaning === "=other" ? undefined : meaning;
    return spellingsOf(foldHeader(word)).map((letters) => [letters, member] as const);
  });
  const wordsOf = (meaning: string) =>
    entries.flatMap((one) => (one.meaning === meaning ? [one.word] : []));
  const forms = kindNames.flatMap((kind) => {
    const { within } = columnKinds[kind];
    const ofMembers = within === undefined ? [] : membersOfKind(kind).flatMap(wordsOf);
    const words = ofMembers.map((word) => (within === "at_end" ? `${word}$` : word));
    const patterns = [...wordsOf(`=${kind}`), ...words].map(patternOf);
    return patterns.length === 0 ? [] : [[kind, new RegExp(patterns.join("|"), "u")] as const];
  });
  return { meanings: new Map(meanings), forms: new Map(forms), wordsOf };
}

/** `^word`, `word$`, `-word`, `word-` and `word` as patterns for a folded header. */
function patternOf(word: string): string {
  // "documento de identidade" is "documento identidade".
  const letters = foldHeader(word).replaceAll(" ", " (?:d[aeio] )?");
  const end = word.endsWith("$") ? "$" : "";
  if (word.endsWith("-")) return `(?:^| )${letters}`;
  if (hasNoSpaces.test(letters)) return letters + end;
  const article = /^\p{Script=Arabic}/u.test(letters) ? "(?:ال)?" : "";
  const start = word.startsWith("^") ? "^" : word.startsWith("-") ? "\\S\\S" : `(?:^| )${article}`;
  return `${start}${letters}${end || "(?:$| )"}`;
}

const vocabularies = Object.entries(languages).map(([language, text]) => ({
  language,
  ...readVocabulary(text),
}));

export function wordsOf(meaning: "=person" | "=company" | "=thing" | "=row"): ReadonlySet<string> {
  return new Set(vocabularies.flatMap((table) => table.wordsOf(meaning).map(foldHeader)));
}

/** What the people are called that rows are about. */
export const personWords = wordsOf("=person");

const ofProducts = Object.values(products).map(readVocabulary);

/** The program whose export it is, if a few of its columns are there. */
export function productOf(folded: readonly string[]): VocabularyTable | undefined {
  const headers = new Set(folded.map(withoutSpaces));
  const signsOf = (table: VocabularyTable) =>
    table.wordsOf("=sign").filter((sign) => headers.has(withoutSpaces(foldHeader(sign)))).length;
  const [best] = ofProducts.toSorted((a, b) => signsOf(b) - signsOf(a));
  return best !== undefined && signsOf(best) >= 3 ? best : undefined;
}

/** What a whole header means in each language that knows it. */
export function meaningsOf(folded: string): HeaderMeaning[] {
  const spellings = spellingsOf(folded);
  return vocabularies.flatMap(({ language, meanings }) => {
    const letters = spellings.find((one) => meanings.has(one));
    return letters === undefined ? [] : [{ language, member: meanings.get(letters) }];
  });
}

/**
 * What the words of a header say in one of these languages, or in any other that says it of what no amount and no day
 * is made: "data" is a day in four languages.
 */
export function kindOfWords(folded: string, first: readonly string[]): ColumnKind | undefined {
  const spoken = first.flatMap((one) => vocabularies.filter(({ language }) => language === one));
  for (const table of [...spoken, ...vocabularies]) {
    const isForeign = spoken.length > 0 && !spoken.includes(table) && table.language !== "English";
    for (const [kind, form] of table.forms) {
      const mayBe = !isSecret(kind) && !(isForeign && ambiguous.includes(kind));
      if (mayBe && form.test(folded)) return kind;
    }
  }
  return undefined;
}

const ambiguous: readonly ColumnKind[] = ["date", "amount", "code", "list"];
const sensitive: readonly ColumnKind[] = ["password", "secret", "national_id", "bank"];

/** "ログインPW" is two words. */
const besideLatin = new RegExp(`${hasNoSpaces.source}(?=\\p{Script=Latin})`, "gu");

/** What is never sent unasked, or not without a comment, if the words of a header name it in any language. */
export function sensitiveOf(header: string, own?: VocabularyTable): ColumnKind | undefined {
  const folded = header.replaceAll(besideLatin, "$& ");
  const all = own === undefined ? vocabularies : [own, ...vocabularies];
  return sensitive.find((kind) => all.some(({ forms }) => forms.get(kind)?.test(folded)));
}
