import { grouped } from "../../model/quantities.ts";
import { quote } from "../../model/row.ts";
import type { RecognisedColumn } from "./headers.ts";

/** A text that means that there is no value, and where it does. */
export interface NullWord {
  readonly word: string;
  readonly where: string;
}

/**
 * What programs export for "no value", and nobody writes. The parentheses are of database clients; from `0/0/00` on, it
 * is what Outlook, MySQL and .NET write for no date.
 */
const ofPrograms = new Set(
  (
    "NULL|null|N/A|n/a|#N/A|\\N|(null)|(NULL)|[NULL]|<null>|NaN|0/0/00|0000-00-00|0000-00-00 00:00:00|" +
    "0001-01-01|0001-01-01 00:00:00|0001-01-01T00:00:00"
  ).split("|"),
);

/** What people and programs write as well, and what can be a text: `k.A.` is German, and the point of Stata and SAS. */
const signs = new Set(
  "-|--|---|–|—|.|..|k.A.|k.A|k. A.|n.a.|N.A.|n.v.t.|s/d|S/D|無|无|なし|없음".split("|"),
);
/** What is also a value, such as the plan of those who have none: beside numbers, dates and addresses alone. */
const words = new Set("None|none|nil|nan|undefined|NA".split("|"));

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
    if (ofPrograms.has(word) || signs.has(word) || words.has(word)) {
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
    if (ofPrograms.has(word)) return kind !== "text" || share >= minShareOfNames;
    return share >= minShareOfSigns && (areTyped || (signs.has(word) && isLong));
  });
}

/** Whether people write what they like in a column. */
function isProse(member: string, cells: readonly string[]): boolean {
  if (/^(notes|description|message|bio|about)$/.test(member)) return true;
  if (/address|street/.test(member)) return false;
  const long = cells.filter((cell) => /^\s*(?:\S+\s+){5}\S/.test(cell)).length;
  return long * 3 > cells.length;
}
