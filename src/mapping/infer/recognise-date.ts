import { describeFormatClash, inOtherOrder } from "../date-format.ts";
import type { ConversionSpec } from "../value-schema.ts";
import { misfitsOf } from "./recognise-type.ts";

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
  " hh.mm.ss.u a| hh.mm.ss a| HH.mm.ss.u| HH.mm.ss| hh.mm.ss.u a ZZ| HH:mm:ss.u ZZ|-HH.mm.ss.u"
).split("|");

const fieldsOfTime: Readonly<Record<string, string>> = {
  H: "\\d{1,2}",
  h: "\\d{1,2}",
  u: "\\d+",
  a: "[ap]m",
  ZZ: "[+-]\\d\\d:\\d\\d",
  ZZZ: "[+-]\\d{4}",
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
const clearDays = ["yyyy-MM-dd", "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd", "yyyy.M.d"];
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

/** So many cells, evenly spread, and some of other shapes decide which format is tried on all of them. */
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
  const shapes = new Map(cells.map((cell) => [cell.replaceAll(/\d/g, "0"), cell]));
  const probe = [
    ...cells.filter((_, at) => at % step === 0),
    ...(step > 1 ? [...shapes.values()].slice(0, maxProbes) : []),
  ];
  const isMidnight = cells.every((cell) => midnight.test(cell));
  const isDay = !probe.some((cell) => /\d:\d/.test(cell));
  const saysOffset = cells.every((cell) => /^[^:]*:.*(Z|[+-]\d\d(:?\d\d)?)$/.test(cell.trim()));
  const conversionOf = (format: string | undefined): ConversionSpec => {
    const written = format === undefined ? {} : { format };
    const hasTime = format === undefined ? !isDay : /[hH]/.test(format);
    if (isMidnight || !hasTime) return { type: "date", ...written };
    const saysZone = format === undefined ? saysOffset : /Z/.test(format);
    return { type: "datetime", ...written, ...(saysZone ? {} : { timezone: "UTC" }) };
  };
  let best: ConversionSpec | undefined;
  // The share of the probe is compared exactly on all cells below.
  let fewest = maxMisfits === 0 ? 0 : Math.floor((probe.length * maxMisfits) / cells.length);
  const tried = maxMisfits === 0 ? cells : probe;
  for (const format of [undefined, ...dateFormats(probe, usual)]) {
    const conversion = conversionOf(format);
    const misfits = misfitsOf(conversion, tried, fewest).length;
    if (misfits > fewest || (best !== undefined && misfits === fewest)) continue;
    best = conversion;
    fewest = misfits;
    if (misfits === 0) break;
  }
  if (best === undefined) return undefined;
  const misfits = misfitsOf(best, cells, maxMisfits).length;
  if (misfits > maxMisfits) return undefined;
  const format = inOtherOrder(String(best.format));
  // Between points the day comes first everywhere.
  if (format === undefined || /^d+\./.test(String(best.format))) return { conversion: best };
  const swapped: ConversionSpec = { ...best, format };
  const otherMisfits = misfitsOf(swapped, cells, misfits).length;
  if (otherMisfits > misfits) return { conversion: best };
  const order = format.startsWith("d") ? "day_first" : "month_first";
  return otherMisfits < misfits
    ? { conversion: swapped }
    : { conversion: best, other: { order, format } };
}

/** The formats of a column that was filled in several ways, each of them by some cells. */
export function guessSeveralDates(
  cells: readonly string[],
  usual: DayOrder,
  maxMisfits: number,
): DateGuess | undefined {
  const found: DateGuess[] = [];
  let left = cells.filter((cell) => mayBeDate(cell) && !isNumeric(cell));
  const odd = cells.length - left.length;
  while (
    left.length + odd > maxMisfits &&
    left.length >= minOfFormat &&
    found.length < maxFormats
  ) {
    const guess = guessDate(left, false, usual, left.length - minOfFormat);
    if (guess === undefined) return undefined;
    found.push(guess);
    left = misfitsOf(guess.conversion, left);
  }
  if (left.length + odd > maxMisfits || found.length < 2) return undefined;
  const formats = found.map(({ conversion }) => String(conversion.format ?? "iso"));
  if (describeFormatClash(formats, 2060) !== undefined) return undefined;
  const other = found.find((one) => one.other !== undefined)?.other;
  const times = found.map(({ conversion }) => conversion).filter(({ type }) => type === "datetime");
  const zone = times.some(({ timezone }) => timezone !== undefined) || times.length < found.length;
  const conversion: ConversionSpec = {
    type: times.length === 0 ? "date" : "datetime",
    format: formats,
    ...(times.length > 0 && zone ? { timezone: "UTC" } : {}),
  };
  return { conversion, ...(other === undefined ? {} : { other }) };
}

const [maxFormats, minOfFormat] = [4, 2];

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
    const left = maxMisfits - cells.filter((cell) => !isWithin(cell)).length;
    if (left >= 0 && misfitsOf(conversion, cells.filter(isWithin), left).length <= left)
      return { conversion };
  }
  return undefined;
}

const midnight = /[ T](00?:00(:00([.,]0+)?)?|12:00(:00)? AM|12\.00\.00(\.0+)? AM)\s*$/i;
