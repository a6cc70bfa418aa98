import { compileConversion } from "../compile-conversion.ts";
import { splitList } from "../split-list.ts";
import type { ConversionSpec } from "../value-schema.ts";

/** Whether the day or the month comes first. */
export type DayOrder = "day_first" | "month_first";

export type DateGuess = {
  readonly conversion: ConversionSpec;
  /** The format in the other order, if that fits every cell too. */
  readonly other?: { readonly order: DayOrder; readonly format: string };
};

/** How a time is written after a day, with what only such a time has. */
const times: readonly (readonly [format: string, form: RegExp])[] = [
  [" HH:mm", /\d \d\d:\d\d$/],
  [" HH:mm:ss", /\d \d\d:\d\d:\d\d$/],
  [" H:mm", /\d \d{1,2}:\d\d$/],
  [" H:mm:ss", /\d \d{1,2}:\d\d:\d\d$/],
  [" HH:mm:ss.u", /\d \d\d:\d\d:\d\d\.\d+$/],
  [" h:mm a", /\d:\d\d [ap]m$/i],
  [" h:mma", /\d:\d\d[ap]m$/i],
  [" h:mm:ss a", /\d:\d\d:\d\d [ap]m$/i],
  [" h:mm:ss.u a", /\d:\d\d:\d\d\.\d+ [ap]m$/i],
  ["'T'HH:mm:ss", /\dT\d\d:\d\d:\d\d$/],
  [", HH:mm", /\d, \d\d:\d\d$/],
  [", h:mm a", /\d, \d{1,2}:\d\d [ap]m$/i],
  // PostgreSQL, Ruby and Shopify.
  [" HH:mm:ss ZZZ", /:\d\d [+-]\d{4}$/],
  [" HH:mm:ss ZZ", /:\d\d [+-]\d\d:\d\d$/],
  [" HH:mm:ss 'GMT'", /\d \d\d:\d\d:\d\d GMT$/],
  [" HH:mm:ss 'UTC'", /\d \d\d:\d\d:\d\d UTC$/],
  [" HH:mm 'UTC'", /\d \d\d:\d\d UTC$/],
  // Oracle.
  [" hh.mm.ss.u a", /\d \d\d\.\d\d\.\d\d\.\d+ [ap]m$/i],
  [" hh.mm.ss a", /\d \d\d\.\d\d\.\d\d [ap]m$/i],
  [" HH.mm.ss.u", /\d \d\d\.\d\d\.\d\d\.\d+$/],
  [" HH.mm.ss", /\d \d\d\.\d\d\.\d\d$/],
  [" hh.mm.ss.u a ZZ", /\.\d+ [ap]m [+-]\d\d:\d\d$/i],
  [" hh.mm.ss.u a z", /\.\d+ [ap]m [A-Z]+\/[A-Z_/]+$/i],
  // SQL Server.
  [" HH:mm:ss.u ZZ", /:\d\d\.\d+ [+-]\d\d:\d\d$/],
  // Db2.
  ["-HH.mm.ss.u", /\d-\d\d\.\d\d\.\d\d\.\d+$/],
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

const formatsOfDigits = ["yyyy-MM-dd", "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd"];

const formatsWithNames = [
  "d MMM yyyy",
  "d MMMM yyyy",
  "d MMM yy",
  "d-MMM-yyyy",
  "d-MMM-yy",
  "d.MMM.yyyy",
  "d/MMM/yyyy",
  "MMM d, yyyy",
  "MMMM d, yyyy",
  "MMM d yyyy",
  "EEEE, MMMM d, yyyy",
  "EEEE, d MMMM yyyy",
  "EEE, d MMM yyyy",
  "EEE MMM d yyyy",
];

/** A format, and the one in the other order of day and month if its order is open. */
interface DateCandidate {
  readonly format?: string;
  readonly isDay: boolean;
  readonly other?: { readonly order: DayOrder; readonly format: string };
}

function dateCandidates(probe: readonly string[], usual: DayOrder): DateCandidate[] {
  const other = usual === "day_first" ? "month_first" : "day_first";
  const found = times.filter(([, form]) => probe.some((cell) => form.test(cell.trim())));
  const hasNames = probe.some((cell) => /(?!UTC)\p{L}{3}/u.test(cell));
  const days = hasNames ? formatsWithNames : formatsOfDigits;
  return [...found.map(([time]) => time), ""].flatMap((time) => {
    const isDay = time === "";
    const open = orders.flatMap((order): DateCandidate[] => [
      // Between points the day comes first everywhere.
      usual === "day_first" && order[usual].includes(".")
        ? { format: order[usual] + time, isDay }
        : {
            ...{ format: order[usual] + time, isDay },
            other: { order: other, format: order[other] + time },
          },
      { format: order[other] + time, isDay },
    ]);
    const clear = days.map((day): DateCandidate => ({ format: day + time, isDay }));
    return hasNames ? clear : [...open, ...clear];
  });
}

/** So many cells, evenly spread, decide which format is tried on all of them. */
const maxProbes = 200;

/**
 * The date format that fits all cells, or all but a few.
 *
 * @param isAboutDates whether the header says so: then numbers can be dates too
 * @param usual the order if the cells do not show it
 * @param maxMisfits how many cells it need not fit
 */
export function guessDate(
  cells: readonly string[],
  isAboutDates: boolean,
  usual: DayOrder,
  maxMisfits = 0,
): DateGuess | undefined {
  if (cells.length === 0) return undefined;
  if (cells.every((cell) => /^\s*[\d.]+\s*$/.test(cell) && !/\..*\./.test(cell))) {
    return isAboutDates ? guessNumeric(cells, maxMisfits) : undefined;
  }
  if (!cells.every(mayBeDate)) return undefined;
  const step = Math.max(1, Math.floor(cells.length / maxProbes));
  const probe = cells.filter((_, at) => at % step === 0);
  const isMidnight = isAlwaysMidnight(cells);
  const conversionOf = ({ format, isDay }: DateCandidate): ConversionSpec => {
    if (isDay || isMidnight) return { type: "date", ...(format === undefined ? {} : { format }) };
    const saysZone =
      format === undefined
        ? cells.every((cell) => /(Z|[+-]\d\d(:?\d\d)?)\s*$/.test(cell) && /:/.test(cell))
        : /Z/.test(format);
    return {
      type: "datetime",
      ...(format === undefined ? {} : { format }),
      ...(saysZone ? {} : { timezone: "UTC" }),
    };
  };
  const hasTime = probe.some((cell) => /\d:\d/.test(cell));
  const isoForm: DateCandidate = { isDay: !hasTime };
  let best: DateCandidate | undefined;
  // The share of the probe is compared exactly on all cells below.
  let fewest = maxMisfits === 0 ? 0 : Math.floor(probe.length / 2);
  const tried = maxMisfits === 0 ? cells : probe;
  for (const candidate of [isoForm, ...dateCandidates(probe, usual)]) {
    const misfits = countMisfits(conversionOf(candidate), tried, fewest);
    if (misfits > fewest || (best !== undefined && misfits === fewest)) continue;
    best = candidate;
    fewest = misfits;
    if (misfits === 0) break;
  }
  if (best === undefined) return undefined;
  const conversion = conversionOf(best);
  const misfits = countMisfits(conversion, cells, maxMisfits);
  if (misfits > maxMisfits) return undefined;
  const { other } = best;
  if (other === undefined) return { conversion };
  const inOtherOrder = conversionOf({ ...best, format: other.format });
  const otherMisfits = countMisfits(inOtherOrder, cells, misfits);
  if (otherMisfits > misfits) return { conversion };
  return otherMisfits < misfits ? { conversion: inOtherOrder } : { conversion, other };
}

/** Whether a cell has digits with something between them. */
export function mayBeDate(cell: string): boolean {
  return /\d/.test(cell) && /[-/. ,]/.test(cell);
}

/** Dates as numbers: 20240531, days of a spreadsheet, seconds or milliseconds since 1970. */
function guessNumeric(cells: readonly string[], maxMisfits: number): DateGuess | undefined {
  const hasFraction = cells.some((cell) => cell.includes("."));
  const forms: readonly (readonly [ConversionSpec, min: number, max: number])[] = [
    [{ type: "date", format: "yyyyMMdd" }, 19_000_101, 21_001_231],
    [
      { type: "datetime", format: "yyyyMMddHHmmss", timezone: "UTC" },
      19_000_101_000_000,
      21_001_231_235_959,
    ],
    [{ type: hasFraction ? "datetime" : "date", format: "excel_serial" }, 7_000, 80_000],
    [{ type: "datetime", format: "X" }, 3e8, 4e9],
    [{ type: "datetime", format: "x" }, 3e11, 4e12],
  ];
  const found = forms.find(([conversion, min, max]) => {
    const within = cells.filter((cell) => Number(cell) >= min && Number(cell) <= max);
    const beyond = cells.length - within.length;
    return (
      beyond <= maxMisfits && countMisfits(conversion, within, maxMisfits) + beyond <= maxMisfits
    );
  });
  return found === undefined ? undefined : { conversion: found[0] };
}

function isAlwaysMidnight(cells: readonly string[]): boolean {
  return cells.every((cell) =>
    /[ T](00?:00(:00([.,]0+)?)?|12:00(:00)? AM|12\.00\.00(\.0+)? AM)\s*$/i.test(cell),
  );
}

export function fits(conversion: ConversionSpec, cells: readonly string[]): boolean {
  return countMisfits(conversion, cells, 0) === 0;
}

/** How many cells a conversion does not fit; it stops counting above the limit. */
function countMisfits(conversion: ConversionSpec, cells: readonly string[], limit: number): number {
  const convert = compileConversion(conversion, { unlessNull: (text) => text });
  let count = 0;
  for (const cell of cells) if (convert(cell).kind !== "value" && ++count > limit) break;
  return count;
}

/** The cells that a conversion does not fit. */
export function misfitsOf(conversion: ConversionSpec, cells: readonly string[]): string[] {
  const convert = compileConversion(conversion, { unlessNull: (text) => text });
  return cells.filter((cell) => convert(cell).kind !== "value");
}

/** Words for true and false. `type: boolean` knows the first pairs by itself. */
const pairs: readonly (readonly [yes: string, no: string])[] = [
  ["true", "false"],
  ["yes", "no"],
  ["y", "n"],
  // PostgreSQL.
  ["t", "f"],
  ["ja", "nein"],
  ["ja", "nee"],
  ["ja", "nej"],
  ["j", "n"],
  // PostgreSQL.
  ["t", "f"],
  ["on", "off"],
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

/**
 * @param isFlag whether the header says so: then 0 and 1 are not numbers
 * @param maxMisfits how many cells may be neither of the two words
 */
export function guessBoolean(
  cells: readonly string[],
  isFlag: boolean,
  maxMisfits = 0,
): ConversionSpec | undefined {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const word = cell.trim().toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
    if (counts.size > 2 + maxMisfits) return undefined;
  }
  const isWithin = (...pair: readonly string[]) =>
    cells.length - pair.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) <= maxMisfits;
  if (isWithin("1", "0")) return isFlag ? { type: "boolean" } : undefined;
  const at = pairs.findIndex((pair) => {
    const words = pair.filter((word) => counts.has(word));
    // A single letter alone can be any code unless the header says more, and one word beside others an answer among many.
    const isPair =
      words.length === 2 ||
      (maxMisfits === 0 && (isFlag || words.every((word) => word.length > 1)));
    return isPair && isWithin(...pair);
  });
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

/** Whether a cell has the digits and signs of a number. */
export function mayBeNumber(cell: string): boolean {
  return /^\s*-?[\d.,' \u00a0\u202f’]*\d(e[+-]?\d+)?\s*$/i.test(cell);
}

/**
 * How numbers are written; undefined if the cells are not numbers or would lose digits or zeros.
 *
 * @param maxMisfits how many cells may be written in another way
 */
export function guessNumber(cells: readonly string[], maxMisfits = 0): NumberGuess | undefined {
  const exact = guessExactNumber(cells);
  if (exact !== undefined || maxMisfits === 0 || !cells.every(mayBeNumber)) return exact;
  if (cells.some((cell) => /^\s*-?(0\d|\d{16})/.test(cell))) return undefined;
  const notations: readonly ConversionSpec[] = [
    { type: "integer" },
    { type: "number" },
    { type: "number", decimal_separator: "," },
    { type: "number", thousands_separator: "," },
    { type: "number", decimal_separator: ",", thousands_separator: "." },
  ];
  const [best] = notations
    .map((conversion) => ({ conversion, misfits: countMisfits(conversion, cells, maxMisfits) }))
    .sort((one, other) => one.misfits - other.misfits);
  return best === undefined || best.misfits > maxMisfits ? undefined : best;
}

function guessExactNumber(cells: readonly string[]): NumberGuess | undefined {
  if (!cells.every(mayBeNumber)) return undefined;
  const trimmed = cells.map((cell) => cell.trim());
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
  // An array of PostgreSQL or of JSON: its brackets would be part of the items.
  if (cells.some((cell) => /^\s*[{[].*[}\]]\s*$/s.test(cell))) return undefined;
  const separator = separators.find((sign) => {
    const split = cells.filter(
      (cell) => cell.includes(sign) || (sign === "," && /^"[^"]+"$/.test(cell.trim())),
    );
    const minSplit = isAboutLists ? 1 : Math.max(minSplitCells, cells.length * minSplitShare);
    if (split.length < minSplit) return false;
    return split.every((cell) => splitList(cell, sign).every((item) => isItem(item)));
  });
  if (separator === undefined) return undefined;
  const conversion: ConversionSpec = { type: "list", separator };
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
