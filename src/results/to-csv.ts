/** A lone carriage return ends a record in some readers, and a byte order mark at the beginning is removed. */
const needsQuotes = /[",\n\r]|^\ufeff/;

/**
 * CSV (RFC 4180, with line feeds), with quotes only where they are needed.
 *
 * csv-stringify took ten times as long, a tenth of the time of an import.
 */
export function toCsv(lines: readonly (readonly string[])[]): string {
  let text = "";
  for (const cells of lines) {
    // A record of one blank cell would be a blank line, which readers skip.
    if (cells.length === 1 && cells[0] === "") text += '""';
    else text += cellsToCsv(cells);
    text += "\n";
  }
  return text;
}

/** The cells of a record, without its line feed. */
export function cellsToCsv(cells: readonly string[]): string {
  return cells.map(cellToCsv).join();
}

/** One cell; blank if it is undefined. */
export function cellToCsv(cell: string | undefined): string {
  // Several cells of each line are blank: no need to test these.
  if (cell === undefined || cell === "") return "";
  if (!needsQuotes.test(cell)) return cell;
  if (!cell.includes('"')) return `"${cell}"`;
  // `replaceAll` would make a rope of a cell full of quotes.
  return `"${cell.split('"').join('""')}"`;
}

/** The cells of a line of CSV (RFC 4180) as they were written, with its line feed or without. */
export function csvCells(line: string): string[] {
  const text = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (!text.includes('"')) return text.split(",");
  const cells: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length : comma;
      cells.push(text.slice(at, end));
      at = end;
      continue;
    }
    let end = at + 1;
    while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) {
      end += text[end] === '"' ? 2 : 1;
    }
    cells.push(
      text
        .slice(at + 1, end)
        .split('""')
        .join('"'),
    );
    at = end + 1;
  }
  return cells;
}
