import { compileConversion } from "../compile-conversion.ts";
import type { ConversionSpec } from "../value-schema.ts";

/** Which of two numbers comes first, where both orders fit every cell. */
export type DayOrder = "day_first" | "month_first";

export type DateGuess = {
  readonly conversion: ConversionSpec;
  /** The format in the other order, where that fits as well. */
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

/** Days with their order; the strict ones first, so that `05/01/2024` is told as `dd/MM/yyyy`. */
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

const clear = [
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
 * The form of dates that fits all cells.
 *
 * @param isAboutDates whether the header says so: then numbers may be dates as well
 * @param usual which comes first where the cells do not tell
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
    const format = clear.find((day) => fits(withFormat(day + time), cells));
    if (format !== undefined) return { conversion: withFormat(format + time) };
  }
  return undefined;
}

/** A day as a number: written together, or counted by a spreadsheet or a computer. */
function guessNumeric(cells: readonly string[]): DateGuess | undefined {
  const within = (least: number, most: number) =>
    cells.every((cell) => Number(cell) >= least && Number(cell) <= most);
  const together: ConversionSpec = { type: "date", format: "yyyyMMdd" };
  if (fits(together, cells) && within(19_000_101, 21_001_231)) return { conversion: together };
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
