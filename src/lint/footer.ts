import type { Finding } from "../model/finding.ts";
import { placeOf } from "../model/place.ts";
import type { Row } from "../model/row.ts";
import { ofRows } from "./lint.ts";

const maxFooterRows = 5;
const minRows = 3;
/** Fewer rows do not show which cells may be blank. */
const minRowsAboveNote = 20;
/** `Exported by CRM`, or `Rows:` and their number. */
const maxNoteCells = 2;

/** Looks for rows at the end that are no rows: totals, counts, notes. */
export function createFooterWatch() {
  let last: Row[] = [];
  /** Cells that every row above the last ones fills. */
  let fewest = Number.POSITIVE_INFINITY;
  let seen = 0;
  return {
    see(row: Row): void {
      seen++;
      last.push(row);
      if (last.length < 2 * maxFooterRows) return;
      // In parts, so that most rows cost nothing more.
      for (const { cells } of last.slice(0, maxFooterRows)) {
        if (fewest > maxNoteCells) fewest = Math.min(fewest, countFilled(cells));
      }
      last = last.slice(maxFooterRows);
    },
    /** None if the last rows are like the others. */
    found(): Finding[] {
      const counts = last.map(({ cells }) => countFilled(cells)).toSorted((a, b) => a - b);
      const usual = counts[Math.floor(counts.length / 2)] ?? 0;
      const firstTotal = last.findIndex(({ cells }) => isTotal(cells, usual));
      const isFooter = ({ cells }: Row, at: number) => {
        if (isTotal(cells, usual)) return true;
        const filled = countFilled(cells);
        const isSparse = filled > 0 && filled <= maxNoteCells && filled * 2 <= usual;
        if (!isSparse || !/\p{L}/u.test(firstFilled(cells))) return false;
        return (
          (firstTotal >= 0 && at > firstTotal) || (seen >= minRowsAboveNote && filled < fewest)
        );
      };
      const rows = last.slice(last.findLastIndex((row, at) => !isFooter(row, at)) + 1);
      const [first] = rows;
      const most = seen < minRows ? 0 : Math.min(maxFooterRows, seen - 1);
      if (first === undefined || rows.length > most) return [];
      const places = rows.map((row) => ({ ...placeOf(row), value: firstFilled(row.cells) }));
      const found = { count: rows.length, first: places };
      return ofRows("last_rows", found, { limit: first.row - 1 });
    },
  };
}

/** A total or a count; if it fills all cells, before numbers only: a company may be called Total. */
function isTotal(cells: readonly string[], usual: number): boolean {
  const first = firstFilled(cells);
  const filled = countFilled(cells);
  if (filled > usual || !(totals.test(first) || rowCount.test(first))) return false;
  return filled < usual || cells.every((cell) => cell.trim() === first || !/[\p{L}@]/u.test(cell));
}

/** Alone, or before their number: `Total: 3 customers`, `Grand Totals (3 records)` of Salesforce. */
const totals =
  /^(?:(?:grand|sub|over)[ -]?)?(?:totals?|totaux|gesamt|gesamtsumme|summe|zwischensumme|insgesamt|totale|somme|suma|sum|totaal|summa)(?:\s{0,9}:.*|\s{0,9}[(=]?\s{0,9}\d[\d.,]*(?: \p{L}+)?\)?)?$/iu;
/** `49 rows selected.` of Oracle, `(49 rows)` of PostgreSQL, `(49 rows affected)` of SQL Server. */
const rowCount =
  /^\(?\d[\d.,]* (?:rows?|records?|zeilen?|datens[aä]tze?|eintr[aä]ge?|lignes?|filas?|registros?|righe|rijen|records?)\b[ \p{L}]*\)?\.?$/iu;

function firstFilled(cells: readonly string[]): string {
  return cells.find((cell) => cell.trim() !== "")?.trim() ?? "";
}

function countFilled(cells: readonly string[]): number {
  let filled = 0;
  for (const cell of cells) if (cell !== "") filled++;
  return filled;
}
