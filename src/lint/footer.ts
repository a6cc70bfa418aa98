import { quote, type Row } from "../model/row.ts";

/** Looks for rows at the end that are no rows: totals, counts, notes. */
export interface FooterWatch {
  see(row: Row): void;
  /** A sentence without the name of the input; undefined if the last rows are like the others. */
  found(): string | undefined;
}

const maxFooterRows = 5;
/** Rows from which it is known how many cells a row fills. */
const maxCompared = 1000;
/** The share of the rows that may fill as few cells as a footer. */
const maxSparseShare = 0.02;

export function createFooterWatch(): FooterWatch {
  let last: Row[] = [];
  const filledCounts: number[] = [];
  let seen = 0;
  return {
    see(row) {
      seen++;
      last.push(row);
      if (last.length < 2 * maxFooterRows) return;
      // In parts, so that most rows cost nothing more.
      for (const { cells } of last.slice(0, maxFooterRows)) {
        if (filledCounts.length < maxCompared) filledCounts.push(countFilled(cells));
      }
      last = last.slice(maxFooterRows);
    },
    found() {
      const counts = [...filledCounts, ...last.map(({ cells }) => countFilled(cells))];
      const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
      const isTotal = ({ cells }: Row) => {
        const filled = countFilled(cells);
        const first = firstFilled(cells);
        if (filled === 0 || filled > usual) return false;
        if (filled === usual) return totals.test(first) && areNumbers(cells);
        return totals.test(first) || rowCount.test(first);
      };
      const total = last.findIndex(isTotal);
      const isFooter = (row: Row, at: number) => {
        if (isTotal(row)) return true;
        const { cells } = row;
        const filled = countFilled(cells);
        const mayBeNote =
          filled > 0 &&
          filled <= maxNoteCells &&
          filled * 2 <= usual &&
          /\p{L}/u.test(firstFilled(cells));
        if (!mayBeNote) return false;
        if (total >= 0 && at > total) return true;
        if (seen < minRowsAboveNote) return false;
        const asSparse = counts.filter((count) => count <= filled).length - maxFooterRows;
        return asSparse <= maxSparseShare * counts.length;
      };
      const end = last.findLastIndex((row, at) => !isFooter(row, at)) + 1;
      const rows = last.slice(end);
      const [first] = rows;
      if (first === undefined || rows.length > maxFooterRows || seen < minRows) return undefined;
      const shown = quote(firstFilled(first.cells));
      return rows.length === 1
        ? `the last row (line ${first.line}, ${shown}) is unlike the others: if it is a total or a note, delete it, or give --limit ${first.row - 1}.`
        : `the last ${rows.length} rows (from line ${first.line}, ${shown}) are unlike the others: if they are totals or notes, delete them, or give --limit ${first.row - 1}.`;
    },
  };
}

const minRows = 3;
/** Fewer rows do not show which cells may be blank. */
const minRowsAboveNote = 20;
/** `Exported by CRM`, or `Rows:` and their number. */
const maxNoteCells = 2;

/** Alone, or before their number: `Total: 3 customers`, `Grand Totals (3 records)` of Salesforce. */
const totals =
  /^(?:(?:grand|sub|over)[ -]?)?(?:totals?|totaux|gesamt|gesamtsumme|summe|zwischensumme|insgesamt|totale|somme|suma|sum|totaal|summa)(?:\s{0,9}:.*|\s{0,9}[(=]?\s{0,9}\d[\d.,]*(?: \p{L}+)?\)?)?$/iu;
/** `49 rows selected.` of Oracle, `(49 rows)` of PostgreSQL, `(49 rows affected)` of SQL Server. */
const rowCount =
  /^\(?\d[\d.,]* (?:rows?|records?|zeilen?|datens[aä]tze?|eintr[aä]ge?|lignes?|filas?|registros?|righe|rijen|records?)\b[ \p{L}]*\)?\.?$/iu;

/** Whether all cells but the first are numbers: a company may be called Total. */
function areNumbers([, ...others]: readonly string[]): boolean {
  return others.every((cell) => cell === "" || /^[^\p{L}@]*\d[^\p{L}@]*$/u.test(cell));
}

function firstFilled(cells: readonly string[]): string {
  return cells.find((cell) => cell.trim() !== "")?.trim() ?? "";
}

function countFilled(cells: readonly string[]): number {
  let filled = 0;
  for (const cell of cells) if (cell !== "") filled++;
  return filled;
}
