import { cannotStart } from "../../model/errors.ts";
import { quote } from "../../model/row.ts";
import type { Sheet } from "./workbook.ts";

/**
 * The sheet to read: the one that is asked for by its name, or else by its number; without that the
 * only one that is shown.
 *
 * @throws CannotStartError with a list of them
 */
export function chooseSheet(
  name: string,
  sheets: readonly Sheet[],
  wanted: string | undefined,
): Sheet {
  if (wanted === undefined) {
    const visible = sheets.filter(({ isVisible }) => isVisible);
    const [only, ...others] = visible.length > 0 ? visible : sheets;
    if (only === undefined) throw cannotStart("workbook_unreadable", name, "it has no sheets");
    if (others.length > 0) throw cannotStart("sheet_missing", name, listed(sheets));
    return only;
  }
  const place = /^[1-9]\d{0,4}$/.test(wanted) ? Number(wanted) - 1 : -1;
  const chosen = sheets.find((sheet) => sheet.name === wanted) ?? sheets[place];
  if (chosen === undefined) throw cannotStart("sheet_unknown", name, wanted, listed(sheets));
  return chosen;
}

const mostListed = 50;

function listed(sheets: readonly Sheet[]): string {
  const names = sheets
    .slice(0, mostListed)
    .map((sheet, at) => `${at + 1} ${quote(sheet.name)}${sheet.isVisible ? "" : " (hidden)"}`);
  const more = sheets.length - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
