import { createDecoder } from "./create-decoder.ts";

/** An encoding that bytes seem to be in. */
export interface GuessedEncoding {
  /** As people call it. */
  readonly name: string;
  /** As `--encoding` takes it. */
  readonly label: string;
}

/**
 * Guesses the encoding of text that is not UTF-8: the one in which the bytes beyond ASCII most likely are
 * what people write. A cell is a name or a few words, so this goes by letters and not by a language's words.
 *
 * @returns undefined if they are not likely in any
 */
export function guessEncoding(bytes: Buffer): GuessedEncoding | undefined {
  let best: GuessedEncoding | undefined;
  let least = worstCost * bytes.filter((byte) => byte >= 0x80).length;
  for (const [name, costOf] of candidates) {
    const label = name.toLowerCase();
    const text = createDecoder(label)(bytes, true);
    if (text === undefined || controls.test(text)) continue;
    const cost = costOf(bytes, text);
    // Where two are as likely, the one that stands first is more usual.
    if (cost < least) best = { name, label };
    least = Math.min(least, cost);
  }
  return best;
}

/** Real text has no control characters. */
const controls = /[^\P{Cc}\t\r\n]/u;

/*
 * The less likely a text, the higher its cost. For each byte beyond ASCII it is about the logarithm of how
 * many characters it may be.
 */
const letterCost = 4;
const otherLetterCost = 8;
const usualSymbolCost = 4;
const symbolCost = 9;
const oddCost = 13;
const worstCost = 7;

type CostOf = (bytes: Buffer, text: string) => number;

/**
 * @param languages the small letters beyond ASCII of each language that an encoding is for
 * @param costBeside what a letter costs that is of another of them than most
 */
function letters(languages: string, costBeside = otherLetterCost): CostOf {
  const all = [...languages].map((letter) => [letter, costBeside] as const);
  const ofLanguage = languages.split(" ").map((alphabet) => {
    return new Map([...all, ...[...alphabet].map((letter) => [letter, letterCost] as const)]);
  });
  return (_, text) => Math.min(...ofLanguage.map((costs) => costIn(costs, text)));
}

function costIn(costs: ReadonlyMap<string, number>, text: string): number {
  let cost = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character < "\u0080") continue;
    const [before = "", after = ""] = [text[at - 1], text[at + 1]];
    const isInWord = isLetter.test(before) && isLetter.test(after);
    if (!isLetter.test(character)) {
      const isUsual = usualSymbols.includes(character);
      cost += isUsual && (!isInWord || character === "’") ? usualSymbolCost : symbolCost;
      if (isInWord && !isUsual) cost += oddCost - symbolCost;
      continue;
    }
    const isLone = !isLetter.test(before + after) && isCapital.test(character);
    const usual = costs.get(character.toLowerCase()) ?? otherLetterCost;
    cost += isLone ? otherLetterCost : usual;
    const isCapitalInWord = isSmallThenCapital.test(before + character + after);
    const isOfTwoScripts = !isLatin.test(character) && /[a-z]/i.test(before + after);
    if (isCapitalInWord || isOfTwoScripts) cost += oddCost - letterCost;
  }
  return cost;
}

const isLetter = /\p{L}/u;
const isCapital = /\p{Lu}/u;
const isSmallThenCapital = /\p{Ll}\p{Lu}/u;
const isLatin = /\p{Script=Latin}/u;
const usualSymbols = "’‘“”„–—…€£°«»®™ªº§\u00a0";

/**
 * @param leads the first bytes of the usual characters of two bytes: from, to, and what such a character costs
 * @param leastSecond the second byte of usual characters is at least this
 */
function pairs(leads: readonly number[][], leastSecond: number): CostOf {
  return (bytes) => {
    let cost = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte < 0x80) continue;
      const [, , usual = oddCost] =
        leads.find(([from = 0, to = 0]) => from <= byte && byte <= to) ?? [];
      const isWhole = usual === halfWidthCost;
      if (!isWhole) at++;
      cost += isWhole || (bytes[at] ?? 0) >= leastSecond ? usual : oddCost;
    }
    return cost;
  };
}

/** Katakana of one byte. */
const halfWidthCost = 7.5;

/** Customers come from several countries. */
const western = letters("äöüß éèêëàâçîïôùûœæ áéíóúñü áâãàçéêíóôõú àèéìòù åäöæøé éëïöüè", 5);
const central = letters("ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű ăâîşţ čćđšž äöüß");
const cyrillic = letters("абвгдежзийклмнопрстуфхцчшщъыьэюяё абвгдежзийклмнопрстуфхцчшщьюяіїєґ");
const spaces = [0x81, 0x81, 7];
const kana = [0x82, 0x83, 5];

/** The usual characters of two bytes are kana, Hangul, and the first level of each standard. */
const candidates: readonly (readonly [name: string, costOf: CostOf])[] = [
  ["windows-1252", western],
  ["Shift_JIS", pairs([spaces, kana, [0x88, 0x98, 8], [0xa1, 0xdf, halfWidthCost]], 0x40)],
  ["GBK", pairs([[0xb0, 0xd7, 8.2]], 0xa1)],
  ["Big5", pairs([[0xa4, 0xc6, 8.6]], 0x40)],
  ["EUC-KR", pairs([[0xb0, 0xc8, 7.8]], 0xa1)],
  [
    "EUC-JP",
    pairs(
      [
        [0xa1, 0xa1, 7],
        [0xa4, 0xa5, 5],
        [0xb0, 0xcf, 8.5],
      ],
      0xa1,
    ),
  ],
  ["windows-1250", central],
  ["windows-1255", letters("אבגדהוזחטיכלמנסעפצקרשתךםןףץ")],
  ["windows-1251", cyrillic],
  ["windows-1253", letters("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ")],
  ["windows-1254", letters("çğıöşüâîû")],
  ["windows-1256", letters("ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءآأؤإئ")],
  ["windows-1257", letters("ąčęėįšųūž āčēģīķļņšūž äõöüšž")],
  ["CP850", western],
  ["CP852", central],
  ["ISO-8859-2", central],
  ["CP866", cyrillic],
  ["KOI8-R", cyrillic],
];
