import { nullSigns, nullTexts, nullWordsOfPrograms } from "../../model/null-words.ts";
import { grouped } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { RecognisedColumn } from "./headers.ts";

export interface NullWord {
  readonly word: string;
  readonly where: string;
}

/** Words for no value beside numbers, dates and addresses alone; NA is Namibia too. */
const ambiguousWords = new Set([...nullTexts, "none", "NA", "Null"]);
const candidates = new Set([...nullWordsOfPrograms, ...nullSigns, ...ambiguousWords]);

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

/** Finds words for no value column by column, never in free text; a word that is a value in another column is none. */
export function findNullWords(given: readonly RecognisedColumn[]): NullWord[] {
  const columns = given.map(judge);
  return [...candidates].flatMap((word) => {
    const having = columns.filter(({ counts }) => counts.has(word));
    const losing = having.filter((one) => isNull(word, one));
    const isElsewhere = having.some((one) => !losing.includes(one) && meansValue(word, one));
    if (losing.length === 0 || isElsewhere) return [];
    const where = having.map(({ column, cells, counts }) => {
      const count = grouped(counts.get(word) ?? 0);
      return `${count} of ${grouped(cells.length)} in ${quote(column)}`;
    });
    return [{ word, where: where.join(", ") }];
  });
}

const maxLength = 24;

function judge(column: RecognisedColumn): Judged {
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

function isNull(word: string, column: Judged): boolean {
  const { cells, counts, isTyped, isLong } = column;
  const { kind, member } = column.recognised;
  const share = (counts.get(word) ?? 0) / cells.length;
  if (column.isProse) return false;
  if (nullWordsOfPrograms.has(word)) return kind !== "text" || share >= minShareOfNames;
  const isSign = nullSigns.has(word) && (isLong || member === "gender");
  return share >= minShareOfSigns && (isTyped || isSign);
}

/** Whether a word that is not null here means something. Nobody writes what programs do, but some are called Null. */
function meansValue(word: string, { recognised: { member }, isTyped, isLong }: Judged): boolean {
  if (nullWordsOfPrograms.has(word)) return /^null$/i.test(word) && /name$/.test(member);
  // A sign among letters and signs is a grade or the like; alone among notes, it says nothing.
  if (nullSigns.has(word)) return !(isTyped || isLong || freeText.test(member));
  return freeText.test(member) || !isTyped;
}

const freeText = /^(notes|description|message|bio|about)$/;

function isProse(member: string, cells: readonly string[]): boolean {
  if (freeText.test(member)) return true;
  const long = cells.filter((cell) => /^\s*(?:\S+\s+){5}\S/.test(cell)).length;
  return long * 3 > cells.length;
}
