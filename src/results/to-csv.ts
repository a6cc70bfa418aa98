/**
 * A lone carriage return would end a record when it is read again, and a byte order mark at the very
 * beginning would be taken off.
 */
const needsQuotes = /[",\n\r]|^\ufeff/;

/**
 * CSV text (RFC 4180, with line feeds) of which only those cells are in quotes that have to be.
 *
 * Written here, as csv-stringify took ten times as long, a tenth of the whole work of an import.
 */
export function toCsv(lines: readonly (readonly string[])[]): string {
  let text = "";
  for (const cells of lines) {
    // A record of nothing would be a blank line, and as such none.
    if (cells.length === 1 && cells[0] === "") text += '""';
    else text += cellsToCsv(cells);
    text += "\n";
  }
  return text;
}

function cellsToCsv(cells: readonly string[]): string {
  let text = "";
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? "";
    if (at > 0) text += ",";
    // Several cells of each line are blank.
    text += cell !== "" && needsQuotes.test(cell) ? quoted(cell) : cell;
  }
  return text;
}

/** The same with every cell in quotes, and CRLF. */
export function toQuotedCsv(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
