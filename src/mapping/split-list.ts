/**
 * Splits a cell into list items. An item in quotes may contain the separator, and a doubled quote stands
 * for one (RFC 4180). A cell whose quotes do not fit that is split at every separator.
 */
export function splitList(cell: string, separator: string): string[] {
  if (!cell.includes('"') || separator.includes('"')) return cell.split(separator);
  const items: string[] = [];
  let at = 0;
  for (;;) {
    const start = skipSpace(cell, at, separator);
    if (cell[start] !== '"') {
      const end = cell.indexOf(separator, at);
      items.push(cell.slice(at, end < 0 ? undefined : end));
      if (end < 0) return items;
      at = end + separator.length;
      continue;
    }
    const close = closingQuote(cell, start + 1);
    if (close < 0) return cell.split(separator);
    items.push(cell.slice(start + 1, close).replaceAll('""', '"'));
    const after = skipSpace(cell, close + 1, separator);
    if (after === cell.length) return items;
    if (!cell.startsWith(separator, after)) return cell.split(separator);
    at = after + separator.length;
  }
}

/** The next place that is no space; a separator may be one. */
function skipSpace(cell: string, from: number, separator: string): number {
  let at = from;
  while (at < cell.length && !cell.startsWith(separator, at) && /\s/.test(cell[at] ?? "")) at++;
  return at;
}

/** The place of the next quote that is not doubled; -1 if there is none. */
function closingQuote(cell: string, from: number): number {
  let at = cell.indexOf('"', from);
  while (at >= 0 && cell[at + 1] === '"') at = cell.indexOf('"', at + 2);
  return at;
}
