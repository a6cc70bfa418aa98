import { nullSigns, nullTexts, nullWordsOfPrograms } from "../../model/null-words.ts";
import { grouped } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { RecognisedColumn } from "./headers.ts";

/** A text that means that there is no value, and where it does. */
export interface NullWord {
  readonly word: string;
  readonly where: string;
}

/** Beside numbers, dates and addresses alone; NA is Namibia too. */
const words = new Set([...nullTexts, "none", "NA", "Null"]);

/** Of a large column of names, a few may be a surname. */
const minShareOfNames = 0.02;
const minShareOfSigns = 0.05;

/** Finds them column by column; never in a column of free text. */
export function findNullWords(columns: readonly RecognisedColumn[]): NullWord[] {
  const found = new Map<string, string[]>();
  for (const { column, cells, recognised } of columns) {
    for (const [word, count] of nullWordsOf(recognised.kind, recognised.member, cells)) {
      const where = `${grouped(count)} of ${grouped(cells.length)} in ${quote(column)}`;
      found.set(word, [...(found.get(word) ?? []), where]);
    }
  }
  return [...found].map(([word, all]) => {
    const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more columns` : "";
    return { word, where: all.slice(0, maxNamed).join(", ") + more };
  });
}

const maxNamed = 2;

function nullWordsOf(
  kind: string | undefined,
  member: string,
  cells: readonly string[],
): [string, number][] {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const word = cell.length < 24 ? cell.trim() : "";
    if (nullWordsOfPrograms.has(word) || nullSigns.has(word) || words.has(word)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return [];
  const others = cells.filter((cell) => !counts.has(cell.trim()));
  if (isProse(member, others)) return [];
  const areTyped = others.length > 0 && others.every((cell) => /\d|@/.test(cell));
  const isLong = others.filter((cell) => cell.trim().length > 1).length * 2 >= others.length;
  return [...counts].filter(([word, count]) => {
    const share = count / cells.length;
    if (nullWordsOfPrograms.has(word)) return kind !== "text" || share >= minShareOfNames;
    return (
      share >= minShareOfSigns &&
      (areTyped || (nullSigns.has(word) && (isLong || member === "gender")))
    );
  });
}

/** Whether people write what they like in a column. */
function isProse(member: string, cells: readonly string[]): boolean {
  if (/^(notes|description|message|bio|about)$/.test(member)) return true;
  const long = cells.filter((cell) => /^\s*(?:\S+\s+){5}\S/.test(cell)).length;
  return long * 3 > cells.length;
}
