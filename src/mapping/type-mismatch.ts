import { cutTo, quoteWhole } from "../model/row.ts";
import { isRecord } from "../model/yaml-document.ts";
import { canonicalDecimal } from "./numbers.ts";
import type { Given } from "./schema-parts.ts";
import { toDate, toDatetime } from "./to-date.ts";
import { memberTypes } from "./value-schema.ts";

/** What a type gives, in words, and whether a value is it. */
interface Kind {
  readonly wanted: string;
  is(given: unknown): boolean;
}

const day = toDate(["yyyy-MM-dd"]);
const instant = toDatetime(["iso"], "UTC");
const kinds = {
  text: { wanted: "text in quotes", is: (given) => typeof given === "string" },
  whole: { wanted: "a whole number", is: Number.isInteger },
  number: { wanted: "a number", is: (given) => typeof given === "number" },
  decimal: {
    wanted: 'a decimal number in quotes, such as "0.50"',
    is: (given) => typeof given === "string" && canonicalDecimal(given) === given,
  },
  boolean: { wanted: "true or false", is: (given) => typeof given === "boolean" },
  day: { wanted: "a day such as 2024-05-31", is: (given) => staysSame(day, given) },
  instant: {
    wanted: "a time such as 2024-05-31T12:30:00.000Z",
    is: (given) => staysSame(instant, given),
  },
  any: { wanted: "any JSON", is: () => true },
} satisfies Record<string, Kind>;

/** What a member or a list item of a type holds; its type can be anything yet. */
function kindOf({ type = "string", items }: Given): Kind {
  switch (memberTypes.find((known) => known === type)) {
    case "string":
      return kinds.text;
    case "integer":
      return kinds.whole;
    case "number":
      return kinds.number;
    case "decimal":
      return kinds.decimal;
    case "boolean":
      return kinds.boolean;
    case "date":
      return kinds.day;
    case "datetime":
      return kinds.instant;
    case "list": {
      const { wanted, is } = kindOf(isRecord(items) ? items : {});
      return {
        wanted: `a list, each item of it ${wanted}`,
        is: (given) => Array.isArray(given) && given.every(is),
      };
    }
    default:
      return kinds.any;
  }
}

function staysSame(convert: ReturnType<typeof toDate>, given: unknown): boolean {
  const converted = typeof given === "string" ? convert(given) : undefined;
  return converted?.kind === "value" && converted.value === given;
}

/**
 * What is wrong with a `default` or `otherwise` that is not of the `type` of its member; undefined if it is,
 * or if there is no type. It may be out of bounds, as it can stand for an unknown value.
 */
export function describeTypeMismatch(spec: Given, given: unknown): string | undefined {
  if (given === undefined || given === null || spec.type === undefined) return undefined;
  const { wanted, is } = kindOf(spec);
  if (is(given)) return undefined;
  const shown = cutTo(maxShownCharacters, quoteWhole(given as string | object));
  return `${shown} is not what type: ${spec.type} gives: write ${wanted}, or null`;
}

const maxShownCharacters = 200;
