import { nullSigns, nullTexts, nullWordsOfPrograms } from "../../model/null-words.ts";
import { grouped } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { RecognisedColumn } from "./headers.ts";
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

/** A column with how often it has what may mean no value, and what its other cells are like. */
interface Judged extends RecognisedColumn {
  readonly counts: ReadonlyMap<string, number>;
  readonly isTyped: boolean;
  readonly isLong: boolean;
  readonly isProse: boolean;
}

/** Finds them column by column; never in a column of free text. */
export function findNullWords(given: readonly RecognisedColumn[]): NullWord[] {
  const odd = given.flatMap((column) => wordAmongNumbers(column) ?? []);
  const candidates = new Set([...nullWordsOfPrograms, ...nullSigns, ...words, ...odd]);
  const columns = given.map((column) => judge(column, candidates));
  return [...candidates].flatMap((word) => {
    const having = columns.filter(({ counts }) => counts.has(word));
    const losing = having.filter((one) => isNull(word, one, odd.includes(word)));
    if (losing.length === 0) return [];
    const others = having.filter((one) => !losing.includes(one) && isValue(word, one));
    const named = (others.length > 0 ? others : having).map(({ column, cells, counts }) => {
      const count = grouped(counts.get(word) ?? 0);
      return `${count} of ${grouped(cells.length)} in ${quote(column)}`;
    });
    const onlyIn = losing.map(({ column }) => column);
    return [{ word, where: named.join(", "), ...(others.length > 0 ? { onlyIn } : {}) }];
  });
}

const maxLength = 24;

function judge(column: RecognisedColumn, candidates: ReadonlySet<string>): Judged {
  const { cells, recognised } = column;
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const word = cell.length < maxLength ? cell.trim() : "";
    if (candidates.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  // Most columns have none.
  const others = counts.size === 0 ? [] : cells.filter((cell) => !counts.has(cell.trim()));
  return {
    ...column,
    counts,
    isTyped: others.length > 0 && others.every((cell) => /\d|@/.test(cell)),
    isLong: others.filter((cell) => cell.trim().length > 1).length * 2 >= others.length,
    isProse: counts.size > 0 && isProse(recognised.member, others),
  };
}

function isNull(word: string, column: Judged, isOdd: boolean): boolean {
  const { cells, counts, isTyped, isLong } = column;
  const { kind, member } = column.recognised;
  const share = (counts.get(word) ?? 0) / cells.length;
  if (column.isProse) return false;
  if (nullWordsOfPrograms.has(word)) return kind !== "text" || share >= minShareOfNames;
  if (isOdd) return isTyped;
  const isSign = nullSigns.has(word) && (isLong || member === "gender");
  return share >= minShareOfSigns && (isTyped || isSign);
}

/** Whether a word that is not null here means something. Nobody writes what programs do, but some are called Null. */
function isValue(word: string, { recognised: { member }, isTyped, isLong }: Judged): boolean {
  if (nullWordsOfPrograms.has(word)) return /^null$/i.test(word) && /name$/.test(member);
  // A sign among letters and signs is a grade or the like.
  return freeText.test(member) || !(isTyped || (nullSigns.has(word) && isLong));
}

/** The one text that stands again and again between numbers, such as "not known". */
function wordAmongNumbers({ recognised: { kind }, cells }: RecognisedColumn): string | undefined {
  if (kind !== undefined && kind !== "amount") return undefined;
  const word = cells.find((cell) => /\p{L}/u.test(cell))?.trim() ?? "";
  const isWord = (cell: string) => cell.trim() === word;
  const isNumber = (cell: string) => /\d/.test(cell) && !/[\p{L}@/:]/u.test(cell);
  const mayBe = (cell: string) => isWord(cell) || isNumber(cell) || nullSigns.has(cell.trim());
  if (!/^\p{L}\P{N}{1,22}$/u.test(word) || !cells.every(mayBe)) return undefined;
  const [numbers, count] = [cells.filter(isNumber), cells.filter(isWord).length];
  const isBetween = count > 1 && count <= numbers.length && !meansZero.test(word);
  return isBetween && whyCodes(kind, numbers) === undefined ? word : undefined;
}

/** A fee of nothing is a number that is written as a word. */
const meansZero = /^(?:free|frei|gratis|kostenlos|gratuito?|gratuit|ilmainen|zero)$/i;

const freeText = /^(notes|description|message|bio|about)$/;

/** Whether people write what they like in a column. */
function isProse(member: string, cells: readonly string[]): boolean {
  if (freeText.test(member)) return true;
  const long = cells.filter((cell) => /^\s*(?:\S+\s+){5}\S/.test(cell)).length;
  return long * 3 > cells.length;
}
