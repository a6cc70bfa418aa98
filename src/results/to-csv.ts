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

function cellsToCsv(cells: readonly string[]): string {
  let text = "";
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? "";
    if (at > 0) text += ",";
    // Several cells of each line are blank: no need to test these.
    text += cell !== "" && needsQuotes.test(cell) ? quoted(cell) : cell;
  }
  return text;
}

/** The same with CRLF and quotes around every cell. */
export function toQuotedCsv(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
