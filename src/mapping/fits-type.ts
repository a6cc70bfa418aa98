import { cutTo, quoteWhole } from "../model/row.ts";
import { canonicalDecimal } from "./numbers.ts";
import type { Given, Rule } from "./schema-parts.ts";
import { toDate, toDatetime } from "./to-date.ts";

/** Whether `default` and `otherwise` are of the `type` of their member. They may be out of bounds. */
export const fitsType: Rule = (member) =>
  ["default", "otherwise"].flatMap((key) => {
    const message = describeMismatch(member, member[key]);
    return message === undefined ? [] : [{ path: [key], message }];
  });

/** What each type gives, in words, and whether a value is it. What is not here can be any JSON. */
const kinds: Readonly<Record<string, readonly [wanted: string, is: (given: unknown) => boolean]>> =
  {
    string: ["text in quotes", (given) => typeof given === "string"],
    integer: ["a whole number", Number.isInteger],
    number: ["a number", (given) => typeof given === "number"],
    decimal: [
      'a decimal number in quotes, such as "0.50"',
      (given) => typeof given === "string" && canonicalDecimal(given) === given,
    ],
    boolean: ["true or false", (given) => typeof given === "boolean"],
    date: ["a day such as 2024-05-31", staysSame(toDate(["yyyy-MM-dd"]))],
    datetime: ["a time such as 2024-05-31T12:30:00.000Z", staysSame(toDatetime(["iso"], "UTC"))],
    list: ["a list", Array.isArray],
  };

function staysSame(convert: ReturnType<typeof toDate>): (given: unknown) => boolean {
  return (given) => {
    const converted = typeof given === "string" ? convert(given) : undefined;
    return converted?.kind === "value" && converted.value === given;
  };
}

function describeMismatch({ type }: Given, given: unknown): string | undefined {
  const kind = Object.hasOwn(kinds, String(type)) ? kinds[String(type)] : undefined;
  if (given === undefined || given === null || kind === undefined) return undefined;
  const [wanted, is] = kind;
  if (is(given)) return undefined;
  const shown = cutTo(maxShownCharacters, quoteWhole(given as string | object));
  return `${shown} is not what type: ${type} gives: write ${wanted}, or null`;
}

const maxShownCharacters = 200;
