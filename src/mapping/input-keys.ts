import { z } from "zod";
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

/** What a key is called in a reading. */
function readingName(key: string): string {
  return key.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

export function readingOfKeys(given: z.infer<typeof inputKeys> = {}): Reading {
  const all = Object.entries(given).map(([key, value]) => {
    if (key === "no_header") return ["header", !value];
    return [readingName(key), key === "delimiter" ? delimiterOf(String(value)) : value];
  });
  return Object.fromEntries(all);
}

/** The `input` by which a mapping says that its inputs are read so, in the order of its keys. */
export function inputKeysOf(reading: Reading): Readonly<Record<string, unknown>> {
  const { delimiter, header } = reading;
  const given: Readonly<Record<string, unknown>> = {
    ...{ ...reading, delimiter: delimiter && nameOfDelimiter(delimiter) },
    noHeader: header === false || undefined,
  };
  const all = Object.keys(inputKeys.shape).map((key) => [key, given[readingName(key)]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
