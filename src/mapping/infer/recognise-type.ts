import { compileConversion } from "../compile-conversion.ts";
import type { ConversionSpec } from "../value-schema.ts";

/** Whether the day or the month comes first. */
export type DayOrder = "day_first" | "month_first";

export type DateGuess = {
  readonly conversion: ConversionSpec;
  /** The format in the other order, if that fits every cell too. */
  readonly other?: { readonly order: DayOrder; readonly format: string };
};

const times = [
  "",
  " HH:mm",
  " HH:mm:ss",
  " H:mm",
  " H:mm:ss",
  " h:mm a",
  " h:mm:ss a",
  "'T'HH:mm:ss",
  ", HH:mm",
  ", h:mm a",
];

/** Formats whose order is open; strict ones first, so that `05/01/2024` becomes `dd/MM/yyyy`. */
const orders = ["/", ".", "-"].flatMap((sign) =>
  [
    ["dd", "MM", "yyyy"],
    ["d", "M", "yyyy"],
    ["d", "M", "yy"],
  ].map(([day, month, year]) => ({
    day_first: [day, month, year].join(sign),
    month_first: [month, day, year].join(sign),
  })),
);

const unambiguousFormats = [
  "yyyy/MM/dd",
  "yyyy/M/d",
  "yyyy.MM.dd",
  "d MMM yyyy",
  "d MMMM yyyy",
  "d-MMM-yyyy",
  "d-MMM-yy",
  "MMM d, yyyy",
  "MMMM d, yyyy",
];

/**
 * The date format that fits all cells.
 *
 * @param isAboutDates whether the header says so: then numbers can be dates too
 * @param usual the order if the cells do not show it
 */
export function guessDate(
  cells: readonly string[],
  isAboutDates: boolean,
  usual: DayOrder,
): DateGuess | undefined {
  if (cells.every((cell) => /^\s*[\d.]+\s*$/.test(cell) && !/\..*\./.test(cell))) {
    return isAboutDates ? guessNumeric(cells) : undefined;
  }
  if (!cells.every((cell) => /\d/.test(cell) && /[-/. ,]/.test(cell))) return undefined;
  const hasTime = cells.some((cell) => /\d:\d/.test(cell));
  const type = hasTime && !isAlwaysMidnight(cells) ? "datetime" : "date";
  const withFormat = (format: string): ConversionSpec =>
    type === "date" ? { type, format } : { type, format, timezone: "UTC" };
  if (fits({ type }, cells)) {
    const saysZone = cells.every(
      (cell) => /(Z|[+-]\d\d(:?\d\d)?)\s*$/.test(cell) && /:/.test(cell),
    );
    return { conversion: type === "date" || saysZone ? { type } : { type, timezone: "UTC" } };
  }
  for (const time of hasTime ? times.slice(1) : [""]) {
    for (const order of orders) {
      const other = usual === "day_first" ? "month_first" : "day_first";
      const [first, second] = [withFormat(order[usual] + time), withFormat(order[other] + time)];
      const [firstFits, secondFits] = [fits(first, cells), fits(second, cells)];
      if (firstFits && secondFits) {
        return { conversion: first, other: { order: other, format: order[other] + time } };
      }
      if (firstFits || secondFits) return { conversion: firstFits ? first : second };
    }
    const format = unambiguousFormats.find((day) => fits(withFormat(day + time), cells));
    if (format !== undefined) return { conversion: withFormat(format + time) };
  }
  return undefined;
}

/** Dates as numbers: 20240531, days of a spreadsheet, seconds or milliseconds since 1970. */
function guessNumeric(cells: readonly string[]): DateGuess | undefined {
  const within = (min: number, max: number) =>
    cells.every((cell) => Number(cell) >= min && Number(cell) <= max);
  const compact: ConversionSpec = { type: "date", format: "yyyyMMdd" };
  if (fits(compact, cells) && within(19_000_101, 21_001_231)) return { conversion: compact };
  const hasFraction = cells.some((cell) => cell.includes("."));
  const serial: ConversionSpec = {
    type: hasFraction ? "datetime" : "date",
    format: "excel_serial",
  };
  if (within(7_000, 80_000) && fits(serial, cells)) return { conversion: serial };
  const seconds: ConversionSpec = { type: "datetime", format: "X" };
  if (within(3e8, 4e9) && fits(seconds, cells)) return { conversion: seconds };
  const milliseconds: ConversionSpec = { type: "datetime", format: "x" };
  if (within(3e11, 4e12) && fits(milliseconds, cells)) return { conversion: milliseconds };
  return undefined;
}

function isAlwaysMidnight(cells: readonly string[]): boolean {
  return cells.every((cell) => /[ T](00?:00(:00([.,]0+)?)?|12:00(:00)? AM)\s*$/i.test(cell));
}

export function fits(conversion: ConversionSpec, cells: readonly string[]): boolean {
  const convert = compileConversion(conversion, { unlessNull: (text) => text });
  return cells.every((cell) => convert(cell).kind === "value");
}

/** Words for true and false. `type: boolean` knows the first pairs by itself. */
const pairs: readonly (readonly [yes: string, no: string])[] = [
  ["true", "false"],
  ["yes", "no"],
  ["y", "n"],
  ["ja", "nein"],
  ["ja", "nee"],
  ["ja", "nej"],
  ["j", "n"],
  ["wahr", "falsch"],
  ["oui", "non"],
  ["vrai", "faux"],
  ["sí", "no"],
  ["si", "no"],
  ["sì", "no"],
  ["verdadero", "falso"],
  ["vero", "falso"],
  ["sim", "não"],
  ["verdadeiro", "falso"],
  ["waar", "onwaar"],
  ["tak", "nie"],
  ["prawda", "fałsz"],
  ["sant", "falskt"],
];
const builtInPairs = 3;

/** @param isFlag whether the header says so: then 0 and 1 are not numbers */
export function guessBoolean(
  cells: readonly string[],
  isFlag: boolean,
): ConversionSpec | undefined {
  const words = new Set<string>();
  for (const cell of cells) {
    words.add(cell.trim().toLowerCase());
    if (words.size > 2) return undefined;
  }
  const isWithin = (...pair: readonly string[]) => [...words].every((word) => pair.includes(word));
  if (isWithin("1", "0")) return isFlag ? { type: "boolean" } : undefined;
  const at = pairs.findIndex(
    // A single letter alone can be any code.
    (pair) =>
      isWithin(...pair) && (words.size === 2 || [...words].every((word) => word.length > 1)),
  );
  const pair = pairs[at];
  if (pair === undefined) return undefined;
  if (at < builtInPairs) return { type: "boolean" };
  return { type: "boolean", true_values: [pair[0]], false_values: [pair[1]] };
}

export interface NumberGuess {
  readonly conversion: ConversionSpec;
  readonly note?: string;
}

const marks = [".", ",", " ", "'"] as const;

/** How numbers are written; undefined if the cells are not numbers or would lose digits or zeros. */
export function guessNumber(cells: readonly string[]): NumberGuess | undefined {
  const trimmed = cells.map((cell) => cell.trim());
  if (!trimmed.every((cell) => /^-?[\d.,' \u00a0\u202f’]*\d(e[+-]?\d+)?$/i.test(cell)))
    return undefined;
  // A cell such as 00172 is a code, and would be 172.
  if (trimmed.some((cell) => /^-?0\d/.test(cell))) return undefined;
  if (fits({ type: "integer" }, cells)) return { conversion: { type: "integer" } };
  if (trimmed.every((cell) => /^-?\d+$/.test(cell))) return undefined;
  const grouped = trimmed.every((cell) => /^-?(0|[1-9]\d{0,2}([.,]\d{3})*)$/.test(cell));
  for (const mark of grouped ? marks : []) {
    const conversion: ConversionSpec = { type: "integer", thousands_separator: mark };
    // 34.181 is a number as it is; 1.234.567 is not.
    if (mark === "." && fits({ type: "number" }, cells)) continue;
    if (!fits(conversion, cells)) continue;
    const isClear = trimmed.some((cell) => /[.,]\d{3}[.,]/.test(cell));
    return {
      conversion,
      ...(isClear ? {} : { note: `"${mark}" is taken to stand between thousands` }),
    };
  }
  if (fits({ type: "number" }, cells)) {
    return grouped
      ? { conversion: { type: "number" }, note: "the point is taken to stand before a fraction" }
      : { conversion: { type: "number" } };
  }
  if (fits({ type: "decimal" }, cells)) {
    return { conversion: { type: "decimal" }, note: "more digits than a number keeps exact" };
  }
  for (const decimal of [",", "."] as const) {
    const point = decimal === "," ? { decimal_separator: decimal } : {};
    const plain: ConversionSpec = { type: "number", ...point };
    if (fits(plain, cells)) return { conversion: plain };
    for (const mark of marks.filter((mark) => mark !== decimal)) {
      const conversion: ConversionSpec = { ...plain, thousands_separator: mark };
      if (fits(conversion, cells)) return { conversion };
    }
  }
  return undefined;
}

const maxItemLength = 60;
const maxItemWords = 4;
/** If the header does not name a list, a few cells may hold the separator by chance. */
const minSplitCells = 2;
const minSplitShare = 0.2;

/** @param isAboutLists whether the header says so: then a comma can separate items */
export function guessList(
  cells: readonly string[],
  isAboutLists: boolean,
): ConversionSpec | undefined {
  const separators = [":::", ";", "|", ...(isAboutLists ? [","] : [])];
  const separator = separators.find((sign) => {
    const split = cells.filter((cell) => cell.includes(sign));
    const minSplit = isAboutLists ? 1 : Math.max(minSplitCells, cells.length * minSplitShare);
    if (split.length < minSplit) return false;
    return split.every((cell) => cell.split(sign).every((item) => isItem(item)));
  });
  if (separator === undefined) return undefined;
  const items = cells.flatMap((cell) => cell.split(separator).map((item) => item.trim()));
  const isQuoted = items.every((item) => item === "" || /^"[^"]*"$/.test(item));
  const conversion: ConversionSpec = {
    type: "list",
    separator,
    // Mailchimp writes its tags so.
    ...(isQuoted ? { items: { transform: { replace: { find: '"', with: "" } } } } : {}),
  };
  return fits(conversion, cells) ? conversion : undefined;
}

/** A few words that do not end a sentence: not prose. */
function isItem(text: string): boolean {
  const item = text.trim();
  return (
    item.length <= maxItemLength &&
    !/[.!?]$|\n/.test(item) &&
    item.split(/\s+/).length <= maxItemWords
  );
}
