import type { ConversionSpec } from "../value-schema.ts";
import { fits } from "./guess-date.ts";

const longestItem = 60;
const mostItemWords = 4;
/** Where the header does not speak of a list, cells that hold the separator may be chance. */
const leastSplit = 2;
const leastShare = 0.2;

/** @param isAboutLists whether the header says so: then a comma can stand between items */
export function guessList(
  cells: readonly string[],
  isAboutLists: boolean,
): ConversionSpec | undefined {
  const separators = [":::", ";", "|", ...(isAboutLists ? [","] : [])];
  const separator = separators.find((sign) => {
    const split = cells.filter((cell) => cell.includes(sign));
    const least = isAboutLists ? 1 : Math.max(leastSplit, cells.length * leastShare);
    if (split.length < least) return false;
    return split.every((cell) => cell.split(sign).every((item) => isItem(item)));
  });
  if (separator === undefined) return undefined;
  const items = cells.flatMap((cell) => cell.split(separator).map((item) => item.trim()));
  const isQuoted = items.every((item) => item === "" || /^"[^"]*"$/.test(item));
  const conversion: ConversionSpec = {
    type: "list",
    separator,
    // Mailchimp writes its tags so.
    ...(isQuoted ? { items: { transform: { replace: { find: '"', with: "" } } } } : {}),
  };
  return fits(conversion, cells) ? conversion : undefined;
}

/** A few words without an end of a sentence: not a part of somebody's prose. */
function isItem(text: string): boolean {
  const item = text.trim();
  return (
    item.length <= longestItem &&
    !/[.!?]$|\n/.test(item) &&
    item.split(/\s+/).length <= mostItemWords
  );
}
