import { z } from "zod";
import { inSnakeCase } from "../model/escape-text.ts";
import {
  delimiterOf,
  nameOfDelimiter,
  type Reading,
  whyNoDelimiter,
  whyNoEncoding,
} from "../model/reading.ts";
import { checked, textKey } from "./schema-parts.ts";

/** How inputs of a mapping are read, so that the options need not be typed each time. */
export const inputKeys = z
  .strictObject({
    encoding: checked(textKey("as `--encoding`"), whyNoEncoding).optional(),
    delimiter: checked(textKey("as `--delimiter`"), (given) =>
      whyNoDelimiter(delimiterOf(given)),
    ).optional(),
    sheet: textKey("as `--sheet`").optional(),
    skip_lines: z.int().min(0).describe("as `--skip-lines`").optional(),
    no_header: z.boolean().describe("as `--no-header`").optional(),
    escape: z.literal("\\").describe('as in `eventload.yaml`: `"\\\\"`').optional(),
    short_rows: z.enum(["invalid", "pad"]).describe("as `--short-rows`").optional(),
    hidden_rows: z.enum(["read", "skip"]).describe("as `--hidden-rows`").optional(),
  })
  .describe(
    "how to read the input: `encoding`, `delimiter`, `sheet`, `skip_lines`, `no_header`, `escape`, `short_rows` and `hidden_rows`, which mean the same as the [options](inputs.md#csv-files). What you type on the command line wins, and this wins over `eventload.yaml`. `retry` reads results files without it",
  );

export function readingOfKeys({
  no_header: noHeader,
  ...given
}: z.infer<typeof inputKeys> = {}): Reading {
  const { delimiter } = given;
  return {
    ...renamed(given, (key) => key.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase())),
    ...(delimiter !== undefined && { delimiter: delimiterOf(delimiter) }),
    ...(noHeader !== undefined && { header: !noHeader }),
  };
}

/** The `input` by which a mapping says that its inputs are read so, in the order of its keys. */
export function inputKeysOf({
  delimiter,
  header,
  ...reading
}: Reading): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = {
    ...renamed(reading, inSnakeCase),
    ...(delimiter !== undefined && { delimiter: nameOfDelimiter(delimiter) }),
    ...(header === false && { no_header: true }),
  };
  const keys = Object.keys(inputKeys.shape).filter((key) => given[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, given[key]]));
}

function renamed(given: object, nameOf: (key: string) => string): Reading {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [nameOf(key), value]));
}
