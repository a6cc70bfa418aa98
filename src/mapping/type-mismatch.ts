import { cutTo, quoteWhole } from "../model/row.ts";
import { canonicalDecimal } from "./numbers.ts";
import type { Given } from "./schema-parts.ts";
import { toDate, toDatetime } from "./to-date.ts";

const day = toDate(["yyyy-MM-dd"]);
const instant = toDatetime(["iso"], "UTC");

/** What each type gives, in words, and whether a value is it. What is not here can be any JSON. */
const kinds: Readonly<Record<string, { readonly wanted: string; is(given: unknown): boolean }>> = {
  string: { wanted: "text in quotes", is: (given) => typeof given === "string" },
  integer: { wanted: "a whole number", is: Number.isInteger },
  number: { wanted: "a number", is: (given) => typeof given === "number" },
  decimal: {
    wanted: 'a decimal number in quotes, such as "0.50"',
    is: (given) => typeof given === "string" && canonicalDecimal(given) === given,
  },
  boolean: { wanted: "true or false", is: (given) => typeof given === "boolean" },
  date: { wanted: "a day such as 2024-05-31", is: (given) => staysSame(day, given) },
  datetime: {
    wanted: "a time such as 2024-05-31T12:30:00.000Z",
    is: (given) => staysSame(instant, given),
  },
  list: { wanted: "a list", is: Array.isArray },
};

function staysSame(convert: ReturnType<typeof toDate>, given: unknown): boolean {
  const converted = typeof given === "string" ? convert(given) : undefined;
  return converted?.kind === "value" && converted.value === given;
}

/**
 * What is wrong with a `default` or `otherwise` that is not of the `type` of its member; undefined if it is,
 * or if there is no type. It may be out of bounds, as it can stand for an unknown value.
 */
export function describeTypeMismatch({ type }: Given, given: unknown): string | undefined {
  const kind = Object.hasOwn(kinds, String(type)) ? kinds[String(type)] : undefined;
  if (given === undefined || given === null || kind === undefined || kind.is(given)) {
    return undefined;
  }
  const shown = cutTo(maxShownCharacters, quoteWhole(given as string | object));
  return `${shown} is not what type: ${type} gives: write ${kind.wanted}, or null`;
}

const maxShownCharacters = 200;
