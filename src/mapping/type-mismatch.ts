import { quoteWhole } from "../model/row.ts";
import { canonicalDecimal } from "./numbers.ts";
import { toDate, toDatetime } from "./to-date.ts";
import { memberTypes } from "./value-schema.ts";

type Given = Readonly<Record<string, unknown>>;

/**
 * What is wrong with a `default` or `otherwise` that is not of the `type` of its member; undefined if it is,
 * or if there is no type. It may be out of bounds, as it can stand for an unknown value.
 */
export function describeTypeMismatch(spec: Given, given: unknown): string | undefined {
  const { type } = spec;
  if (given === undefined || given === null || type === undefined) return undefined;
  const known = memberTypes.find((one) => one === type);
  if (known === undefined || isOfType(known, given, spec)) return undefined;
  const such = wanted(known, spec);
  const shown = quoteWhole(given as string | object);
  const cut = shown.length > maxShownCharacters ? `${shown.slice(0, maxShownCharacters)}…` : shown;
  return `${cut} is not what type: ${known} gives: write ${such}, or null`;
}

const maxShownCharacters = 200;

function isOfType(type: (typeof memberTypes)[number], given: unknown, spec: Given): boolean {
  switch (type) {
    case "string":
      return typeof given === "string";
    case "integer":
      return Number.isInteger(given);
    case "number":
      return typeof given === "number";
    case "decimal":
      return spec.as === "number"
        ? typeof given === "number"
        : typeof given === "string" && canonicalDecimal(given) === given;
    case "boolean":
      return typeof given === "boolean";
    case "date":
      return typeof given === "string" && staysSame(toDate(["yyyy-MM-dd"]), given);
    case "datetime":
      return typeof given === "string" && staysSame(toDatetime(["iso"], "UTC"), given);
    case "list":
      return (
        Array.isArray(given) && given.every((item) => isOfType(itemType(spec), item, itemsOf(spec)))
      );
    case "json":
      return true;
    default:
      return type satisfies never;
  }
}

function itemsOf({ items }: Given): Given {
  return typeof items === "object" && items !== null ? (items as Given) : {};
}

/** The type of a list's items: text by default. */
function itemType(spec: Given): (typeof memberTypes)[number] {
  const { type } = itemsOf(spec);
  return memberTypes.find((one) => one === type) ?? "string";
}

function staysSame(convert: ReturnType<typeof toDate>, text: string): boolean {
  const converted = convert(text);
  return converted.kind === "value" && converted.value === text;
}

function wanted(type: (typeof memberTypes)[number], spec: Given): string {
  switch (type) {
    case "string":
      return "text in quotes";
    case "integer":
      return "a whole number";
    case "decimal":
      return spec.as === "number" ? "a number" : 'a decimal number in quotes, such as "0.50"';
    case "boolean":
      return "true or false";
    case "date":
      return "a day such as 2024-05-31";
    case "datetime":
      return "a time such as 2024-05-31T12:30:00.000Z";
    case "list":
      return `a list, each item of it ${wanted(itemType(spec), itemsOf(spec))}`;
    case "number":
    case "json":
      return "a number";
    default:
      return type satisfies never;
  }
}
