import type { ColumnKind } from "./kinds.ts";

/** Columns with fewer cells or shorter ones can look so by chance. */
const few = { codes: 5, different: 20, counted: 3, digitsOfLarge: 4, digitsOfIds: 3 };
/** No amount has more digits, unless the header says that it is one. */
const maxAmountLength = 9;

/** What whole numbers show, all together. */
interface Numbers {
  readonly cells: readonly string[];
  readonly longest: number;
  readonly shortest: number;
  readonly different: number;
  /** How often a cell differs from the one above. */
  readonly runs: number;
}

/** Why numbers are codes, in the order of what is said first. */
const codeSigns: Readonly<Record<string, (numbers: Numbers) => boolean>> = {
  "all of one length, as codes are": ({ longest, shortest }) =>
    longest === shortest && longest >= few.codes,
  "all different, as ids are": ({ cells, different, shortest }) =>
    (different === cells.length && cells.length >= few.different) ||
    (different === cells.length && cells.length > 1 && shortest >= few.digitsOfLarge) ||
    (cells.length >= few.counted &&
      cells.every((cell, at) => Number(cell) === Number(cells[0]) + at)),
  "the same in all rows, as no amount is": ({ cells, different }) =>
    different === 1 && cells.length >= few.codes,
  "single digits, as codes are": ({ cells, longest, different }) =>
    longest === 1 && different < few.codes && cells.length >= few.different,
  "as long as codes and phone numbers are": ({ longest }) => longest > maxAmountLength,
  "mostly different, as codes are": ({ cells, different, longest }) =>
    cells.length >= few.different && longest >= few.digitsOfLarge && different * 2 > cells.length,
  // The rows of an order or of a person stand together; amounts that are the same do not.
  "the same in rows that stand together, as numbers of orders are": (numbers) =>
    numbers.cells.length >= few.different &&
    numbers.longest >= few.digitsOfIds &&
    numbers.different > 2 &&
    numbers.runs === numbers.different,
};

/**
 * Why whole numbers are taken for codes, although the header says nothing: a number made of a code
 * loses its zeros, and nobody adds it up. Undefined if they look like amounts or counts: small, and often the same.
 */
export function whyCodes(
  kind: ColumnKind | undefined,
  given: readonly string[],
): string | undefined {
  // Programs write -1 for no code.
  const cells = given.filter((cell) => cell !== "-1");
  const areWhole = cells.length > 0 && cells.every((cell) => /^\d+$/.test(cell));
  if (kind === "amount" || kind === "coordinate" || !areWhole) return undefined;
  const lengths = cells.map(({ length }) => length);
  const numbers = {
    cells,
    longest: Math.max(...lengths),
    shortest: Math.min(...lengths),
    different: new Set(cells).size,
    runs: cells.filter((cell, at) => cell !== cells[at - 1]).length,
  };
  const reason = Object.keys(codeSigns).find((one) => codeSigns[one]?.(numbers));
  return reason && `${reason}: if they are amounts or counts, add type: integer`;
}
