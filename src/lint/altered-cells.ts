import { describePlace, type Place } from "../model/place.ts";
import { grouped } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { decodeAgain } from "./double-encoding.ts";

/** How a program changes cells without being asked. */
type Alteration =
  | "zeros"
  | "exponent"
  | "becameDate"
  | "letters"
  | "error"
  // A person may do these too.
  | "digits"
  | "number"
  | "date";

/** A column whose cells a program seems to have altered. */
export interface AlteredColumn {
  readonly column: string;
  readonly alteration: Alteration;
  /** In how many of the rows that were compared. */
  readonly count: number;
  readonly rows: number;
  /** The first of them. */
  readonly place: Place;
  readonly before: string;
  readonly after: string;
}

/** A column to compare, and where its cell is in a row of either file. */
export interface ComparedColumn {
  readonly column: string;
  readonly index: number;
  readonly indexBefore: number;
}

/** A line of a results file beside what it was. */
export interface ComparedRow {
  readonly place: Place;
  readonly cells: readonly string[];
  readonly cellsBefore: readonly string[];
  /** Whether a person is expected to change a cell of it, as it was refused. */
  readonly isToBeFixed: boolean;
  /** Whether something was wrong with the cell of this column before. */
  wasWrong(column: string): boolean;
}

export interface AlteredCells {
  see(row: ComparedRow): void;
  found(): readonly AlteredColumn[];
}

/**
 * Compares cells with those that they were, and tells the alterations of a program from the fixes of a
 * person. A person changes what a cell means; a program keeps its value and writes it in another way,
 * in all cells of the column that it takes for a number or a date, or loses a part that nobody would
 * take out by hand.
 */
export function createAlteredCells(columns: readonly ComparedColumn[]): AlteredCells {
  const watched = columns.map((one) => ({
    ...one,
    altered: new Map<Alteration, Tally>(),
    spared: new Map<Alteration | undefined, number>(),
  }));
  let rows = 0;

  return {
    see({ place, cells, cellsBefore, isToBeFixed, wasWrong }) {
      rows++;
      const changed = watched.filter(({ index, indexBefore, spared }) => {
        const before = cellsBefore[indexBefore] ?? "";
        if ((cells[index] ?? "") !== before) return true;
        const prone = proneTo(before);
        if (prone !== undefined) spared.set(prone, (spared.get(prone) ?? 0) + 1);
        return false;
      });
      const [only, another] = changed;
      for (const { column, index, indexBefore, altered } of changed) {
        const [before, after] = [cellsBefore[indexBefore] ?? "", cells[index] ?? ""];
        const alteration = alterationOf(before, after);
        if (alteration === undefined || wasWrong(column)) continue;
        const tally = altered.get(alteration) ?? { count: 0, certain: 0, place, before, after };
        altered.set(alteration, tally);
        tally.count++;
        const mayBeFix = isToBeFixed && only !== undefined && another === undefined;
        if (!(mayBeFix && byHand.has(alteration))) tally.certain++;
      }
    },
    found: () =>
      watched.flatMap(({ column, altered, spared }) =>
        [...altered]
          .filter(([alteration, tally]) => isOfProgram(tally, spared.get(alteration) ?? 0))
          .map(([alteration, { certain: _, ...tally }]) => ({
            column,
            alteration,
            rows,
            ...tally,
          })),
      ),
  };
}

interface Tally {
  count: number;
  /** Those that are not the only change of a line that was refused: such a one may be its fix. */
  certain: number;
  readonly place: Place;
  readonly before: string;
  readonly after: string;
}

const byHand: ReadonlySet<Alteration> = new Set(["number", "date", "digits"]);

/** More than a person changes in the same way. */
const many = 3;

/** @param spared cells that a program would have altered too */
function isOfProgram({ count, certain }: Tally, spared: number): boolean {
  if (certain === 0 && count < many) return false;
  return spared === 0 || (count >= many && count * 5 >= count + spared);
}

const descriptions: Record<Alteration, string> = {
  zeros: "leading zeros are lost",
  exponent: "numbers are cut to an exponent",
  digits: "digits of long numbers are lost",
  becameDate: "texts have become dates",
  letters: "letters are garbled",
  error: "texts have become errors",
  number: "values are written in another way",
  date: "dates are written in another way",
};

/** For people: what happened to a column, how often, and an example. */
export function tellAltered({ column, alteration, count, rows, ...first }: AlteredColumn): string {
  const example = `${quote(first.before)} -> ${quote(first.after)} in ${describePlace(first.place)}`;
  return `column ${quote(column)}: ${descriptions[alteration]} in ${grouped(count)} of ${grouped(rows)} ${rows === 1 ? "row" : "rows"}, such as ${example}`;
}

/** What a program has done to a cell; undefined if only a person would. */
export function alterationOf(before: string, after: string): Alteration | undefined {
  const [was, is] = [before.trim(), after.trim()];
  if (was === is || was === "" || is === "") return undefined;
  if (isGarbled(was, is)) return "letters";
  if (Math.max(was.length, is.length) > longest) return undefined;
  if (errorText.test(is) && !errorText.test(was)) return "error";
  return numberAlteration(was, is) ?? dateAlteration(was, is);
}

/** What a program would have done to a cell that is as it was. */
function proneTo(cell: string): Alteration | undefined {
  if (cell.length > longest || !mayBeProne.test(cell)) return undefined;
  const text = cell.trim();
  if (code.test(text)) return "zeros";
  const value = plainNumber(text);
  if (value !== undefined) return value === text ? undefined : "number";
  if (truth.test(text)) return "number";
  return dateOf(text) === undefined ? undefined : "date";
}

/** Numbers and dates are short. */
const longest = 40;
const errorText = /^#(?:NAME\?|VALUE!|REF!|DIV\/0!|NUM!|N\/A|NULL!|#+)$/;
/** Spares names, addresses and their like the rest. */
const mayBeProne = /^\s*[\d+.,-]|^\s*(?:true|false)\s*$|\d\s*$/i;
const truth = /^(?:true|false)$/i;
const code = /^0\d+$/;
const scientific = /^[+-]?\d+(?:[.,](\d+))?e[+-]?\d{1,3}$/i;
const whole = /^[+-]?\d+$/;

function numberAlteration(was: string, is: string): Alteration | undefined {
  if (scientific.test(is)) return isCutTo(was, is) ? "exponent" : undefined;
  if (truth.test(was)) return is.toLowerCase() === was.toLowerCase() ? "number" : undefined;
  const [value, valueNow] = [plainNumber(was), plainNumber(is)];
  if (value === undefined || valueNow === undefined) return undefined;
  if (value !== valueNow) return hasLostDigits(value, valueNow) ? "digits" : undefined;
  // Only a person puts zeros back.
  if (code.test(is)) return undefined;
  return code.test(was) ? "zeros" : "number";
}

/** Whether an exponent holds what is left of a number, such as 1.23E+15 of 1234567890123456. */
function isCutTo(was: string, is: string): boolean {
  const number = Number(was.replace(",", "."));
  const decimals = scientific.exec(is)?.[1]?.length ?? 0;
  return number.toExponential(decimals) === Number(is.replace(",", ".")).toExponential(decimals);
}

/** Programs keep 15 or 17 digits, and show fewer of a fraction. */
function hasLostDigits(value: string, now: string): boolean {
  if (whole.test(value)) {
    const [digits, left] = [value, now].map((one) => one.replace("-", "")) as [string, string];
    if (digits.length < 16 || digits.length !== left.length) return false;
    const isCutOff = digits.slice(0, 15) === left.slice(0, 15) && /^0+$/.test(left.slice(15));
    return isCutOff || BigInt(Number(digits)).toString() === left;
  }
  const decimals = now.split(".")[1]?.length ?? 0;
  return now.length >= 9 && Number(value).toFixed(decimals) === Number(now).toFixed(decimals);
}

/** The same text for the same number: without a plus, and without zeros that change nothing. */
function plainNumber(text: string): string | undefined {
  const [, sign = "", digits = "", fraction = ""] = decimal.exec(text) ?? [];
  if (digits === "" && fraction === "") return undefined;
  let end = fraction.length;
  while (fraction[end - 1] === "0") end--;
  let from = 0;
  while (digits[from] === "0") from++;
  const value = (digits.slice(from) || "0") + (end === 0 ? "" : `.${fraction.slice(0, end)}`);
  return sign === "-" && value !== "0" ? `-${value}` : value;
}

const decimal = /^([+-]?)(\d*)(?:[.,](\d*))?$/;

/** The parts of a date in the order in which they stand; a month may be a word. */
interface WrittenDate {
  readonly parts: readonly (number | string)[];
  /** Hours, minutes and seconds, which may be missing (`NaN`). */
  readonly time: readonly [number, number, number] | undefined;
  readonly hasWord: boolean;
}

function dateAlteration(was: string, is: string): Alteration | undefined {
  const [a, b] = [dateOf(was), dateOf(is)];
  if (a !== undefined && isSerialOf(is, a)) return "date";
  if (b !== undefined && isSerialOf(was, b)) return "date";
  if (a === undefined || b === undefined || !isSameDate(a, b)) return undefined;
  // 3/4 and 1-2 are no dates, and neither is the gene MARCH1.
  const wasOther = a.parts.length === 2 && (!a.hasWord || /\p{L}\d/u.test(was));
  return wasOther && b.hasWord ? "becameDate" : "date";
}

const dateAndTime =
  /^(.*?)(?:(?:^|[T ,] ?)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const dayForm = /^[\d\p{L}\-/., ]*$/u;

/** What a text says as a date, in whatever order; also of a part of one, or a time alone. */
function dateOf(text: string): WrittenDate | undefined {
  const [, day = "", hours, minutes, seconds] = dateAndTime.exec(text) ?? [];
  const time =
    hours === undefined
      ? undefined
      : ([hours, minutes, seconds ?? Number.NaN].map(Number) as [number, number, number]);
  const parts = (day.match(/\d+|\p{L}+/gu) ?? []).map((part) =>
    /^\d/.test(part) ? (part.length > 4 ? Number.NaN : Number(part)) : part.toLowerCase(),
  );
  if (!dayForm.test(day) || parts.length === 1 || parts.length > 3) return undefined;
  if (parts.length === 0) return time === undefined ? undefined : { parts, time, hasWord: false };
  const words = parts.filter((part) => typeof part === "string");
  const large = parts.filter((part) => typeof part !== "string" && !(part <= 31));
  if (words.length > 1 || large.length > 1 || parts.some((part) => Number.isNaN(part))) {
    return undefined;
  }
  if (words.some(({ length }) => length < 3 || length > 10)) return undefined;
  return { parts, time, hasWord: words.length > 0 };
}

/** Whether all parts of one are in the other, whatever their order; a part may be missing. */
function isSameDate(a: WrittenDate, b: WrittenDate): boolean {
  if (!isSameTime(a.time, b.time) || Math.abs(a.parts.length - b.parts.length) > 1) return false;
  const [few, many] =
    a.parts.length <= b.parts.length ? [a.parts, b.parts] : ([b.parts, a.parts] as const);
  const left = [...many];
  const numbersFirst = few.toSorted((one) => (typeof one === "string" ? 1 : -1));
  return numbersFirst.every((part) => {
    const exact = left.findIndex((other) => isSamePart(part, other));
    const at = exact >= 0 ? exact : left.findIndex((other) => isMonthOf(part, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function isSamePart(one: number | string, other: number | string): boolean {
  if (typeof one === "number" && typeof other === "number") return one % 100 === other % 100;
  return typeof one === "string" && typeof other === "string";
}

/** A word is taken for the month that a number says: programs write it in the language of the user. */
function isMonthOf(one: number | string, other: number | string): boolean {
  const number = typeof one === "number" ? one : other;
  return typeof one !== typeof other && typeof number === "number" && number >= 1 && number <= 12;
}

/** Whether neither says another time; hours may be those of a half day. */
function isSameTime(one: WrittenDate["time"], other: WrittenDate["time"]): boolean {
  if (one === undefined || other === undefined) return true;
  const [hours, minutes, seconds] = one;
  const [otherHours, otherMinutes, otherSeconds] = other;
  const areOtherSeconds = seconds < otherSeconds || seconds > otherSeconds;
  return hours % 12 === otherHours % 12 && minutes === otherMinutes && !areOtherSeconds;
}

/** Whether a text is the number that spreadsheet programs keep for a day. */
function isSerialOf(text: string, { parts }: WrittenDate): boolean {
  if (!/^[1-7]\d{4}$/.test(text)) return false;
  const [first = 0, second = 0, third = 0] = parts.map(Number);
  const [year, one, two] = first > 31 ? [first, second, third] : [third, first, second];
  const days = [Date.UTC(year, one - 1, two), Date.UTC(year, two - 1, one)];
  return days.some((time) => time / dayMs + dayOf1970 === Number(text));
}

const dayMs = 24 * 60 * 60 * 1000;
const dayOf1970 = 25_569;

/** Whether letters were read in another encoding, or replaced as they could not be written. */
function isGarbled(was: string, is: string): boolean {
  if (!beyondAscii.test(was)) return false;
  if (decodeAgain(is) === was) return true;
  const [letters, now] = [[...was], [...is]];
  return (
    letters.length === now.length &&
    letters.every((letter, at) => {
      const isLost = beyondAscii.test(letter) && (now[at] === "?" || now[at] === "\ufffd");
      return isLost || letter === now[at];
    })
  );
}

const beyondAscii = /\P{ASCII}/u;
