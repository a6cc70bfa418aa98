import { type CellRuleMaker, feature, isDigit } from "./cell-rule.ts";
import { cells, createOccurrences } from "./occurrences.ts";
import { suggestMember } from "./suggestion.ts";

/**
 * Numbers such as 1.234,5 in a column with others such as 2,500.5: either the comma or the point stands
 * before a fraction, and no reader can take both. Where cells are no numbers, a comma may mean anything.
 */
export const mixedNotations: CellRuleMaker = (use) => {
  if (!use.asText && use.asNumber === undefined) return undefined;
  const withComma = createOccurrences();
  const withPoint = createOccurrences();
  let seen = 0;
  let others = 0;
  return {
    features: feature.number,
    see(given, place, isSent, features) {
      if ((features & feature.number) === 0) return;
      seen++;
      const notation = notationOf(given);
      if (notation === undefined) others++;
      else if (!isSent) return;
      else if (notation === "decimal_comma") withComma.add(place, given);
      else if (notation === "decimal_point") withPoint.add(place, given);
    },
    found() {
      if (withComma.count === 0 || withPoint.count === 0) return [];
      if (others > seen * maxOthers) return [];
      const hasFewerCommas = withComma.count <= withPoint.count;
      const [rarer, rest] = hasFewerCommas ? [withComma, withPoint] : [withPoint, withComma];
      const { count, first } = rarer;
      const mark = hasFewerCommas ? "comma" : "point";
      const [one, other] = [rarer, rest].map((side) => side.first[0]?.value?.trim() ?? "");
      const message = `${cells(count, "has", "have")} a decimal ${mark}, as in ${one}, and others do not, as in ${other}: write them all in one notation`;
      return [{ kind: "mixed_notations", column: use.column, count, first, message }];
    },
  };
};

const maxOthers = 0.1;

/**
 * Numbers such as 1.234 and 2.500 that the mapping reads with a decimal point, in a column where no cell
 * shows whether the point separates thousands. A mapping that names the decimal separator has decided it.
 */
export const ambiguousThousands: CellRuleMaker = (use, accepts) => {
  const { type, decimal_separator, thousands_separator, transform } = use.member?.spec ?? {};
  if (type !== "number" && type !== "decimal") return undefined;
  const given = [decimal_separator, thousands_separator, transform];
  if (given.some((one) => one !== undefined) || coordinate.test(use.column)) return undefined;
  const ambiguous = createOccurrences();
  let isDecided = false;
  return {
    features: feature.number | feature.digits,
    see(cell, place, isSent, features) {
      if (isDecided) return;
      if ((features & feature.digits) !== 0) {
        // Whoever separates thousands does it in all numbers.
        isDecided = cell.length > 3;
        return;
      }
      const notation = notationOf(cell);
      if (notation === "point") {
        if (isSent) ambiguous.add(place, cell);
      } else if (notation !== "whole" || cell.trim().length > 4) isDecided = true;
    },
    found() {
      const { count, first } = ambiguous;
      if (isDecided || count < minAmbiguous) return [];
      const example = first[0]?.value?.trim() ?? "";
      const message = `${cells(count, "is", "are")} read with a decimal point, as in ${example}, and no cell of the column shows whether the point separates thousands: say which it is with decimal_separator`;
      const added = { decimal_separator: ",", thousands_separator: "." };
      return [
        {
          ...{ kind: "ambiguous_thousands" as const, column: use.column, count, first, message },
          ...suggestMember(use, added, accepts),
        },
      ];
    },
  };
};

const minAmbiguous = 2;
/** Degrees often have three decimals, and never thousands. */
const coordinate = /(?:^|[^a-z])(?:lat|lon|lng|long|latitude|longitude)(?:[^a-z]|$)/i;

/** `point` and `comma`: one of them and three digits after it, which may be thousands or a fraction. */
type Notation = "whole" | "decimal_point" | "decimal_comma" | "point" | "comma";

/** How a number is written; undefined if the cell is no number. */
function notationOf(cell: string): Notation | undefined {
  const marks = countMarks(cell);
  if (marks === undefined) return undefined;
  if (marks === 0) return "whole";
  const text = cell.trim();
  if (groupedByComma.test(text)) return "decimal_point";
  if (groupedByPoint.test(text)) return "decimal_comma";
  const [, whole = "", mark, fraction = ""] = oneMark.exec(text) ?? [];
  if (mark === undefined || whole + fraction === "") return undefined;
  const isEither = fraction.length === 3 && thousands.test(whole);
  if (mark === ".") return isEither ? "point" : "decimal_point";
  return isEither ? "comma" : "decimal_comma";
}

/** The points and commas of a number; undefined for dates, telephone numbers, addresses and the like. */
function countMarks(cell: string): number | undefined {
  if (cell.length > maxChars) return undefined;
  let marks = 0;
  const begin = isSign(cell.charCodeAt(0)) ? 1 : 0;
  let end = cell.length;
  while (end > begin && cell.charCodeAt(end - 1) <= 0x20) end--;
  for (let at = begin; at < end; at++) {
    const unit = cell.charCodeAt(at);
    if (isDigit(unit)) continue;
    if (unit !== comma && unit !== point) return undefined;
    marks++;
  }
  return end > begin ? marks : undefined;
}

function isSign(unit: number): boolean {
  return unit === 0x2b || unit === 0x2d;
}

const comma = 0x2c;
const point = 0x2e;

/** Few numbers are longer. */
const maxChars = 30;
const groupedByComma = /^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/;
const groupedByPoint = /^[+-]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})$/;
const oneMark = /^[+-]?(\d*)([.,])(\d*)$/;
/** No group of thousands begins with a zero. */
const thousands = /^[1-9]\d{0,2}$/;
