import { flagsOfSeveral, yesAndNo } from "../../model/yes-no.ts";
import { isValue } from "../coerce.ts";
import { compileConversion } from "../compile-conversion.ts";
import { describeFormatClash, inOtherOrder } from "../date-format.ts";
import { compileTransform } from "../transform.ts";
import type { ConversionSpec, TransformStep } from "../value-schema.ts";
import type { ColumnKind } from "./kinds.ts";
import { whyCodes } from "./why-codes.ts";

export type DayOrder = "day_first" | "month_first";

export interface Writing {
  readonly transform: readonly TransformStep[];
  readonly conversion: ConversionSpec;
  /** What such cells look like, for the comment before their count. */
  readonly evidence: string;
  readonly notes: readonly string[];
  /** The format in the other order, if that fits as many cells. */
  readonly otherOrder?: { readonly order: DayOrder; readonly format: string };
}

export interface Ballot {
  readonly kind: ColumnKind | undefined;
  /** The order of day and month if the cells do not show it. */
  readonly usual: DayOrder;
  readonly cells: readonly string[];
  readonly maxMisfits: number;
}

interface Form {
  /** Cells that cannot be of the form are misfits without a further look. */
  readonly mayBe?: (cell: string) => boolean;
  /** The ways in which the cells that may be of the form can be written, the plainest first. */
  readonly writings: (some: readonly string[], ballot: Ballot) => readonly Writing[];
}

export interface Elected {
  readonly writing: Writing;
  readonly misfits: readonly string[];
}

/** The writing that fits most cells: the first of those that fit as many. Undefined if none fits enough. */
export function vote(candidates: readonly Form[], ballot: Ballot): Elected | undefined {
  let best: Elected | undefined;
  for (const { mayBe, writings } of candidates) {
    const most = (best?.misfits.length ?? ballot.maxMisfits + 1) - 1;
    const some = mayBe === undefined ? ballot.cells : ballot.cells.filter(mayBe);
    const odd = ballot.cells.length - some.length;
    if (odd > most || some.length === 0) continue;
    let limit = most - odd;
    for (const writing of writings(some, ballot)) {
      const found = misfitsOf(writing, some, limit);
      if (found.length > limit) continue;
      const others = new Set(found);
      const misfits = ballot.cells.filter((cell) => others.has(cell) || mayBe?.(cell) === false);
      best = { writing: withOtherOrder(writing, some, found.length), misfits };
      limit = found.length - 1;
    }
    if (best?.misfits.length === 0) break;
  }
  return best;
}

/** The cells that a writing does not fit, up to one more than the limit. */
function misfitsOf(
  { transform, conversion }: Pick<Writing, "transform" | "conversion">,
  cells: readonly string[],
  limit = cells.length,
): string[] {
  const apply = compileTransform([...transform]);
  const convert = compileConversion(conversion, noNulls);
  const misfits: string[] = [];
  for (const cell of cells) {
    if (!isValue(convert(apply?.(cell) ?? cell)) && misfits.push(cell) > limit) break;
  }
  return misfits;
}

const noNulls = { unlessNull: (text: string) => text };

function withOtherOrder(writing: Writing, cells: readonly string[], misfits: number): Writing {
  const { conversion, transform } = writing;
  const format = inOtherOrder(String(conversion.format));
  // Between points the day comes first everywhere.
  if (format === undefined || String(conversion.format).includes(".")) return writing;
  const swapped = { transform, conversion: { ...conversion, format } };
  if (misfitsOf(swapped, cells, misfits).length > misfits) return writing;
  const order = format.startsWith("d") ? "day_first" : "month_first";
  return { ...writing, otherOrder: { order, format } };
}

function converted(conversion: ConversionSpec, evidence: string, note?: string): Writing {
  return { transform: [], conversion, evidence, notes: note === undefined ? [] : [note] };
}

const timeBehind =
  /(?<=\d)(?<lead>T|-|,? )\d\d?(?<sign>[:.])\d\d(?<seconds>\k<sign>\d\d)?(?<fraction>\.\d+)?(?<half> ?[ap]m)?(?: (?<zone>UTC|GMT|[+-]\d\d:?\d\d))?$/i;

/** The formats of a cell like this one; strict ones first, so that 05/01/2024 is dd/MM/yyyy. */
function formatsLike(cell: string, usual: DayOrder): readonly string[] {
  const time = timeBehind.exec(cell);
  const days = daysLike(cell.slice(0, time?.index), usual);
  if (time === null) return days;
  const { lead = "", sign = "", seconds, fraction, half, zone } = time.groups ?? {};
  const offset = zone?.includes(":") ? "ZZ" : "ZZZ";
  const end = [
    ...[`${sign}mm`, seconds && `${sign}ss`, fraction && ".u", half?.replace(/[ap]m/i, "a")],
    zone && ` ${/^[+-]/.test(zone) ? offset : `'${zone}'`}`,
  ].join("");
  // Oracle writes two digits with points between them.
  const hours = half === undefined ? ["HH", "H"] : [sign === "." ? "hh" : "h"];
  const start = lead === "T" ? "'T'" : lead;
  return hours.flatMap((hour) => days.map((day) => day + start + hour + end));
}

function daysLike(day: string, usual: DayOrder): readonly string[] {
  const [isOfDigits, first, sign = "", year, point] =
    /^(\d+)([-/.] ?)\d+\2(\d+)(\.?)$/.exec(day) ?? [];
  if (isOfDigits === undefined) return namedDaysLike(day);
  const inOrder = (...orders: string[]) => orders.map((one) => one.replaceAll(" ", sign) + point);
  if (first?.length === 4) return inOrder("yyyy MM dd", "yyyy M d");
  const usualOrders = year?.length === 4 ? inOrder("dd MM yyyy", "d M yyyy") : inOrder("d M yy");
  return usualOrders.flatMap((one) => {
    const other = inOtherOrder(one) ?? one;
    return usual === "day_first" ? [one, other] : [other, one];
  });
}

/** Days with the name of the month, and perhaps that of the day of the week before it. */
function namedDaysLike(day: string): readonly string[] {
  const parts = day.match(/\d+|\p{L}+|[^\d\p{L}]+/gu) ?? [];
  const names = parts.filter((part) => /^\p{L}{3}/u.test(part));
  if (parts.length > maxDateParts || names.length < 1 || names.length > 2) return [];
  const isShort = names.every(({ length }) => length === 3);
  const fields = parts.map((part, at) => {
    if (part === names.at(-1)) return isShort ? "MMM" : "MMMM";
    if (part === names[0]) return isShort ? "EEE" : "EEEE";
    if (!/^\d/.test(part)) return part;
    return part.length === 4
      ? "yyyy"
      : parts.slice(0, at).some((one) => /^\d/.test(one))
        ? "yy"
        : "d";
  });
  return [fields.join("")];
}

/** The name of a day, a month, a day and a year, with signs between them. */
const maxDateParts = 7;

/** The formats that cells may be in, and ISO 8601 without one. Of an ambiguous order, the usual one is first. */
function dateWritings(given: readonly string[], { usual }: Pick<Ballot, "usual">): Writing[] {
  // SQL Server pads days and hours with spaces.
  const isPadded = given.some((cell) => /\S {2,}\S/.test(cell));
  const cells = isPadded ? given.map((cell) => cell.replaceAll(/ +/g, " ").trim()) : given;
  const all = new Set(cells.map((cell) => cell.trim().replaceAll(/\d/g, "0")));
  const shapes = [...all].slice(0, maxShapes);
  const formats = new Set(shapes.flatMap((shape) => formatsLike(shape, usual)));
  const isMidnight = cells.every((cell) => midnight.test(cell));
  const isDay = !shapes.some((shape) => shape.includes("0:0"));
  const isZoned = shapes.every((shape) => /^[^:]*:.*(Z|[+-]00(:?00)?)$/.test(shape));
  const found = [undefined, ...formats].map((format) => {
    const written = format === undefined ? {} : { format };
    const hasTime = format === undefined ? !isDay : /[hH]/.test(format);
    if (isMidnight || !hasTime) return dateWriting({ type: "date", ...written });
    const saysZone = format === undefined ? isZoned : format.includes("Z");
    return dateWriting({ type: "datetime", ...written, ...(saysZone ? {} : { timezone: "UTC" }) });
  });
  return isPadded ? found.map((one) => ({ ...one, transform: ["collapse_spaces"] })) : found;
}

/** A column of days and times has fewer. */
const maxShapes = 400;
const midnight = /[ T](00?:00(:00([.,]0+)?)?|12:00(:00)? AM|12\.00\.00(\.0+)? AM)\s*$/i;

function dateWriting(conversion: ConversionSpec): Writing {
  const { type, format = [], timezone } = conversion;
  const formats = [format].flat();
  const written = formats.length === 0 ? `${type}, ISO 8601` : `${type} as ${formats.join(" or ")}`;
  const note = "times without a zone are taken as UTC: set timezone, such as Europe/Amsterdam";
  return converted(conversion, written, timezone === undefined ? undefined : note);
}

/** The formats of a column that was filled in several ways, each of them by some cells. */
function severalDateWritings(cells: readonly string[], ballot: Ballot): Writing[] {
  const found: Writing[] = [];
  let left = cells;
  while (left.length >= minOfFormat && found.length < maxFormats) {
    const maxMisfits = left.length - minOfFormat;
    const elected = vote([forms.date], { ...ballot, cells: left, maxMisfits });
    if (elected === undefined) break;
    found.push(elected.writing);
    left = elected.misfits;
  }
  const formats = found.map(({ conversion }) => String(conversion.format ?? "iso"));
  if (found.length < 2 || describeFormatClash(formats, 2060) !== undefined) return [];
  const times = found.map(({ conversion }) => conversion).filter(({ type }) => type === "datetime");
  const zone = times.some(({ timezone }) => timezone !== undefined) || times.length < found.length;
  const writing = dateWriting({
    type: times.length === 0 ? "date" : "datetime",
    format: formats,
    ...(times.length > 0 && zone ? { timezone: "UTC" } : {}),
  });
  const otherOrder = found.find((one) => one.otherOrder !== undefined)?.otherOrder;
  return [{ ...writing, ...(otherOrder === undefined ? {} : { otherOrder }) }];
}

const [maxFormats, minOfFormat] = [4, 2];

function isNumeric(cell: string): boolean {
  return /^\s*\d+(?:\.\d*)?\s*$/.test(cell);
}

/** Digits with something between them, and no prose. */
function mayBeDate(cell: string): boolean {
  return cell.length < maxDate && /\d/.test(cell) && /[-/. ,]/.test(cell) && !isNumeric(cell);
}

const maxDate = 80;

/** Dates as numbers: 20240531, days of a spreadsheet, seconds or milliseconds since 1970. */
const numericDates = [
  { type: "date", format: "yyyyMMdd", min: 19_000_101, max: 21_001_231 },
  { type: "datetime", format: "yyyyMMddHHmmss", timezone: "UTC", min: 19e12, max: 2101e10 },
  { type: "date", format: "excel_serial", min: 7_000, max: 80_000 },
  { type: "datetime", format: "X", min: 3e8, max: 4e9 },
  { type: "datetime", format: "x", min: 3e11, max: 4e12 },
] as const;

const formsOfNumericDates = numericDates.map(
  ({ min, max, type, ...written }): Form => ({
    mayBe: (cell) => isNumeric(cell) && Number(cell) >= min && Number(cell) <= max,
    writings(some, { kind }) {
      const isTime = written.format === "excel_serial" && some.some((cell) => cell.includes("."));
      return kind === "date" ? [dateWriting({ type: isTime ? "datetime" : type, ...written })] : [];
    },
  }),
);

/** Words for yes or no of any language, and what stands for them. */
const yesOrNo: ReadonlySet<string> = new Set([...yesAndNo.flat(), "x", "1", "0"]);

/** `type: boolean` knows the first pairs by itself. */
const builtInPairs = 3;

function flagWritings(cells: readonly string[], { kind }: Ballot): Writing[] {
  const isFlag = kind === "flag";
  const words = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  const pairs = [...(isFlag ? [["1", "0"] as const] : []), ...yesAndNo];
  const found = pairs.flatMap(([yes, no]): Writing[] => {
    const own = [yes, no].filter((word) => words.has(word));
    // A single letter alone can be any code unless the header says more, and one word beside others an answer among many.
    const isAlone = own.length === 1 && words.size === 1 && (isFlag || own[0]?.length !== 1);
    if (own.length < 2 && !isAlone) return [];
    const isBuiltIn = yes === "1" || yesAndNo.findIndex((pair) => pair[0] === yes) < builtInPairs;
    const named = isBuiltIn ? {} : { true_values: [yes], false_values: [no] };
    return [converted({ type: "boolean", ...named }, "boolean")];
  });
  const several = areYesAndNo([...words]) ? flagsOfSeveral(words) : undefined;
  if (several === undefined) return found;
  return [...found, converted({ type: "boolean", ...several }, "boolean, in several words")];
}

/** Whether words are nothing but yes and no, and not letters alone, which are codes as often. */
export function areYesAndNo(words: readonly string[]): boolean {
  return words.every((word) => yesOrNo.has(word)) && words.some((word) => word.length > 1);
}

const numberMarks = [".", ",", " ", "'"] as const;

function mayBeNumber(cell: string): boolean {
  return /^\s*-?[\d.,' \u00a0\u202f’]*\d(e[+-]?\d+)?\s*$/i.test(cell);
}

/** How numbers can be written; in no way if the cells are codes, or would lose digits or zeros. */
function numberWritings(given: readonly string[], { kind }: Pick<Ballot, "kind">): Writing[] {
  const cells = given.map((cell) => cell.trim());
  if (whyCodes(kind, cells) !== undefined || cells.some((cell) => /^-?0\d/.test(cell))) return [];
  const grouped = cells.every((cell) => /^-?(0|[1-9]\d{0,2}([.,]\d{3})*)$/.test(cell));
  const isClear = cells.some((cell) => /[.,]\d{3}[.,]/.test(cell));
  // 34.181 is a number as it is; 1.234.567 is not.
  const between = numberMarks.filter((mark) => grouped && (mark !== "." || isClear));
  const inThousands = (mark: string) =>
    isClear ? undefined : `"${mark}" is taken to stand between thousands`;
  const fraction = grouped ? "the point is taken to stand before a fraction" : undefined;
  return [
    converted({ type: "integer" }, "integer"),
    ...between.map((mark) =>
      converted({ type: "integer", thousands_separator: mark }, "integer", inThousands(mark)),
    ),
    converted({ type: "number" }, "number", fraction),
    converted({ type: "decimal" }, "decimal", "more digits than a number keeps exact"),
    ...([",", "."] as const).flatMap((decimal) => {
      const written = decimal === "," ? { decimal_separator: decimal } : {};
      const others = [undefined, ...numberMarks.filter((mark) => mark !== decimal)];
      return others.map((mark) => {
        const thousands = mark === undefined ? {} : { thousands_separator: mark };
        return converted({ type: "number", ...written, ...thousands }, "number");
      });
    }),
  ];
}

const currencySign = /[$€£¥]/;

/** Numbers with the same sign of a currency before or after them. */
function moneyWritings(cells: readonly string[], ballot: Ballot): Writing[] {
  const find = currencySign.exec(cells[0] ?? "")?.[0] ?? "";
  const numbers = cells.map((cell) => cell.replace(find, "")).filter(mayBeNumber);
  return numberWritings(numbers, { kind: ballot.kind ?? "amount" }).map((writing) => ({
    ...writing,
    evidence: `${writing.evidence} with ${find}, which is removed`,
    transform: [{ replace: { find, with: "" } }],
  }));
}

/** Fractions behind a comma in some cells, and behind a point in others. */
function commaAndPoint(cells: readonly string[]): Writing[] {
  const has = (sign: string) => cells.filter((cell) => cell.includes(sign)).length >= 2;
  if (!has(",") || !has(".")) return [];
  const note =
    "some cells have a comma before the fraction, and some a point: the comma becomes one";
  const transform = [{ replace: { find: ",", with: "." } }];
  return [{ ...converted({ type: "number" }, "number, with comma or point", note), transform }];
}

/** Only the header tells a list from a text with such a sign. */
function listWritings(cells: readonly string[], { kind }: Ballot): Writing[] {
  // An array of PostgreSQL or of JSON: its brackets would be part of the items.
  const areArrays = cells.some((cell) => /^\s*[{[].*[}\]]\s*$/s.test(cell));
  if (kind !== "list" || areArrays) return [];
  const separator = [":::", ";", "|", ","].find((sign) =>
    cells.some((cell) => cell.includes(sign) || (sign === "," && /^"[^"]+"$/.test(cell.trim()))),
  );
  if (separator === undefined) return [];
  const evidence = `list, items between ${JSON.stringify(separator)}`;
  return [converted({ type: "list", separator }, evidence)];
}

export const forms = {
  email: {
    mayBe: (cell) => cell.includes("@"),
    writings: () => [
      { ...converted({ format: "email" }, "email address"), transform: ["trim", "lowercase"] },
    ],
  },
  date: { mayBe: mayBeDate, writings: dateWritings },
  flag: { writings: flagWritings },
  number: {
    mayBe: mayBeNumber,
    writings(some, { kind, cells, maxMisfits }) {
      // 12a and A7 beside 12 are codes, of which no digit counts.
      const isCode = (cell: string) => /\d/.test(cell) && /\p{L}/u.test(cell) && !mayBeNumber(cell);
      return maxMisfits > 0 && cells.some(isCode) ? [] : numberWritings(some, { kind });
    },
  },
  money: {
    mayBe: (cell) => currencySign.test(cell) && mayBeNumber(cell.replace(currencySign, "")),
    writings: moneyWritings,
  },
  json: {
    mayBe: (cell) => /^\s*[[{]/.test(cell),
    writings: () => [converted({ type: "json" }, "JSON")],
  },
  severalDates: { mayBe: mayBeDate, writings: severalDateWritings },
  commaAndPoint: {
    mayBe: (cell) => /^\s*-?\d+(?:[.,]\d{1,2})?\s*$/.test(cell),
    writings: commaAndPoint,
  },
  list: { writings: listWritings },
} satisfies Record<string, Form>;

const { number: numberForm, ...otherForms } = forms;

/** Every form. Numbers come last: below a header that says date, they are dates with odd cells if most are one. */
export const rounds: readonly (readonly Form[])[] = [
  [...formsOfNumericDates, ...Object.values(otherForms)],
  [numberForm],
];
