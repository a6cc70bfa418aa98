import { quote } from "../../model/row.ts";
import { flagsOfSeveral, yesAndNo } from "../../model/yes-no.ts";
import { compileConversion, splitList } from "../compile-conversion.ts";
import type { ConversionSpec } from "../value-schema.ts";

/** The cells that a conversion does not fit, up to one more than the limit. */
export function misfitsOf(
  conversion: ConversionSpec,
  cells: readonly string[],
  limit = cells.length,
): string[] {
  const convert = compileConversion(conversion, noNulls);
  const misfits: string[] = [];
  for (const cell of cells) {
    if (convert(cell).kind !== "value" && misfits.push(cell) > limit) break;
  }
  return misfits;
}

const noNulls = { unlessNull: (text: string) => text };

/** `type: boolean` knows the first pairs by itself. */
const builtInPairs = 3;

/**
 * @param isFlag whether the header says so: then 0 and 1 are not numbers
 * @param maxMisfits how many cells may be neither of the two words
 */
export function guessBoolean(
  cells: readonly string[],
  isFlag: boolean,
  maxMisfits = 0,
): ConversionSpec | undefined {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const word = cell.trim().toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
    if (counts.size > 2 + maxMisfits) return undefined;
  }
  const isWithin = (...pair: readonly string[]) =>
    cells.length - pair.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) <= maxMisfits;
  if (isWithin("1", "0")) return isFlag ? { type: "boolean" } : undefined;
  const at = yesAndNo.findIndex((pair) => {
    const words = pair.filter((word) => counts.has(word));
    // A single letter alone can be any code unless the header says more, and one word beside others an answer among many.
    const isPair =
      words.length === 2 ||
      (maxMisfits === 0 && (isFlag || words.every((word) => word.length > 1)));
    return isPair && isWithin(...pair);
  });
  const others = [...counts.keys()].filter((word) => !yesAndNo[at]?.includes(word));
  if (at < 0 || others.some((word) => yesOrNo.has(word))) return undefined;
  if (at < builtInPairs) return { type: "boolean" };
  const [yes = "", no = ""] = yesAndNo[at] ?? [];
  return { type: "boolean", true_values: [yes], false_values: [no] };
}

/** Yes and no in several languages, each in words, or as 1 and 0 beside them. */
export function guessFlagsOfSeveral(cells: readonly string[]): ConversionSpec | undefined {
  const found = new Set<string>();
  for (const cell of cells) if (found.add(cell.trim().toLowerCase()).size > maxFlagWords) return;
  const words = flagsOfSeveral(found);
  return words && { type: "boolean", ...words };
}

const maxFlagWords = 10;

/** Words for yes or no of any language, and what stands for them. */
const yesOrNo: ReadonlySet<string> = new Set([...yesAndNo.flat(), "x", "1", "0"]);

/** Whether words are nothing but yes and no, and not letters alone, which are codes as often. */
export function areYesAndNo(words: readonly string[]): boolean {
  return words.every((word) => yesOrNo.has(word)) && words.some((word) => word.length > 1);
}

/** Which words for yes and no keep a column from being a boolean; undefined if it has other words too. */
export function wordsInTheWay(cells: readonly string[]): string | undefined {
  const words = new Map(cells.map((cell) => [cell.trim().toLowerCase(), cell.trim()]));
  const pair = yesAndNo.find((one) => one.every((word) => words.has(word)));
  const others = [...words].filter(([word]) => !pair?.includes(word));
  const areAll = others.every(([word]) => yesOrNo.has(word));
  if (pair === undefined || others.length === 0 || !areAll) return undefined;
  const odd = others.map(([, cell]) => quote(cell)).join(", ");
  return `yes and no, except for ${odd}: to map them, add type: boolean, true_values: [${pair[0]}, …], false_values: [${pair[1]}, …]`;
}

export interface NumberGuess {
  readonly conversion: ConversionSpec;
  readonly note?: string | undefined;
}

const marks = [".", ",", " ", "'"] as const;

/** Whether a cell has the digits and signs of a number. */
export function mayBeNumber(cell: string): boolean {
  return /^\s*-?[\d.,' \u00a0\u202f’]*\d(e[+-]?\d+)?\s*$/i.test(cell);
}

/**
 * How numbers are written; undefined if the cells are not numbers or would lose digits or zeros.
 *
 * @param maxMisfits how many cells may be written in another way
 */
export function guessNumber(given: readonly string[], maxMisfits = 0): NumberGuess | undefined {
  const cells = given.map((cell) => cell.trim());
  if (!cells.every(mayBeNumber)) return undefined;
  // A cell such as 00172 is a code, and would be 172.
  if (cells.some((cell) => /^-?0\d/.test(cell))) return undefined;
  const areDigits = cells.every((cell) => /^-?\d+$/.test(cell));
  if ((areDigits || maxMisfits > 0) && cells.some((cell) => /^-?\d{16}/.test(cell))) {
    if (misfitsOf({ type: "integer" }, cells, 0).length > 0) return undefined;
  }
  let best: NumberGuess | undefined;
  let fewest = maxMisfits + 1;
  for (const notation of notationsOf(cells)) {
    const misfits = misfitsOf(notation.conversion, cells, fewest).length;
    if (misfits >= fewest) continue;
    best = notation;
    fewest = misfits;
  }
  return best;
}

/** How numbers can be written. Of those that fit as many cells, the plainest is first. */
function notationsOf(cells: readonly string[]): NumberGuess[] {
  const grouped = cells.every((cell) => /^-?(0|[1-9]\d{0,2}([.,]\d{3})*)$/.test(cell));
  const isClear = cells.some((cell) => /[.,]\d{3}[.,]/.test(cell));
  // 34.181 is a number as it is; 1.234.567 is not.
  const between = marks.filter((mark) => grouped && (mark !== "." || isClear));
  const inThousands = (mark: string) =>
    isClear ? undefined : `"${mark}" is taken to stand between thousands`;
  return [
    { conversion: { type: "integer" } },
    ...between.map((mark) => ({
      conversion: { type: "integer" as const, thousands_separator: mark },
      note: inThousands(mark),
    })),
    {
      conversion: { type: "number" },
      note: grouped ? "the point is taken to stand before a fraction" : undefined,
    },
    { conversion: { type: "decimal" }, note: "more digits than a number keeps exact" },
    ...([",", "."] as const).flatMap((decimal) => {
      const plain = {
        type: "number" as const,
        ...(decimal === "," ? { decimal_separator: decimal } : {}),
      };
      const others = marks.filter((mark) => mark !== decimal);
      return [plain, ...others.map((mark) => ({ ...plain, thousands_separator: mark }))].map(
        (conversion) => ({ conversion }),
      );
    }),
  ];
}

const maxItemLength = 60;
const maxItemWords = 4;
/** If the header does not name a list, a few cells may hold the separator by chance. */
const minSplitCells = 2;
const minSplitShare = 0.2;

/** @param isAboutLists whether the header says so: then a comma can separate items */
export function guessList(
  cells: readonly string[],
  isAboutLists: boolean,
): ConversionSpec | undefined {
  const separators = [":::", ";", "|", ...(isAboutLists ? [","] : [])];
  // An array of PostgreSQL or of JSON: its brackets would be part of the items.
  if (cells.some((cell) => /^\s*[{[].*[}\]]\s*$/s.test(cell))) return undefined;
  const separator = separators.find((sign) => {
    const split = cells.filter(
      (cell) => cell.includes(sign) || (sign === "," && /^"[^"]+"$/.test(cell.trim())),
    );
    const minSplit = isAboutLists ? 1 : Math.max(minSplitCells, cells.length * minSplitShare);
    if (split.length < minSplit) return false;
    return split.every((cell) => splitList(cell, sign).every((item) => isItem(item)));
  });
  if (separator === undefined) return undefined;
  const conversion: ConversionSpec = { type: "list", separator };
  return misfitsOf(conversion, cells, 0).length === 0 ? conversion : undefined;
}

/** A few words that do not end a sentence: not prose. */
function isItem(text: string): boolean {
  const item = text.trim();
  return (
    item.length <= maxItemLength &&
    !/[.!?]$|\n/.test(item) &&
    item.split(/\s+/).length <= maxItemWords
  );
}
