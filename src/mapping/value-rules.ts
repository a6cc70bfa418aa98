import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { dateFormatPattern, mostFormatCharacters, problemOfDateFormat } from "./date-format.ts";
import type { Rule } from "./schema-rules.ts";

export const memberTypes = [
  "string",
  "integer",
  "number",
  "decimal",
  "boolean",
  "date",
  "datetime",
  "list",
  "json",
] as const;
const textFormats = ["email", "url", "uuid", "iso-country"] as const;

export type TextFormat = (typeof textFormats)[number];

const numbers = ["integer", "number", "decimal"] as const;
const typesOf: Readonly<Record<string, readonly string[]>> = {
  format: ["string", "date", "datetime"],
  timezone: ["datetime"],
  decimal_separator: ["number", "decimal"],
  thousands_separator: numbers,
  as: ["decimal"],
  true_values: ["boolean"],
  false_values: ["boolean"],
  pattern: ["string"],
  min: numbers,
  max: numbers,
  min_length: ["string"],
  max_length: ["string"],
  one_of: ["string", ...numbers],
  separator: ["list"],
  items: ["list"],
};

/** Every key that says how a text becomes a value. */
export const conversionKeys = ["type", ...Object.keys(typesOf)];

const typeOf = (given: Readonly<Record<string, unknown>>) =>
  Object.hasOwn(given, "type") ? given.type : "string";

const fitsType = (key: string, types: readonly string[]): Rule => ({
  schema: {
    if: { required: [key] },
    // biome-ignore lint/suspicious/noThenProperty: that is what JSON Schema calls it
    then: {
      properties: { type: { enum: types } },
      ...(types.includes("string") ? {} : { required: ["type"] }),
    },
  },
  find(given) {
    const type = typeOf(given);
    const isKnown = memberTypes.some((known) => known === type);
    if (!Object.hasOwn(given, key) || !isKnown || types.includes(String(type))) return [];
    const message = Object.hasOwn(given, "type")
      ? `has no effect beside type: ${type}: remove it, or use type: ${either(types)}`
      : `has no effect without type: ${either(types)}: add that, or remove this`;
    return [{ path: [key], part: "key" as const, message }];
  },
});

const dateFormat = { type: "string", pattern: dateFormatPattern, maxLength: mostFormatCharacters };

const formatFits: Rule = {
  schema: {
    if: { properties: { type: { enum: ["date", "datetime"] } }, required: ["type"] },
    // biome-ignore lint/suspicious/noThenProperty: that is what JSON Schema calls it
    then: { properties: { format: { anyOf: [dateFormat, { type: "array", items: dateFormat }] } } },
    else: { properties: { format: { enum: textFormats } } },
  },
  find(given) {
    const { format } = given;
    const type = typeOf(given);
    if (type === "string" && format !== undefined) {
      if (textFormats.some((known) => known === format)) return [];
      const meant = typeof format === "string" ? suggest(format, textFormats) : undefined;
      const hint =
        meant === undefined
          ? `use one of ${textFormats.join(", ")}, or type: date or datetime with it`
          : `did you mean ${meant}?`;
      const message = `${shownFormat(format)} is no format of text; ${hint}`;
      return [{ path: ["format"], message }];
    }
    if (type !== "date" && type !== "datetime") return [];
    return [format].flat().flatMap((one) => {
      const why = typeof one === "string" ? problemOfDateFormat(one) : undefined;
      return why === undefined ? [] : [{ path: ["format"], message: `${shownFormat(one)} ${why}` }];
    });
  },
};

/** A separator that means two things would change numbers in silence. */
const separatorsDiffer: Rule = {
  schema: {
    allOf: [
      {
        not: {
          properties: { decimal_separator: { const: "," }, thousands_separator: { const: "," } },
          required: ["decimal_separator", "thousands_separator"],
        },
      },
      {
        not: {
          properties: {
            type: { enum: ["number", "decimal"] },
            decimal_separator: { const: "." },
            thousands_separator: { const: "." },
          },
          required: ["type", "thousands_separator"],
        },
      },
    ],
  },
  find({ type, decimal_separator: point = ".", thousands_separator: between }) {
    if (between !== point || (point === "." && type !== "number" && type !== "decimal")) return [];
    return [{ path: ["thousands_separator"], message: "is the decimal separator too: change one" }];
  },
};

const bothOrNone: Rule = {
  schema: { dependencies: { true_values: ["false_values"], false_values: ["true_values"] } },
  find(given) {
    const [hasTrue, hasFalse] = [
      Object.hasOwn(given, "true_values"),
      Object.hasOwn(given, "false_values"),
    ];
    if (hasTrue === hasFalse) return [];
    const [there, missing] = hasTrue
      ? ["true_values", "false_values"]
      : ["false_values", "true_values"];
    return [{ path: [there], message: `needs ${missing} beside it: say what means the other` }];
  },
};

const listNeedsSeparator: Rule = {
  schema: {
    if: { properties: { type: { const: "list" } }, required: ["type"] },
    // biome-ignore lint/suspicious/noThenProperty: that is what JSON Schema calls it
    then: { required: ["separator"] },
  },
  find: (given) =>
    given.type === "list" && !Object.hasOwn(given, "separator")
      ? [{ message: 'needs separator beside type: list: the text between the items, such as ";"' }]
      : [],
};

/** Rules of the keys that say how an item of a list becomes a value. */
export const itemRules: readonly Rule[] = [
  ...Object.entries(typesOf).map(([key, types]) => fitsType(key, types)),
  formatFits,
  separatorsDiffer,
  bothOrNone,
];

/** The same for a member. */
export const conversionRules: readonly Rule[] = [...itemRules, listNeedsSeparator];

function shownFormat(given: unknown): string {
  return quote(typeof given === "string" ? given : JSON.stringify(given));
}

function either(types: readonly string[]): string {
  const last = types.at(-1);
  return types.length === 1 ? (last ?? "") : `${types.slice(0, -1).join(", ")} or ${last}`;
}
