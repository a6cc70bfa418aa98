import type { Json } from "../model/event.ts";
import { listed } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { trimmed } from "./columns.ts";
import { isExactNumber } from "./numbers.ts";

/** Why a text cannot be converted, and the code of that problem. */
export class Misfit {
  constructor(
    readonly code: string,
    readonly message: string,
  ) {}
}

/** Converts a text that is not blank to a value; undefined if it holds nothing but separators. */
export type Coerce = (text: string) => Coerced;
type Coerced = Json | undefined | Misfit;

export function isValue(coerced: Coerced): coerced is Json {
  return coerced !== undefined && !(coerced instanceof Misfit);
}

const usualTrue = ["true", "yes", "y", "1"];
const usualFalse = ["false", "no", "n", "0"];

export function toBoolean(
  trueValues: readonly string[] = usualTrue,
  falseValues: readonly string[] = usualFalse,
): Coerce {
  const shown = listed([...trueValues, ...falseValues], maxShownValues, quote);
  const truths = new Map([
    ...trueValues.map((text): [string, boolean] => [plainWord(text), true]),
    ...falseValues.map((text): [string, boolean] => [plainWord(text), false]),
  ]);
  return (cell) => {
    return truths.get(plainWord(cell)) ?? new Misfit("not_a_boolean", `is not one of ${shown}`);
  };
}

export const maxShownValues = 10;

/** A word for true or false as it is compared: case and surrounding space do not matter. */
export function plainWord(text: string): string {
  return trimmed(text).toLowerCase();
}

export function toJson(cell: string): Coerced {
  let parsed: Json;
  try {
    parsed = JSON.parse(cell) as Json;
  } catch (error) {
    return new Misfit("not_json", `is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const withoutTexts = cell.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const inexact = withoutTexts.match(jsonNumbers)?.find((literal) => !isExactNumber(literal));
  if (inexact !== undefined) {
    return new Misfit("not_json", `holds ${inexact}, a number that would not stay exact`);
  }
  return isDeeperThan(maxJsonDepth, withoutTexts)
    ? new Misfit("not_json", `is nested deeper than ${maxJsonDepth} levels`)
    : parsed;
}

const jsonNumbers = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** JSON.stringify overflows the stack at some thousand levels; JSON.parse does not. */
const maxJsonDepth = 500;

function isDeeperThan(limit: number, jsonWithoutTexts: string): boolean {
  let depth = 0;
  for (const [bracket] of jsonWithoutTexts.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > limit) return true;
  }
  return false;
}
