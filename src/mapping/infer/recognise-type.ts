import type { Json } from "../../model/event.ts";
import { quote } from "../../model/row.ts";
import { compileConversion } from "../compile-conversion.ts";
import { inOtherOrder } from "../date-format.ts";
import { splitList } from "../split-list.ts";
import type { ConversionSpec } from "../value-schema.ts";

/** Whether the day or the month comes first. */
export type DayOrder = "day_first" | "month_first";

export type DateGuess = {
  readonly conversion: ConversionSpec;
  /** The format in the other order, if that fits every cell too. */
  readonly other?: { readonly order: DayOrder; readonly format: string };
};

/**
 * How a time is written after a day: as most programs do; as PostgreSQL, Ruby and Shopify; as Oracle; as SQL
 * Server; and last as Db2.
 */
const times = (
  " HH:mm| HH:mm:ss| H:mm| H:mm:ss| HH:mm:ss.u| h:mm a| h:mma| h:mm:ss a| h:mm:ss.u a|'T'HH:mm:ss|, HH:mm|, h:mm a|" +
  " HH:mm:ss ZZZ| HH:mm:ss ZZ| HH:mm:ss 'GMT'| HH:mm:ss 'UTC'| HH:mm 'UTC'|" +
  " hh.mm.ss.u a| hh.mm.ss a| HH.mm.ss.u| HH.mm.ss| hh.mm.ss.u a ZZ| hh.mm.ss.u a z| HH:mm:ss.u ZZ|-HH.mm.ss.u"
).split("|");

const fieldsOfTime: Readonly<Record<string, string>> = {
  H: "\\d{1,2}",
  h: "\\d{1,2}",
  u: "\\d+",
  a: "[ap]m",
  ZZ: "[+-]\\d\\d:\\d\\d",
  ZZZ: "[+-]\\d{4}",
  z: "[A-Z]+/[A-Z_/]+",
};

/** The times with what a cell that ends with one looks like. */
const formsOfTime = times.map((format) => {
  const form = format
    .replaceAll(".", "\\.")
    .replaceAll(
      /'(\w+)'|([A-Za-z])\2*/g,
      (field, quoted) => quoted ?? fieldsOfTime[field] ?? "\\d\\d",
    );
  return { format, form: new RegExp(`\\d${form}$`, "i") };
});

/** Days of digits, with year, month and day in an open order; strict ones first, so that 05/01/2024 is dd/MM/yyyy. */
const openDays = ["/", ".", "-"].flatMap((sign) =>
  ["dd MM yyyy", "d M yyyy", "d M yy"].map((fields) => fields.replaceAll(" ", sign)),
);
const clearDays = ["yyyy-MM-dd", "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd"];
const namedDays = (
  "d MMM yyyy|d MMMM yyyy|d MMM yy|d-MMM-yyyy|d-MMM-yy|d.MMM.yyyy|d/MMM/yyyy|MMM d, yyyy|MMMM d, yyyy|" +
  "MMM d yyyy|EEEE, MMMM d, yyyy|EEEE, d MMMM yyyy|EEE, d MMM yyyy|EEE MMM d yyyy"
).split("|");

/** The formats that cells may be in. Of an open order, the usual one is first. */
function dateFormats(probe: readonly string[], usual: DayOrder): string[] {
  const found = formsOfTime.filter(({ form }) => probe.some((cell) => form.test(cell.trim())));
  const hasNames = probe.some((cell) => /(?!UTC)\p{L}{3}/u.test(cell));
  const open = openDays.flatMap((day) => {
    const other = inOtherOrder(day) ?? day;
    return usual === "day_first" ? [day, other] : [other, day];
  });
  const days = hasNames ? namedDays : [...open, ...clearDays];
  return [...found.map(({ format }) => format), ""].flatMap((time) =>
    days.map((day) => day + time),
  );
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
  if (cells.every(isNumeric)) return isAboutDates ? guessNumeric(cells, maxMisfits) : undefined;
  if (!cells.every(mayBeDate)) return undefined;
  const step = Math.max(1, Math.floor(cells.length / maxProbes));
  const probe = cells.filter((_, at) => at % step === 0);
  const isMidnight = isAlwaysMidnight(cells);
  const isDay = !probe.some((cell) => /\d:\d/.test(cell));
  const saysOffset = cells.every((cell) => /:.*(Z|[+-]\d\d(:?\d\d)?)\s*$/.test(cell));
  const conversionOf = (format: string | undefined): ConversionSpec => {
    const written = format === undefined ? {} : { format };
    const hasTime = format === undefined ? !isDay : /[hH]/.test(format);
    if (isMidnight || !hasTime) return { type: "date", ...written };
    const saysZone = format === undefined ? saysOffset : /Z/.test(format);
    return { type: "datetime", ...written, ...(saysZone ? {} : { timezone: "UTC" }) };
  };
  let best: ConversionSpec | undefined;
  // The share of the probe is compared exactly on all cells below.
  let fewest = maxMisfits === 0 ? 0 : Math.floor(probe.length / 2);
  const tried = maxMisfits === 0 ? cells : probe;
  for (const format of [undefined, ...dateFormats(probe, usual)]) {
    const conversion = conversionOf(format);
    const misfits = countMisfits(conversion, tried, fewest);
    if (misfits > fewest || (best !== undefined && misfits === fewest)) continue;
    best = conversion;
    fewest = misfits;
    if (misfits === 0) break;
  }
  if (best === undefined) return undefined;
  const misfits = countMisfits(best, cells, maxMisfits);
  if (misfits > maxMisfits) return undefined;
  const format = inOtherOrder(String(best.format));
  // Between points the day comes first everywhere.
  if (format === undefined || /^d+\./.test(String(best.format))) return { conversion: best };
  const swapped: ConversionSpec = { ...best, format };
  const otherMisfits = countMisfits(swapped, cells, misfits);
  if (otherMisfits > misfits) return { conversion: best };
  const order = format.startsWith("d") ? "day_first" : "month_first";
  return otherMisfits < misfits
    ? { conversion: swapped }
    : { conversion: best, other: { order, format } };
}

/** Whether a cell is digits, perhaps with a fraction. */
export function isNumeric(cell: string): boolean {
  return /^\s*[\d.]+\s*$/.test(cell) && !/\..*\./.test(cell);
}

/** Whether a cell has digits with something between them. */
export function mayBeDate(cell: string): boolean {
  return /\d/.test(cell) && /[-/. ,]/.test(cell);
}

const numericDates = [
  { type: "date", format: "yyyyMMdd", min: 19_000_101, max: 21_001_231 },
  { type: "datetime", format: "yyyyMMddHHmmss", timezone: "UTC", min: 19e12, max: 2101e10 },
  { type: "date", format: "excel_serial", min: 7_000, max: 80_000 },
  { type: "datetime", format: "X", min: 3e8, max: 4e9 },
  { type: "datetime", format: "x", min: 3e11, max: 4e12 },
] as const;

/** Dates as numbers: 20240531, days of a spreadsheet, seconds or milliseconds since 1970. */
function guessNumeric(cells: readonly string[], maxMisfits: number): DateGuess | undefined {
  const hasFraction = cells.some((cell) => cell.includes("."));
  for (const { min, max, ...written } of numericDates) {
    const isWithin = (cell: string) => Number(cell) >= min && Number(cell) <= max;
    const type = hasFraction && written.format === "excel_serial" ? "datetime" : written.type;
    const conversion: ConversionSpec = { ...written, type };
    const odd = cells.filter((cell) => !isWithin(cell)).length;
    const left = maxMisfits - odd;
    if (left >= 0 && countMisfits(conversion, cells.filter(isWithin), left) <= left)
      return { conversion };
  }
  return undefined;
}

function isAlwaysMidnight(cells: readonly string[]): boolean {
  return cells.every((cell) =>
    /[ T](00?:00(:00([.,]0+)?)?|12:00(:00)? AM|12\.00\.00(\.0+)? AM)\s*$/i.test(cell),
  );
}

/** How many cells a conversion does not fit; it stops counting above the limit. */
function countMisfits(conversion: ConversionSpec, cells: readonly string[], limit: number): number {
  const convert = compileConversion(conversion, noNulls);
  let count = 0;
  for (const cell of cells) if (convert(cell).kind !== "value" && ++count > limit) break;
  return count;
}

/** The cells that a conversion does not fit. */
export function misfitsOf(conversion: ConversionSpec, cells: readonly string[]): string[] {
  const convert = compileConversion(conversion, noNulls);
  return cells.filter((cell) => convert(cell).kind !== "value");
}

/** What the cells become that a conversion fits. */
export function valuesOf(conversion: ConversionSpec, cells: readonly string[]): Json[] {
  const convert = compileConversion(conversion, noNulls);
  return cells.map(convert).flatMap((one) => (one.kind === "value" ? [one.value] : []));
}

const noNulls = { unlessNull: (text: string) => text };

/** Words for true and false. `type: boolean` knows the first pairs by itself; t and f are PostgreSQL's. */
const pairs = (
  "true/false yes/no y/n t/f ja/nein ja/nee ja/nej j/n on/off wahr/falsch oui/non o/n vrai/faux sí/no si/no sì/no s/n " +
  "verdadero/falso vero/falso sim/não sim/nao verdadeiro/falso waar/onwaar tak/nie prawda/fałsz sant/falskt"
)
  .split(" ")
  .map((pair) => pair.split("/"));
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
  const others = [...counts.keys()].filter((word) => !pairs[at]?.includes(word));
  if (at < 0 || others.some((word) => yesOrNo.has(word))) return undefined;
  if (at < builtInPairs) return { type: "boolean" };
  const [yes = "", no = ""] = pairs[at] ?? [];
  return { type: "boolean", true_values: [yes], false_values: [no] };
}

/** Words for yes or no of any language, and what stands for them. */
const yesOrNo: ReadonlySet<string> = new Set([...pairs.flat(), "x", "1", "0"]);

/** Which words for yes and no keep a column from being a boolean; undefined if it has other words too. */
export function wordsInTheWay(cells: readonly string[]): string | undefined {
  const words = new Map(cells.map((cell) => [cell.trim().toLowerCase(), cell.trim()]));
  const pair = pairs.find((one) => one.every((word) => words.has(word)));
  const others = [...words].filter(([word]) => !pair?.includes(word));
  const areAll = others.every(([word]) => yesOrNo.has(word));
  if (pair === undefined || others.length === 0 || !areAll) return undefined;
  const odd = others.map(([, cell]) => quote(cell)).join(", ");
  return `yes and no, but for ${odd}: say what that is, with type: boolean, true_values: [${pair[0]}, …], false_values: [${pair[1]}, …]`;
}

export interface NumberGuess {
  readonly conversion: ConversionSpec;
  readonly note?: string | undefined;
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
export function guessNumber(given: readonly string[], maxMisfits = 0): NumberGuess | undefined {
  const cells = given.map((cell) => cell.trim());
  if (!cells.every(mayBeNumber)) return undefined;
  // A cell such as 00172 is a code, and would be 172.
  if (cells.some((cell) => /^-?0\d/.test(cell))) return undefined;
  const areDigits = cells.every((cell) => /^-?\d+$/.test(cell));
  if ((areDigits || maxMisfits > 0) && cells.some((cell) => /^-?\d{16}/.test(cell))) {
    if (countMisfits({ type: "integer" }, cells, 0) > 0) return undefined;
  }
  let best: NumberGuess | undefined;
  let fewest = maxMisfits + 1;
  for (const notation of notationsOf(cells)) {
    const misfits = countMisfits(notation.conversion, cells, fewest);
    if (misfits >= fewest) continue;
    best = notation;
    fewest = misfits;
  }
  return best;
}

/** How numbers can be written. Of those that fit as many cells, the plainest is first. */
function notationsOf(cells: readonly string[]): NumberGuess[] {
  const grouped = cells.every((cell) => /^-?(0|[1-9]\d{0,2}([.,]\d{3})*)$/.test(cell));
  const isClear = cells.some((cell) => /[.,]\d{3}[.,]/.test(cell));
  // 34.181 is a number as it is; 1.234.567 is not.
  const between = marks.filter((mark) => grouped && (mark !== "." || isClear));
  const inThousands = (mark: string) =>
    isClear ? undefined : `"${mark}" is taken to stand between thousands`;
  return [
    { conversion: { type: "integer" } },
    ...between.map((mark) => ({
      conversion: { type: "integer" as const, thousands_separator: mark },
      note: inThousands(mark),
    })),
    {
      conversion: { type: "number" },
      note: grouped ? "the point is taken to stand before a fraction" : undefined,
    },
    { conversion: { type: "decimal" }, note: "more digits than a number keeps exact" },
    ...([",", "."] as const).flatMap((decimal) => {
      const plain = {
        type: "number" as const,
        ...(decimal === "," ? { decimal_separator: decimal } : {}),
      };
      const others = marks.filter((mark) => mark !== decimal);
      return [plain, ...others.map((mark) => ({ ...plain, thousands_separator: mark }))].map(
        (conversion) => ({ conversion }),
      );
    }),
  ];
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
  return countMisfits(conversion, cells, 0) === 0 ? conversion : undefined;
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
