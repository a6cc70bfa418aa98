import type { LoadEvent } from "../model/event.ts";
import type { Finding } from "../model/finding.ts";
import { nullWordsOfPrograms } from "../model/null-words.ts";
import { placeOf } from "../model/place.ts";
import type { Row } from "../model/row.ts";
import { CellTally, ofRows } from "./lint.ts";

type RowCells = readonly string[];

const maxFooterRows = 5;
const minRowsToJudge = 3;
/** Fewer rows do not show which cells may be blank. */
const minRowsAboveNote = 20;
/** `Exported by CRM`, or `Rows:` and their number. */
const maxNoteCells = 2;
const maxTopRows = 20;

/**
 * Looks for rows that are none: names of the columns once more, totals, counts and notes at the end, and those of which
 * an event would hold nothing.
 */
export function createOddRows(columns: RowCells) {
  const first: Row[] = [];
  let last: Row[] = [];
  const bare = new CellTally();
  /** RowCells that every row above the last ones fills. */
  let fewest = Number.POSITIVE_INFINITY;
  let seen = 0;
  return {
    see(row: Row, events: readonly LoadEvent[]): void {
      seen++;
      if (first.length < maxTopRows) first.push(row);
      for (const event of events) if (event.isBare?.()) bare.add(row, firstFilled(row.cells));
      last.push(row);
      if (last.length < 2 * maxFooterRows) return;
      // In parts, so that most rows cost nothing more.
      for (const { cells } of last.slice(0, maxFooterRows)) {
        if (fewest > 1) fewest = Math.min(fewest, countCells(cells));
      }
      last = last.slice(maxFooterRows);
    },
    found(): Finding[] {
      const areNames = areNamesAgain(
        columns,
        first.map(({ cells }) => cells),
      );
      const footer = footerOf(last, fewest, seen);
      return [
        ...ofRows("first_row", seenOf(areNames ? first.slice(0, 1) : [])),
        ...ofRows("last_rows", seenOf(footer), { limit: (footer[0]?.row ?? 1) - 1 }),
        ...ofRows("bare_events", bare),
      ];
    },
  };
}

function seenOf(rows: readonly Row[]) {
  const first = rows.map((row) => ({ ...placeOf(row), value: firstFilled(row.cells) }));
  return { count: rows.length, first };
}

/**
 * Whether the first row names the columns once more, as they are called in a program or in another language: it has
 * words where all others have digits or addresses.
 */
export function areNamesAgain(
  columns: RowCells,
  [top = [], ...others]: readonly RowCells[],
): boolean {
  const below = others.slice(0, maxTopRows);
  const words = top.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const areWords = words.every((word) => name.test(word) && !nullWordsOfPrograms.has(word));
  if (below.length < minRowsToJudge || words.length < 2 || !areWords) return false;
  const typed = top.filter((_, at) => {
    const cells = below.map((row) => row[at] ?? "").filter((cell) => cell.trim() !== "");
    return cells.length >= minRowsToJudge && cells.every((cell) => /\d|@/.test(cell));
  });
  const isNamed = columns.some((column, at) => isAlike(column, top[at] ?? ""));
  return typed.length >= (isNamed ? 1 : 2) && typed.every((cell) => cell.trim() !== "");
}

/** Or the type of a column, such as `(text)`. */
const name = /^[^\p{L}\d@]{0,2}\p{L}[^\d@]{0,60}$/u;

function isAlike(column: string, cell: string): boolean {
  const [one, other] = [column, cell].map((name) => name.toLowerCase().replaceAll(/\P{L}/gu, ""));
  if (one === undefined || other === undefined) return false;
  return Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one));
}

function footerOf(last: readonly Row[], fewest: number, seen: number): readonly Row[] {
  const counts = last.map(({ cells }) => countCells(cells));
  const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
  const least = Math.min(fewest, ...counts.slice(0, -maxFooterRows));
  const firstTotal = last.findIndex(({ cells }) => isTotal(cells, usual));
  const isFooter = ({ cells }: Row, at: number) => {
    const filled = countCells(cells);
    if (isTotal(cells, usual)) return true;
    const isBelowTotal = firstTotal >= 0 && at > firstTotal;
    if (filled * 2 > usual || (filled >= least && !isBelowTotal)) return false;
    const mayBeNote = filled <= maxNoteCells && /\p{L}/u.test(firstFilled(cells));
    return hasNumbers(cells) || (mayBeNote && (isBelowTotal || seen >= minRowsAboveNote));
  };
  const rows = last.slice(last.findLastIndex((row, at) => !isFooter(row, at)) + 1);
  return seen < minRowsToJudge || rows.length > Math.min(maxFooterRows, seen - 1) ? [] : rows;
}

/** Whether nothing is filled but numbers, perhaps with a word before them. */
function hasNumbers(cells: RowCells): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const numbers = filled.slice(/\p{L}/u.test(filled[0] ?? "") ? 1 : 0);
  return (
    numbers.length > 0 && numbers.every((cell) => /\d/.test(cell) && !/\p{L}{4}|@/u.test(cell))
  );
}

/** A total or a count; if it fills all cells, before numbers only: a company may be called Total. */
function isTotal(cells: RowCells, usual: number): boolean {
  const filled = countCells(cells);
  const hasOnlyNumbers = hasNumbers(cells);
  // The words take longer to compile than a check of a few rows: few rows need them.
  if (filled > usual || (filled === usual && !hasOnlyNumbers)) return false;
  const first = firstFilled(cells);
  const [word] = totals.exec(first) ?? [];
  if (word === undefined && !rowCount.test(first)) return false;
  const isAlone = /^\s{0,9}(?:[:：(=\d]|$)/.test(first.slice(word?.length ?? first.length));
  return hasOnlyNumbers || isAlone;
}

/** Words of totals, alone or before their number: `Total: 3 customers`, `Grand Totals (3 records)` of Salesforce. */
const totals = new RegExp(
  "^(?:(?:grand|sub|over|sous|gran)[ -]?)?(?:total(?:s|e|i|t|en)?|totaux|totaal|gesamt(?:summe)?|summe|zwischensumme|" +
    "insgesamt|somme|suma|sum|summa|sammenlagt|i alt|yhteensä|razem|ogółem|celkem|celkom|spolu|součet|összesen|итого|" +
    "всего|сумма|усього|всього|разом|сума|общо|укупно|ukupno|skupaj|kokku|kopā|viso|iš viso|(?:genel |ara )?toplam|cəmi|" +
    'σύνολο|tổng(?: cộng)?|jumlah|รวม(?:ทั้งสิ้น)?|합계|총계|소계|合计|总计|小计|合計|総計|小計|總計|المجموع|الإجمالي|סה[״"]כ|סך הכל|' +
    "جمع|कुल)(?!\\p{L})",
  "iu",
);
/** `49 rows selected.` of Oracle, `(49 rows)` of PostgreSQL, `(49 rows affected)` of SQL Server. */
const rowCount =
  /^\(?\d[\d.,]* (?:rows?|records?|zeilen?|datens[aä]tze?|eintr[aä]ge?|lignes?|filas?|registros?|righe|rijen|records?)\b[ \p{L}]*\)?\.?$/iu;

function firstFilled(cells: RowCells): string {
  return cells.find((cell) => cell.trim() !== "")?.trim() ?? "";
}

function countCells(cells: RowCells): number {
  let filled = 0;
  for (const cell of cells) if (cell !== "") filled++;
  return filled;
}
