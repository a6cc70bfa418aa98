/**
 * A cell as a spreadsheet program can show it without running or changing it: an apostrophe goes
 * before what begins like a formula, and before digits that would be shown as another number.
 *
 * The signs are those of OWASP's "CSV Injection" and ASVS 5.0, 1.2.10. As that page says, a cell is
 * not safe for its beginning alone: a program that takes another delimiter for granted begins a new
 * one after each semicolon, so what follows a delimiter or a line break inside a cell is treated the
 * same.
 */
export function defuseCell(cell: string): string {
  if (bendable.test(cell)) return `'${cell}`;
  return mayBeDangerous.test(cell) ? cell.replaceAll(formulaStart, "'") : cell;
}

/** Leading zeros, more digits than a column shows, or an exponent. */
const bendable = /^\s*(?:0\d+|\d{12,}|\d+(?:[.,]\d+)?e\d+)\s*$/i;

/** Spares most cells the search: none of the signs is in it. */
const mayBeDangerous = /[=+\-@\t\r\0＝＋－＠]/;

/**
 * Space of any kind, also that which nobody sees, may stand before the sign. It is one class: a mark that were
 * in two of them would double the ways to read it.
 */
const formulaStart = /(?<=^|[,;|\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cf}"])*[=+\-@\t\r\0＝＋－＠])/gu;
