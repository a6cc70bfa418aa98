import { z } from "zod";
import { cutTo, quote, quoteWhole } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { plainWord } from "./coerce.ts";
import { patternText, textList } from "./condition-schema.ts";
import {
  describeDateFormatProblem,
  describeFormatClash,
  hasTwoDigitYear,
  luxon,
} from "./date-format.ts";
import { canonicalDecimal } from "./numbers.ts";
import { compileReplace } from "./pattern.ts";
import {
  asWritten,
  checked,
  exactlyOneOf,
  type RawKeys,
  type Rule,
  refuseWhere,
  textKey,
  withRules,
  wrongKey,
} from "./schema-parts.ts";
import { toDate, toDatetime } from "./to-date.ts";

/** How a text becomes a value: transforms, types and checks, for members and list items. */

const itemTypes = [
  "string",
  "integer",
  "number",
  "decimal",
  "boolean",
  "date",
  "datetime",
] as const;
const memberTypes = [...itemTypes, "list", "json"] as const;
const textFormats = ["email", "url"] as const;

export type TextFormat = (typeof textFormats)[number];

const typesOfNumbers = ["integer", "number", "decimal"] as const;
const typesOf: Readonly<Record<string, readonly string[]>> = {
  format: ["string", "date", "datetime"],
  timezone: ["datetime"],
  pivot_year: ["date", "datetime"],
  decimal_separator: typesOfNumbers,
  thousands_separator: typesOfNumbers,
  scale: typesOfNumbers,
  true_values: ["boolean"],
  false_values: ["boolean"],
  pattern: ["string"],
  min: typesOfNumbers,
  max: typesOfNumbers,
  min_length: ["string"],
  max_length: ["string"],
  enum: ["string", ...typesOfNumbers],
  separator: ["list"],
  items: ["list"],
};

export const conversionKeys = ["type", ...Object.keys(typesOf)];

function onlyOf(key: string, types: readonly string[]): Rule {
  return ({ type, [key]: given }) => {
    const meant = type ?? "string";
    const isOther = memberTypes.some((known) => known === meant) && !types.includes(String(meant));
    if (given === undefined || !isOther) return [];
    const message =
      type === undefined
        ? `has no effect without type: ${either(types)}: add that, or remove this`
        : `has no effect beside type: ${type}: remove it, or use type: ${either(types)}`;
    return [wrongKey(key, message)];
  };
}

const formatFits: Rule = ({ format, type = "string", pivot_year: pivotYear }) => {
  const finding = (given: unknown, why: string) => ({
    path: ["format"],
    message: `${quote(typeof given === "string" ? given : JSON.stringify(given))} ${why}`,
  });
  if (type === "string" && format !== undefined) {
    if (textFormats.some((known) => known === format)) return [];
    const meant = typeof format === "string" ? suggest(format, textFormats) : undefined;
    const hint =
      meant === undefined
        ? `use one of ${textFormats.join(", ")}, or type: date or datetime with it`
        : `did you mean ${meant}?`;
    return [finding(format, `is no format of text; ${hint}`)];
  }
  if (type !== "date" && type !== "datetime") return [];
  const found = [format].flat().flatMap((one) => {
    const why = typeof one === "string" ? describeDateFormatProblem(one) : undefined;
    if (why !== undefined) return [finding(one, why)];
    if (pivotYear !== undefined || !hasTwoDigitYear(String(one))) return [];
    return [
      finding(one, "has years of two digits: add pivot_year, the last year that they can mean"),
    ];
  });
  const list = z.array(z.string()).safeParse(format).data;
  if (found.length > 0 || list === undefined) return found;
  const clash = describeFormatClash(list, Number(pivotYear ?? 2060));
  return clash === undefined ? [] : [{ path: ["format"], message: clash }];
};

const wordsDiffer: Rule = ({ true_values: trueValues, false_values: falseValues }) => {
  if (trueValues === undefined && falseValues === undefined) return [];
  if (trueValues === undefined || falseValues === undefined) {
    const names = ["true_values", "false_values"] as const;
    const [there, missing] = trueValues === undefined ? names.toReversed() : names;
    const message = `needs ${missing} beside it: say what means the other`;
    return [{ path: [there ?? ""], message }];
  }
  const words = new Set([trueValues].flat().map((word) => plainWord(String(word))));
  const both = [falseValues].flat().find((word) => words.has(plainWord(String(word))));
  if (both === undefined) return [];
  const message = `has ${quote(String(both))}, which is among true_values too`;
  return [{ path: ["false_values"], message }];
};

/** Separators of thousands and fractions that are one sign would change numbers silently. */
function areSeparatorsSame({ type, thousands_separator: thousands, ...given }: RawKeys): boolean {
  const decimal = given.decimal_separator ?? (type === "integer" ? undefined : ".");
  return thousands !== undefined && thousands === decimal;
}

function boundsFit(least: string, most: string): Rule {
  const message = `is less than ${least}: every row would be invalid`;
  return refuseWhere((given) => Number(given[least]) > Number(given[most]), {
    path: [most],
    message,
  });
}

const itemRules: readonly Rule[] = [
  ...Object.entries(typesOf).map(([key, types]) => onlyOf(key, types)),
  formatFits,
  wordsDiffer,
  refuseWhere(areSeparatorsSame, {
    path: ["thousands_separator"],
    message: "is the decimal separator too: change one",
  }),
  refuseWhere(({ scale }) => scale === 0, {
    path: ["scale"],
    message: "is 0: every number would become 0",
  }),
  boundsFit("min", "max"),
  boundsFit("min_length", "max_length"),
];

export const conversionRules: readonly Rule[] = [
  ...itemRules,
  refuseWhere(({ type, separator }) => type === "list" && separator === undefined, {
    message: 'needs separator beside type: list: the text between the items, such as ";"',
  }),
];

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
  return (given) => typeof given === "string" && convert(given) === given;
}

function describeMismatch({ type }: RawKeys, given: unknown): string | undefined {
  const kind = Object.hasOwn(kinds, String(type)) ? kinds[String(type)] : undefined;
  if (given === undefined || given === null || kind === undefined) return undefined;
  const [wanted, is] = kind;
  if (is(given)) return undefined;
  const shown = cutTo(maxShownCharacters, quoteWhole(given as string | object));
  return `${shown} is not what type: ${type} gives: write ${wanted}, or null`;
}

const maxShownCharacters = 200;

function either(types: readonly string[]): string {
  const last = types.at(-1);
  return types.length === 1 ? (last ?? "") : `${types.slice(0, -1).join(", ")} or ${last}`;
}

export const transformNames = [
  "trim",
  "collapse_spaces",
  "lowercase",
  "uppercase",
  "title_case",
  "digits_only",
] as const;

const transformKeys = ["strip_prefix", "replace", "split", "pad_start"] as const;

const replacement = withRules(
  z.strictObject({
    find: textKey("the text to replace").optional(),
    pattern: textKey("a regular expression for what to replace").optional(),
    with: asWritten(z.string().describe("the new text")),
  }),
  [
    exactlyOneOf(["find", "pattern"]),
    ({ pattern, with: to = "" }) => {
      const compiled =
        typeof pattern === "string" ? compileReplace(pattern, String(to)) : undefined;
      return compiled?.kind === "problem"
        ? [{ path: [compiled.at], message: compiled.message }]
        : [];
    },
  ],
);

const split = z.strictObject({
  by: textKey("the text between the items"),
  item: z
    .int()
    .refine((item) => item !== 0, "is 0: the first item is 1, and the last is -1")
    .describe("which item: 1 is the first, -1 the last"),
});

const maxPaddedCharacters = 1000;

const padding = z.strictObject({
  length: z
    .int()
    .min(1, "has to be 1 or more")
    .max(maxPaddedCharacters, `has to be ${maxPaddedCharacters} or less`)
    .describe("how many characters the text has at least"),
  with: checked(textKey("the character that is put before a shorter text"), (given) =>
    [...given].length === 1 ? undefined : "has to be one character",
  ),
});

const transformName = z.enum(transformNames);
const transformWithText = withRules(
  z.strictObject({
    strip_prefix: textKey("the text to remove from the beginning, if it is there").optional(),
    replace: replacement.optional().describe("what to replace, everywhere in the text"),
    split: split.optional().describe("takes one item of a text"),
    pad_start: padding.optional().describe("fills a text from the left"),
  }),
  [exactlyOneOf(transformKeys)],
);
const transformStep = z.union([transformName, transformWithText]);

export const transform = z.union([transformName, transformWithText, z.array(transformStep)]).meta({
  id: "transform",
  description:
    '`trim`, `collapse_spaces`, `lowercase`, `uppercase`, `title_case`, `digits_only`, `{ strip_prefix: "tel:" }`, `{ replace: { find: x, with: y } }`, `{ split: { by: ",", item: 1 } }`, `{ pad_start: { length: 5, with: "0" } }`, or a list of these, which are applied in order. In `replace`, `pattern` instead of `find` is a regular expression ([syntax of RE2](https://github.com/google/re2/wiki/Syntax)). In its `with`, `$1` is the first group, `$&` the whole match, and `$$` a dollar sign: `with: $2 $1` swaps two groups. A cell of more than 4,000 characters is invalid where a `pattern` is tried on it. `title_case` starts a word after every character that is not a letter or a digit: `O\'Neil`, but also `They\'Ve`. `digits_only` keeps the digits of every script as they are. `split` takes one item of a text: 1 is the first, -1 the last. An item that is not there is blank. `pad_start` fills a text from the left with one character, and leaves a blank text as it is. Both remove space around the text that they give',
});

export type TransformName = (typeof transformNames)[number];
export type TransformStep = z.infer<typeof transformStep>;
export type TransformSpec = z.infer<typeof transform>;

/** A zone has to be named: an offset such as +02:00 can be wrong for half of the year. */
function whyNoZone(name: string): string | undefined {
  const isZone = /^[A-Z][A-Za-z]+\//.test(name) && luxon().IANAZone.isValidZone(name);
  if (isZone || name === "UTC") return undefined;
  const meant = suggest(name, ["UTC", ...Intl.supportedValuesOf("timeZone")]);
  const hint =
    meant === undefined ? "use a name such as Europe/Amsterdam, or UTC" : `did you mean ${meant}?`;
  return `${JSON.stringify(name)} is no time zone; ${hint}`;
}

const length = z.int().min(0, "has to be 0 or more");

const checks = {
  format: z
    .union([z.string(), z.array(z.string()).min(1, "is an empty list")])
    .describe(
      "for `date` and `datetime`: how the cell is written, such as `dd/MM/yyyy HH:mm` ([luxon's letters](https://moment.github.io/luxon/#/parsing?id=table-of-tokens); month names in English, offsets but no names of zones; years from 1000 on), `excel_serial`, `iso` (the default), `X` (seconds since 1970), `x` (milliseconds), or a list to try in turn, without two that read one text as different days. `yy` is a year of two digits, never of four, and needs `pivot_year`. For text: `email` or `url`",
    ),
  timezone: checked(
    textKey(
      "for `datetime`: the time zone of a time without an offset, such as `Europe/Amsterdam`; default `UTC`. An `excel_serial` never has an offset",
    ),
    whyNoZone,
  ),
  pivot_year: z
    .int()
    .min(1999, "is before 1999: give the last of the hundred years, with four digits")
    .max(2200, "is after 2200: give the last of the hundred years")
    .describe(
      "for `date` and `datetime` with `yy` in `format`: the last of the hundred years that two digits can mean. With 2044, `45` is 1945 and `44` is 2044",
    ),
  decimal_separator: z
    .enum([".", ","])
    .describe("for `number` and `decimal`, and for `integer` with `scale`: `.` (default) or `,`"),
  thousands_separator: z
    .enum([".", ",", " ", "'"])
    .describe("for numbers: what may separate groups of three digits: `.`, `,`, `'` or a space"),
  scale: z
    .number()
    .describe(
      "for numbers: what the number is multiplied by, exactly and before the checks: `scale: 0.01` makes euros of cents (`1999` becomes `19.99`), and `scale: 100` cents of euros",
    ),
  true_values: textList.describe(
    "for `boolean`: cells that mean true, in upper or lower case. Give `false_values` too",
  ),
  false_values: textList.describe("for `boolean`: cells that mean false. Give `true_values` too"),
  pattern: patternText(
    "for text: a regular expression that has to match a part of it (for the whole text, use `^` and `$`), in the [syntax of RE2](https://github.com/google/re2/wiki/Syntax): it has no look-around and no back-references, so that no pattern can hang. A cell of more than 4,000 characters is invalid",
  ),
  min: z
    .number()
    .describe("for numbers: the smallest that is allowed; all digits of a `decimal` count"),
  max: z.number().describe("for numbers: the largest that is allowed"),
  min_length: length.describe("for text: the fewest characters"),
  max_length: length.describe("for text: the most characters"),
  enum: textList.describe(
    "for text and numbers: the values that are allowed. Numbers are compared by value, so `1.0` is `1`",
  ),
};

const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => [key, (schema as z.ZodType).optional()]),
  ) as { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };

const items = withRules(
  z.strictObject({
    type: z.enum(itemTypes).describe("what each item becomes; default `string`").optional(),
    transform: transform.optional(),
    ...optional(checks),
  }),
  itemRules,
);

export const conversion = {
  type: z
    .enum(memberTypes)
    .describe(
      "`string` (default), `integer`, `number`, `decimal` (exact, as text), `boolean` (true, false, yes, no, y, n, 1, 0), `date` (becomes `2024-05-01`), `datetime` (becomes `2024-05-01T12:30:00.000Z`; more decimals of a second are kept), `list`, `json`",
    )
    .optional(),
  ...optional(checks),
  separator: textKey("for `list`: what separates the items").optional(),
  items: items
    .optional()
    .describe(
      "for `list`: `type`, `transform` and checks of the items. Space around items is removed. An item in quotes may contain the separator, as in CSV. Items that are blank, or in `null_values` or `clear_values`, are left out. A list without items counts as a blank cell",
    ),
};

export type ConversionSpec = {
  [Key in keyof typeof conversion]?: z.infer<(typeof conversion)[Key]>;
};
