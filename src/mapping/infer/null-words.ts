import { nullSigns, nullTexts, nullWordsOfPrograms } from "../../model/null-words.ts";
import { grouped } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { Recognised, RecognisedColumn } from "./headers.ts";
import type { Kind } from "./vocabulary.ts";
import { whyCodes } from "./why-codes.ts";

/** A text that means that there is no value. */
export interface NullWord {
  readonly word: string;
  /** The columns that have such cells, with their numbers. */
  readonly where: string;
  /** The columns where it means that, if it is a value in others. */
  readonly onlyIn?: readonly string[];
}

/** Beside numbers, dates and addresses alone; NA is Namibia too. */
const words = new Set([...nullTexts, "none", "NA", "Null"]);

/** Of a large column of names, a few may be a surname. */
const minShareOfNames = 0.02;
const minShareOfSigns = 0.05;

/** Finds them column by column; never in a column of free text. */
export function findNullWords(columns: readonly RecognisedColumn[]): NullWord[] {
  const ofColumns = columns.map(({ cells, recognised }) => nullWordsOf(recognised, cells));
  const found = new Map([...new Set(ofColumns.flat())].map((word) => [word, new Map()]));
  if (found.size === 0) return [];
  for (const { column, cells } of columns) {
    for (const cell of cells) {
      const counts = cell.length < maxLength ? found.get(cell.trim()) : undefined;
      counts?.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
  return [...found].map(([word, counts]) => {
    const having = columns.filter(({ column }) => counts.has(column));
    const isNull = (one: RecognisedColumn) => ofColumns[columns.indexOf(one)]?.includes(word);
    const isValue = (one: RecognisedColumn) => !isNull(one) && mayBeValue(word, one);
    const isElsewhere = having.some(isValue);
    const onlyIn = having.filter(isNull).map(({ column }) => column);
    const where = having
      .filter((one) => !isElsewhere || isValue(one))
      .map(({ column, cells }) => {
        const count = grouped(counts.get(column) ?? 0);
        return `${count} of ${grouped(cells.length)} in ${quote(column)}`;
      });
    return { word, where: where.join(", "), ...(isElsewhere ? { onlyIn } : {}) };
  });
}

const maxLength = 24;

/** Whether a text means something in a column. Nobody writes what programs do, but some are called Null. */
function mayBeValue(word: string, { recognised: { member }, cells }: RecognisedColumn): boolean {
  if (nullWordsOfPrograms.has(word)) return /^null$/i.test(word) && /name$/.test(member);
  if (freeText.test(member)) return true;
  const others = cells.filter((cell) => cell.trim() !== word);
  if (areTyped(others)) return false;
  // A sign among letters and signs is a grade or the like.
  return !nullSigns.has(word) || !areLong(others);
}

function areTyped(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => /\d|@/.test(cell));
}

function areLong(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell.trim().length > 1).length * 2 >= cells.length;
}

function nullWordsOf({ kind, member }: Recognised, cells: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const word = cell.length < maxLength ? cell.trim() : "";
    if (nullWordsOfPrograms.has(word) || nullSigns.has(word) || words.has(word)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const others = counts.size === 0 ? cells : cells.filter((cell) => !counts.has(cell.trim()));
  const odd = wordAmongNumbers(kind, others);
  if ((counts.size === 0 && odd === undefined) || isProse(member, others)) return [];
  const [isTyped, isLong] = [areTyped(others), areLong(others)];
  const found = [...counts].filter(([word, count]) => {
    const share = count / cells.length;
    if (nullWordsOfPrograms.has(word)) return kind !== "text" || share >= minShareOfNames;
    return (
      share >= minShareOfSigns &&
      (isTyped || (nullSigns.has(word) && (isLong || member === "gender")))
    );
  });
  return [...found.map(([word]) => word), ...(odd === undefined ? [] : [odd])];
}

/** The one text that stands again and again between numbers, such as "not known". */
function wordAmongNumbers(kind: Kind | undefined, cells: readonly string[]): string | undefined {
  if (kind !== undefined && kind !== "amount") return undefined;
  const first = cells.find((cell) => !/\d/.test(cell))?.trim() ?? "";
  if (!/^\p{L}\P{N}+$/u.test(first) || first.length >= maxLength) return undefined;
  const numbers = cells.filter((cell) => cell.trim() !== first);
  const odd = cells.length - numbers.length;
  const isBetween = odd >= minOdd && odd <= numbers.length && numbers.length >= minNumbers;
  const areNumbers =
    isBetween && numbers.every((cell) => /^[^\p{L}@/:]*\d[^\p{L}@/:]*$/u.test(cell));
  return areNumbers && whyCodes(kind, numbers) === undefined ? first : undefined;
}

const [minOdd, minNumbers] = [2, 10];

const freeText = /^(notes|description|message|bio|about)$/;

/** Whether people write what they like in a column. */
function isProse(member: string, cells: readonly string[]): boolean {
  if (freeText.test(member)) return true;
  const long = cells.filter((cell) => /^\s*(?:\S+\s+){5}\S/.test(cell)).length;
  return long * 3 > cells.length;
}
