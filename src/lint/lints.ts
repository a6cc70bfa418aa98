import type { ColumnUse } from "../model/finding.ts";
import { nullSigns, nullTexts, nullWordsOfPrograms } from "../model/null-words.ts";
import { sum } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { flagsOfSeveral, yesAndNo } from "../model/yes-no.ts";
import { feature } from "./cell-features.ts";
import { exampleOf, type Lint, mergeSeen, type Notice, type Subject } from "./lint.ts";

const subjects: Readonly<Record<Subject, RegExp>> = {
  phone: /phone|(?:^|[^a-z])(?:tel|cell)|t[eé]l[eé](?:f|ph)|mobil|handy|fax|電話|电话|전화/i,
  postal_code:
    /(?:^|[^a-z])(?:zip|plz|cap)(?:[^a-z]|$)|zip[ _-]?code|postal|post[ _-]?code|postleitzahl|ingzip/i,
  birthday: /birth|born|\bdob\b/i,
};

/** What a column is about, by its name and that of its member. */
export function subjectsOf({ column, member }: ColumnUse): readonly Subject[] {
  const names = [column, member?.name ?? ""];
  const all = Object.keys(subjects) as Subject[];
  return all.filter((subject) => names.some((name) => subjects[subject].test(name)));
}

/** Whether the mapping sends the text itself; a function may send anything. */
function isSentAsText({ asText, byFunction }: ColumnUse): boolean {
  return asText && byFunction === undefined;
}

/**
 * `1.23457E+15`: how spreadsheet programs write long numbers, which a mapping to a number would only hide. 1.5E-7, 1e+05
 * of R and the code 12E5 have lost nothing.
 */
const scientificNumbers: Lint = {
  kind: "scientific_numbers",
  features: feature.number | feature.edgeSpace,
  classOf(cell) {
    const [, decimals = "", exponent = 0] =
      /^\s*[+-]?\d+(?:[.,](\d+))?e(\+\d{1,3})\s*$/i.exec(cell) ?? [];
    const isShown = Number(exponent) <= Math.max(decimals.length, maxShownExponent);
    return isShown ? undefined : "lost";
  },
};

const maxShownExponent = 9;

/** Spreadsheet programs keep 15 digits. One long number may end in zeros by chance, so more than half have to. */
const longNumbers: Lint = {
  kind: "long_numbers",
  features: feature.digits | feature.number,
  classOf(cell) {
    if (!/^[+-]?\d{16,39}$/.test(cell)) return undefined;
    // A number with zeros before the sixteenth digit too is a round one.
    return /^[+-]?[1-9]\d{9}(?!00000)\d{5}0+$/.test(cell) ? "cut" : "whole";
  },
  judge({ classes }) {
    const cut = classes.get("cut");
    return cut !== undefined && cut.all > (classes.get("whole")?.all ?? 0)
      ? { of: cut }
      : undefined;
  },
};

/** Codes that are shorter than those that begin with a zero, or than postal codes. Their class is their length, negative after a zero. */
const lostLeadingZeros: Lint = {
  kind: "lost_leading_zeros",
  features: feature.digits | feature.edgeSpace | feature.number,
  // Phone numbers are written with a zero that others lack, or with that of a country.
  suits: ({ asText, isPadded, subjects }) => asText && !isPadded && !subjects.includes("phone"),
  classOf(cell, { subjects }) {
    if (cell.length > maxCodeLength) return undefined;
    const code = cell.trim();
    if (/^\d+$/.test(code)) {
      return /^0./.test(code) ? -code.length : code.length;
    }
    // 1012 AB and 00-950 are of other countries than those of five digits; not 12345-6789.
    const isForeign = /^(?!\d{5}-\d{4}$)[\d+-]/.test(code);
    return isForeign && subjects.includes("postal_code") ? "foreign" : undefined;
  },
  // Numbers of different lengths are normal unless some begin with a zero, or are postal codes of which most have five
  // digits. A few cells of another length change nothing.
  judge({ count, classes, filled }, { subjects }) {
    const codes = [...classes.values()].flatMap((tally) =>
      typeof tally.name === "number" ? [{ tally, length: tally.name }] : [],
    );
    const countOf = (fits: (length: number) => boolean) =>
      sum(codes.filter((one) => fits(one.length)).map(({ tally }) => tally.all));
    const [padded] = codes
      .filter((one) => one.length < 0)
      .toSorted((a, b) => b.tally.all - a.tally.all || b.length - a.length);
    const most = padded?.tally.all ?? 0;
    const length = padded === undefined ? 5 : -padded.length;
    const shorter = codes.filter((one) => one.length > 0 && one.length < length);
    const of = mergeSeen(shorter.map(({ tally }) => tally));
    const here = countOf((one) => Math.abs(one) === length);
    const isMost = here * 2 > countOf(() => true);
    const isPostal = subjects.includes("postal_code");
    // Where postal codes keep their zeros, many shorter ones are of other countries.
    const foreign = classes.get("foreign")?.all ?? 0;
    const isAbroad =
      foreign > countOf(() => true) * some || (of.count > most && most >= here * some);
    // One odd cell that begins with a zero does not make codes of ordinary numbers, which differ in length.
    const isEvidence =
      most > 0 &&
      most >= countOf((one) => one < 0) * nearlyAllCells &&
      countOf((one) => one > length) <= here &&
      of.count <= most * (isMost ? 100 : 10);
    const isUsual = isPostal && length === 5 && isMost;
    const isSound = count * 2 >= filled && !(isPostal && isAbroad);
    if (!isSound || !(isUsual || isEvidence)) return undefined;
    const example = classes.get(-length)?.example;
    const others = example === undefined ? "most others" : `others such as ${example}`;
    return { of, values: { length, others } };
  },
};

const maxCodeLength = 20;
const nearlyAllCells = 0.9;
const some = 0.05;

const droppedLeadingZeros: Lint = {
  kind: "dropped_leading_zeros",
  features: feature.digits | feature.edgeSpace,
  suits: ({ asNumber }) => asNumber !== undefined,
  classOf: (cell) => (/^\s{0,9}0{1,40}[1-9]\d{0,40}\s{0,9}$/.test(cell) ? "padded" : undefined),
  judge(found, { member }) {
    const code = exampleOf(found);
    const isNumber = (member?.spec.type ?? "string") !== "string";
    return {
      values: { code, number: code.replace(/^0+/, "") },
      memberKeys: isNumber ? { type: "string" } : undefined,
    };
  },
};

/**
 * Dates in several forms, and those of which nobody sees whether the day or the month comes first. The class of a date
 * is what comes first, and its form: `d/yyyy`, or `=iso`. What comes first is `?` in 03/04/2024, where either may, and
 * `=` in 05/05/2024 and 03.04.2024, where that is no question.
 */
const dates: Lint = {
  kind: "mixed_date_order",
  features: feature.number | feature.edgeSpace,
  suits: ({ asText }) => asText,
  classOf(given) {
    const cell = given.trim();
    if (/^\d{4}-\d\d-\d\d(?:$|[T ])/.test(cell)) return "=iso";
    const parts = numericDate.exec(cell);
    if (parts === null) return undefined;
    const [, first, separator = "", second, year = "", time = ""] = parts;
    const [one, two] = [Number(first), Number(second)];
    const isDate = one > 0 && two > 0 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
    if (!isDate) return undefined;
    const isDecided = one === two || separator === ".";
    const order = one > 12 ? "d" : two > 12 ? "M" : isDecided ? "=" : "?";
    return `${order}${separator}${"y".repeat(year.length)}${time === "" ? "" : " time"}`;
  },
  judge({ classes, filled }): Notice | undefined {
    const tallies = [...classes.values()];
    // Two cells like dates among names say nothing of the column.
    if (sum(tallies.map(({ all }) => all)) * 2 < filled) return undefined;
    const ofOrder = (order: string) => tallies.filter(({ name }) => String(name).startsWith(order));
    const [dayFirst, monthFirst, either] = [ofOrder("d"), ofOrder("M"), ofOrder("?")];
    if (dayFirst.length > 0 && monthFirst.length > 0) {
      const [days, months] = [mergeSeen(dayFirst), mergeSeen(monthFirst)];
      const isDay = months.count === 0 || (days.count > 0 && days.count <= months.count);
      return { of: isDay ? days : months, values: { part: isDay ? "day" : "month" } };
    }
    const isEither = dayFirst.length === 0 && monthFirst.length === 0 && either.length > 0;
    const forms = [...classes.keys()].map((name) => String(name).slice(1));
    /** With times, or years of two digits, only a person can say the format. */
    const formats = [...new Set(forms)].map((form) => {
      const sign = /^(.)yyyy$/.exec(form)?.[1];
      if (form === "iso") return form;
      return sign && (monthFirst.length > 0 && sign === "/" ? "M/d/yyyy" : `d${sign}M${sign}yyyy`);
    });
    const signs = new Set(forms.map((form) => form.charAt(0)));
    const isMixed = signs.size > 1 && (signs.has("i") || !isEither);
    const isSure = !formats.includes(undefined) && (isMixed ? !isEither : formats.length === 1);
    const format = isMixed ? formats.toSorted((a) => (a === "iso" ? -1 : 0)) : formats[0];
    const memberKeys = isSure ? { type: "date", format } : undefined;
    const examples = tallies.slice(0, 3).map(({ example }) => example);
    if (isMixed) {
      return { kind: "mixed_date_forms", values: { examples: examples.join(" and ") }, memberKeys };
    }
    return isEither
      ? { kind: "ambiguous_date_order", of: mergeSeen(either), memberKeys }
      : undefined;
  },
};

const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;

/** Space around a cell that is sent with it, or makes another ordering key. */
const surroundingSpaces: Lint = {
  kind: "surrounding_spaces",
  features: feature.edgeSpace,
  suits: ({ keepsSpace }) => keepsSpace !== false,
  classOf(cell) {
    const { length } = cell.trim();
    return length > 0 && length < cell.length ? "spaces" : undefined;
  },
  judge(_, { keepsSpace, member }) {
    if (keepsSpace === "in_key") {
      const becomes =
        "makes an ordering key of its own: give the column transform: trim in ordering_key";
      return { values: { becomes } };
    }
    const steps = [member?.spec.transform ?? []].flat();
    const transform = steps.length === 0 ? "trim" : ["trim", ...steps];
    return {
      values: { becomes: "is sent as part of the text" },
      memberKeys: steps.includes("trim") ? undefined : { transform },
    };
  },
};

/** Text that may stand for a missing value, but is sent as text. */
const nullValues: Lint = {
  kind: "null_values",
  features: feature.placeholder | feature.edgeSpace,
  classOf(cell, { knownCells }) {
    if (cell.length > longestNullWord + 2) return undefined;
    const word = cell.trim();
    return nullWords.has(word) && !knownCells.has(word) ? word : undefined;
  },
  judge({ classes, filled }) {
    // A dash or a "None" is a text as well where few cells have it.
    const found = [...classes.values()].filter(
      ({ name, all }) => !weakWords.has(String(name)) || all >= filled * some,
    );
    const nullWords = found.map(({ name }) => String(name));
    return { of: mergeSeen(found), nullWords, hasOthers: found.length < classes.size };
  },
};

const errors = ["#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!"];
const weakWords: ReadonlySet<string> = new Set([...nullSigns, ...nullTexts]);
const nullWords: ReadonlySet<string> = new Set([...nullWordsOfPrograms, ...weakWords, ...errors]);
const longestNullWord = Math.max(...[...nullWords].map((word) => word.length));

/**
 * UTF-8 that a program read as windows-1252 (or Latin-1) and saved as UTF-8: `MÃ¼ller`, `donâ€™t`. And characters of C1,
 * which no keyboard has, or U+FFFD, which stands for bytes that a program could not read.
 */
const damagedLetters: Lint = {
  kind: "control_characters",
  features: feature.utf8Lead,
  suits: ({ asText }) => asText,
  classOf(cell, { knownCells }) {
    if (knownCells.has(cell)) return undefined;
    return doubled.test(cell) ? "doubled" : /[\u0080-\u009f\ufffd]/.test(cell) ? "c1" : undefined;
  },
  judge({ classes }) {
    const of = classes.get("doubled");
    if (of === undefined) return {};
    const [original] = of.first.flatMap(({ value = "" }) => undoDoubleEncoding(value) ?? []);
    const example = original === undefined ? "" : ` (such as ${quote(original)})`;
    return { kind: "double_encoding", of, values: { original: example } };
  },
};

/** The characters of bytes 80 to 9F in windows-1252; in Latin-1 for the five that it lacks. */
const from80To9f = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const any = `[${from80To9f}\u0080-\u00bf]`;
/** Characters that follow a letter in no text: all but quotes, dashes, dots and space. */
const unusual = "[\u0080-\u009f€‚ƒ„†‡ˆ‰Š‹ŒŽ˜šœžŸ\u00a1-\u00ba\u00bc-\u00bf]";

const doubled = new RegExp(
  [
    // Letters of Western and Central Europe, and the symbols of Latin-1.
    `[ÂÃÄÅ]${unusual}`,
    `(?<!\\p{L})[ÂÃÄÅ]${any}(?=[\\p{L}\\d])`,
    `(?<=\\p{Ll})[ÂÃÄÅ]${any}`,
    "(?<!\\p{L})Ã\u00a0",
    // Cyrillic, Greek, Hebrew and Arabic letters, which come in sequences.
    `(?:[Â-ß]${any}){2}`,
    // Quotes, dashes, the euro and trade mark signs, and a byte order mark.
    "â[€\u0080]|â[‚\u0082]¬|â[„\u0084]¢|ï»¿",
  ].join("|"),
  "u",
);

/** The text before it was encoded twice; undefined if the cell is not such a text as a whole. */
export function undoDoubleEncoding(cell: string): string | undefined {
  const bytes = Array.from(cell, (character) => {
    const at = from80To9f.indexOf(character);
    return at < 0 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
  });
  if (bytes.some((byte) => byte > 0xff)) return undefined;
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\ufffd") ? undefined : text;
}

/** The class of a number is the sign before its fraction, with the one between its thousands if it has one. */
const mixedDecimals: Lint = {
  kind: "mixed_decimals",
  features: feature.number,
  suits: isSentAsText,
  classOf(cell) {
    // The end of most cells shows already that they are no such number.
    if (!/[.,]\d{1,2}$/.test(cell.slice(-3))) return undefined;
    const [, whole = "", sign = ""] =
      /^[+-]?(\d[\d., '’\u00a0\u202f]*)([.,])\d{1,2}$/.exec(cell) ?? [];
    if (/^\d+$/.test(whole)) return sign;
    const [, between] = /^\d{1,3}(?:(\D)\d{3})+$/.exec(whole) ?? [];
    if (between === undefined || between === sign) return undefined;
    return sign + between.replace("’", "'").replace(/\s/, " ");
  },
  judge({ count, classes, filled }) {
    const all = [...classes.values()];
    const [comma, point] = [",", "."].map(
      (sign) => all.find(({ name }) => String(name).startsWith(sign))?.example,
    );
    if (comma === undefined || point === undefined || count * 2 < filled) return undefined;
    const [grouped = "", another] = [...classes.keys()].map(String).filter((name) => name[1]);
    const [sign = ".", between] = grouped;
    const pattern = `${sign === "," ? "[.]" : ","}(\\d{1,2})$`;
    const memberKeys = {
      transform: { replace: { pattern, with: `${sign}$1` } },
      ...{ type: "number", ...(sign === "," ? { decimal_separator: sign } : {}) },
      ...(between === undefined ? {} : { thousands_separator: between }),
    };
    return { values: { comma, point }, memberKeys: another === undefined ? memberKeys : undefined };
  },
};

const mixedFlags: Lint = {
  kind: "mixed_yes_and_no",
  features: feature.shortWord,
  suits: isSentAsText,
  classOf(cell) {
    const word = cell.toLowerCase();
    return flagWords.has(word) ? word : undefined;
  },
  judge({ count, classes, filled }) {
    const words = [...classes.keys()].map(String);
    const flags = flagsOfSeveral(words);
    const isOne = yesAndNo.some((pair) => words.every((word) => pair.includes(word)));
    // Some write a cross, or perhaps, among them.
    if (flags === undefined || isOne || count * 3 < filled * 2) return undefined;
    return { values: { words: words.join(", ") }, memberKeys: { type: "boolean", ...flags } };
  },
};

const flagWords: ReadonlySet<string> = new Set(yesAndNo.flat().filter((word) => word.length > 1));

const birthdays: Lint = {
  kind: "unlikely_birthdays",
  features: feature.number | feature.digits,
  suits: ({ subjects }) => subjects.includes("birthday"),
  classOf(cell, { thisYear }) {
    const [, first, last] = /^(?:(\d{4})(?:\D|\d{4}$)|\d.*\D(\d{4})$)/.exec(cell) ?? [];
    const year = Number(first ?? last);
    return year > thisYear || (year >= 1000 && year < 1900) ? "odd" : undefined;
  },
};

/** Every lint of cells. CONTRIBUTING.md says what a new one needs. */
export const lints: readonly Lint[] = [
  ...[scientificNumbers, longNumbers, damagedLetters],
  ...[surroundingSpaces, dates, lostLeadingZeros, droppedLeadingZeros, nullValues],
  ...[mixedDecimals, mixedFlags, birthdays],
];
